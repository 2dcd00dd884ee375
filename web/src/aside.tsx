// The two sides: conversations and the person at the left; what waits, what may be done and the model at the right.
import { sentence, type Conversation, type DemoPerson, type Proposal } from './api'
import { assistant } from './app'
import type { Desk } from './desk'
import { day, Exact, inTime, moment, plainly } from './text'
import { useState } from 'preact/hooks'

interface LeftProps {
  desk: Desk
  people: DemoPerson[]
  token: string
  become: (token: string) => void
  leave: () => void
  picked: () => void
}

export function Conversations({ desk, people, token, become, leave, picked }: LeftProps) {
  const s = desk.state
  return (
    <aside class="left" aria-label="Conversations">
      <h1>{assistant}</h1>
      <button type="button" class="new" onClick={() => { desk.fresh(); picked() }}>+ New conversation</button>
      <div class="conversations">
        {byDay(s.conversations).map(([label, items]) => (
          <section key={label}>
            <h2>{label}</h2>
            {items.map((c) => (
              <button key={c.id} type="button" class={c.id === s.current && s.view === 'talk' ? 'item current' : 'item'} aria-current={c.id === s.current} onClick={() => { void desk.open(c.id); picked() }}>{plainly(c.title) || 'Untitled'}</button>
            ))}
          </section>
        ))}
        {s.more && <button type="button" class="item faint" onClick={() => void desk.moreConversations()}>Older…</button>}
      </div>
      <button type="button" class={s.view === 'log' ? 'item current' : 'item'} onClick={() => { desk.set({ view: s.view === 'log' ? 'talk' : 'log' }); picked() }}>Log of calls</button>
      <div class="person">
        {people.length > 0 ? (
          <label>
            <span class="faint">You are (demo)</span>
            <select id="person" value={token} onChange={(e) => become(e.currentTarget.value)}>
              {people.map((p) => <option key={p.token} value={p.token}>{p.name}</option>)}
              {!people.some((p) => p.token === token) && <option value={token}>{s.me?.person.name ?? 'someone else'}</option>}
            </select>
            <span class="faint about">{people.find((p) => p.token === token)?.about}</span>
          </label>
        ) : (
          <>
            <span>{s.me?.person.name || s.me?.person.id}</span> <button type="button" class="quiet" onClick={leave}>Sign out</button>
          </>
        )}
      </div>
    </aside>
  )
}

function byDay(cs: Conversation[]): [string, Conversation[]][] {
  const today = day(new Date())
  const yesterday = day(new Date(Date.now() - 864e5))
  const groups = new Map<string, Conversation[]>()
  for (const c of cs) {
    const d = day(c.updated_at)
    const label = d === today ? 'Today' : d === yesterday ? 'Yesterday' : d
    groups.set(label, [...(groups.get(label) ?? []), c])
  }
  return [...groups]
}

export function Panel({ desk, picked }: { desk: Desk; picked: () => void }) {
  const s = desk.state
  return (
    <aside class="right" aria-label="What waits and what you may do">
      <section>
        <h2>To confirm {s.inbox.length > 0 && <span class="count">{s.inbox.length}</span>}</h2>
        {s.inbox.length === 0 && <p class="faint">Nothing waits for you.</p>}
        {s.inbox.map((p) => <Waiting key={p.id} p={p} open={() => { picked(); void show(desk, p) }} />)}
      </section>
      <section>
        <h2>What I may do</h2>
        {s.me && s.me.words.length === 0 && <p class="faint">Nothing: your roles grant no access. An operator can change that.</p>}
        <ul class="words">{s.me?.words.map((w, i) => <li key={i}><Ability text={w} /></li>)}</ul>
        {s.me && !s.me.confirm && <p class="faint">This sign-in may not confirm changes.</p>}
      </section>
      {s.me && <Model desk={desk} />}
      {s.me?.operate && !s.me.kill_switch?.all && <Switch desk={desk} />}
    </aside>
  )
}

// Ability is "Customers: read; change phone." with its table first.
function Ability({ text }: { text: string }) {
  const at = text.indexOf(': ')
  if (at < 0) return <>{text}</>
  return <><strong>{text.slice(0, at)}</strong> {text.slice(at + 2)}</>
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

function Waiting({ p, open }: { p: Proposal; open: () => void }) {
  return <button type="button" class="item" title={`expires ${inTime(p.expires_at)}`} onClick={open}><Exact text={p.summary} /></button>
}

async function show(desk: Desk, p: Proposal) {
  if (desk.state.current !== p.conversation || desk.state.view !== 'talk') await desk.open(p.conversation)
  await desk.readProposal(p.id)
  requestAnimationFrame(() => requestAnimationFrame(() => document.getElementById(p.group)?.scrollIntoView({ block: 'center' })))
}

function Model({ desk }: { desk: Desk }) {
  const m = desk.state.me!.model
  const [open, setOpen] = useState(false)
  return (
    <section>
      <h2>Model</h2>
      <p>{m.name || m.model}{m.offline ? ' – built-in rules, no language model' : m.model && m.model !== m.name ? <span class="faint"> {m.model}</span> : ''} {m.offline && <button type="button" class="quiet" aria-expanded={open} onClick={() => setOpen(!open)}>why?</button>}</p>
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
      {assistant} is stopped{k.by && ` by ${k.by}`}{k.at && ` since ${moment(k.at)}`}{k.reason ? `: ${k.reason}` : ''}. Questions and confirmations wait until an operator lets it run again.{' '}
      {desk.state.me?.operate && <button type="button" class="quiet" onClick={() => void desk.killSwitch(false, k.reason)}>Let it run again</button>}{' '}
      <button type="button" class="quiet" onClick={() => void desk.refresh().catch((e) => desk.set({ error: sentence(e) }))}>Look again</button>
    </p>
  )
}
