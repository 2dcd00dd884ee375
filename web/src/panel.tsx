// The right side: what waits to be confirmed, what may be done, and the model; and the states of the whole page.
import { useState } from 'preact/hooks'
import { type Proposal } from './api'
import type { Desk } from './desk'
import { assistant } from './name'
import { Exact, inTime, moment, plainly } from './text'

export function Panel({ desk, picked, help }: { desk: Desk; picked: () => void; help: () => void }) {
  const s = desk.state
  return (
    <aside class="right" aria-label="What waits and what you may do">
      <section>
        <h2>To confirm {s.inbox.length > 0 && <span class="count">{s.inbox.length}</span>}</h2>
        {s.inbox.length === 0 && <p class="faint">Nothing waits for you.</p>}
        <ul class="inbox">{inGroups(s.inbox).map((ps) => <Waiting key={ps[0].group} ps={ps} open={() => { picked(); void show(desk, ps[0]).catch((e) => desk.failed(e)) }} />)}</ul>
      </section>
      <section>
        <h2>What I may do</h2>
        {s.me && s.me.words.length === 0 && <p class="faint">Nothing: your roles grant no access. An operator can change that.</p>}
        <ul class="words">{s.me?.words.map((w, i) => <li key={i}><Ability text={w} /></li>)}</ul>
        {s.me && !s.me.confirm && <p class="faint">This sign-in may not confirm changes.</p>}
      </section>
      {s.toolsets.length > 0 && <Toolsets desk={desk} />}
      {s.me && <Model desk={desk} />}
      {s.me?.operate && !s.me.kill_switch?.all && <Switch desk={desk} />}
      <p class="keys"><button type="button" class="quiet" onClick={help}>Keys</button> <kbd>?</kbd></p>
    </aside>
  )
}

// Ability is "Customers: read; change phone." with its table first.
function Ability({ text }: { text: string }) {
  const at = text.indexOf(': ')
  if (at < 0) return <>{plainly(text)}</>
  return <><strong>{plainly(text.slice(0, at))}</strong> {plainly(text.slice(at + 2))}</>
}

// Toolsets are switched on by the assistant as it needs them, or here.
function Toolsets({ desk }: { desk: Desk }) {
  return (
    <section>
      <h2>Tools in this conversation</h2>
      <ul class="toolsets">
        {desk.state.toolsets.map((t) => (
          <li key={t.name}>
            <label>
              <input type="checkbox" checked={t.active} onChange={(e) => void desk.switchToolset(t.name, e.currentTarget.checked)} />
              <span><strong>{plainly(t.name)}</strong> {plainly(t.description)}</span>
            </label>
          </li>
        ))}
      </ul>
    </section>
  )
}

// Switch is the operator's: it stops everything for everybody.
function Switch({ desk }: { desk: Desk }) {
  const [reason, setReason] = useState('')
  const stop = (e: Event) => {
    e.preventDefault()
    void desk.killSwitch(true, reason)
  }
  return (
    <section>
      <h2>Stop {assistant} for everybody</h2>
      <form class="switch" onSubmit={stop}>
        <input aria-label="Why" placeholder="Why" value={reason} onInput={(e) => setReason(e.currentTarget.value)} />
        <button type="submit" disabled={!reason.trim()}>Stop</button>
      </form>
    </section>
  )
}

function Waiting({ ps, open }: { ps: Proposal[]; open: () => void }) {
  const deletes = ps.some((p) => p.changes.some((c) => c.verb === 'delete'))
  return (
    <li>
      <button type="button" class={deletes ? 'item deletes' : 'item'} onClick={open}>
        <Exact text={ps[0].summary} />{ps.length > 1 && <span class="faint"> and {ps.length - 1} more</span>}
        <span class="faint when">expires {inTime(ps[0].expires_at)}</span>
      </button>
    </li>
  )
}

// inGroups puts what is confirmed together together.
function inGroups(ps: Proposal[]): Proposal[][] {
  const groups = new Map<string, Proposal[]>()
  for (const p of ps) groups.set(p.group, [...(groups.get(p.group) ?? []), p])
  return [...groups.values()].map((g) => g.sort((a, b) => a.position - b.position))
}

// show brings a card into view, wherever it stands.
async function show(desk: Desk, p: Proposal) {
  if (desk.state.current !== p.conversation || desk.state.view !== 'talk') await desk.open(p.conversation)
  await desk.readProposal(p.id)
  while (desk.state.from > 0 && desk.state.turns.findIndex((t) => t.id === p.turn) < desk.state.from) await desk.earlier()
  requestAnimationFrame(() => requestAnimationFrame(() => {
    const card = document.getElementById(p.group)
    card?.scrollIntoView({ block: 'center' })
    card?.focus({ preventScroll: true })
  }))
}

function Model({ desk }: { desk: Desk }) {
  const m = desk.state.me!.model
  const [open, setOpen] = useState(false)
  return (
    <section>
      <h2>Model</h2>
      <p>{plainly(m.name || m.model)}{m.offline ? ' – built-in rules, no language model' : m.model && m.model !== m.name ? <span class="faint"> {m.model}</span> : ''} {m.offline && <button type="button" class="quiet" aria-expanded={open} onClick={() => setOpen(!open)}>why?</button>}</p>
      {m.offline && open && (
        <div class="faint">
          <p>No model is configured, so a small set of rules answers. It understands plain questions: list and filter, count, show one record, change, create or delete one.</p>
          <p>To connect a language model, start again with <code>OPENAI_API_KEY</code> set, or with <code>--model-url</code> for any server that speaks the same protocol. It works with the same tools and the same rights.</p>
        </div>
      )}
    </section>
  )
}

// Stopped says that an operator has stopped everything, who, why and since when.
export function Stopped({ desk }: { desk: Desk }) {
  const k = desk.state.me?.kill_switch
  if (!k?.all) return null
  return (
    <p class="banner" role="alert">
      {assistant} is stopped{k.by && ` by ${plainly(k.by)}`}{k.at && ` since ${moment(k.at)}`}{k.reason ? `: ${plainly(k.reason)}` : ''}. Questions and confirmations wait until an operator lets it run again.{' '}
      {desk.state.me?.operate && <button type="button" class="quiet" onClick={() => void desk.killSwitch(false, k.reason)}>Let it run again</button>}{' '}
      <button type="button" class="quiet" onClick={() => void desk.refresh()}>Look again</button>
    </p>
  )
}

// Down says that the server does not answer; the page asks again by itself.
export function Down({ desk }: { desk: Desk }) {
  if (!desk.state.down) return null
  return <p class="banner down" role="alert">The server does not answer. Nothing that was sent is lost; this page goes on as soon as it does. <button type="button" class="quiet" onClick={() => void desk.refresh()}>Try now</button></p>
}
