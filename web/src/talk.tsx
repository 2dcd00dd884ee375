// The middle: the conversation and the question box.
import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { get, sentence, type Ability, type Call, type List } from './api'
import { assistant } from './app'
import { Stopped } from './aside'
import type { Desk } from './desk'
import { Card } from './proposal'
import { ResultView } from './table'
import { plainly, plural, Prose } from './text'
import { why, type Item, type ToolLine, type TurnView, type View } from './turn'

export function Talk({ desk, box }: { desk: Desk; box: RefObject<HTMLTextAreaElement | null> }) {
  const s = desk.state
  const scroller = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  const running = s.turns.some((t) => t.state === 'running')
  useLayoutEffect(() => {
    const el = scroller.current
    if (el && atEnd.current) el.scrollTop = el.scrollHeight
  })
  const scrolled = () => {
    const el = scroller.current
    if (!el) return
    atEnd.current = el.scrollHeight - el.scrollTop - el.clientHeight < 40
  }
  const ask = (text: string) => {
    atEnd.current = true
    void desk.ask(text)
  }
  return (
    <main class="talk">
      <div class="stream" ref={scroller} onScroll={scrolled}>
        <div class="column">
          <Stopped desk={desk} />
          {s.turns.length === 0 && !s.loading && <Start desk={desk} ask={ask} />}
          {s.turns.map((t, i) => <Turn key={t.id || 'new' + i} t={t} desk={desk} ask={ask} />)}
          {s.loading && s.turns.every((t) => !t.items.length) && <p class="faint">Opening…</p>}
        </div>
      </div>
      <div class="bottom">
        {s.error && <p class="bad" role="alert">{s.error} <button type="button" class="quiet" onClick={() => desk.set({ error: '' })}>Dismiss</button></p>}
        <Ask desk={desk} box={box} running={running} ask={ask} />
      </div>
    </main>
  )
}

function Ask({ desk, box, running, ask }: { desk: Desk; box: RefObject<HTMLTextAreaElement | null>; running: boolean; ask: (text: string) => void }) {
  const s = desk.state
  const [text, setText] = useState('')
  useEffect(() => { if (s.draft) setText(s.draft) }, [s.draft])
  useEffect(() => { box.current?.focus() }, [s.current === ''])
  const send = () => {
    if (running || !text.trim()) return
    ask(text.trim())
    setText('')
  }
  const key = (e: KeyboardEvent) => {
    if (e.key === 'Enter' && !e.shiftKey && e.type === 'keypress') e.preventDefault()
    else if (e.key === 'Enter' && !e.shiftKey && !e.isComposing) {
      e.preventDefault()
      send()
    }
    if (e.key === 'ArrowUp' && text === '' && s.turns.length) {
      e.preventDefault()
      setText(s.turns.at(-1)!.question)
    }
  }
  return (
    <form class="ask" onSubmit={(e) => { e.preventDefault(); send() }}>
      <textarea id="ask" ref={box} rows={Math.min(8, text.split('\n').length)} value={text} placeholder="Ask, or describe a change…" aria-label={`Ask ${assistant}, or describe a change`} onInput={(e) => setText(e.currentTarget.value)} onKeyDown={key} onKeyPress={key} />
      {running ? <button type="button" class="stop" onClick={() => void desk.stop()}>Stop</button> : <button type="submit" class="primary" disabled={!text.trim()}>Ask</button>}
    </form>
  )
}

function Start({ desk, ask }: { desk: Desk; ask: (text: string) => void }) {
  const me = desk.state.me
  const [tour, setTour] = useState(document.documentElement.dataset.demo === 'true' && !sessionStorage.getItem('deputy.tour'))
  if (!me) return null
  const done = () => { sessionStorage.setItem('deputy.tour', 'done'); setTour(false) }
  return (
    <div class="start">
      {tour && <p class="tour">This is a demo over a made-up business. Ask for something, ask for a change and confirm it, then become another person at the lower left and ask the same: each sees only what they may. <button type="button" class="quiet" onClick={done}>Got it</button></p>}
      <p class="lead">What would you like to know or change?</p>
      <ul>{examples(me.tables).map((q) => <li key={q}><button type="button" class="example" onClick={() => ask(q)}>{q}</button></li>)}</ul>
    </div>
  )
}

// examples are questions made from this person's own tables: first those they see a part of, then those they may change.
function examples(tables: Ability[]): string[] {
  const worth = (a: Ability) => (a.limited ? 2 : 0) + (a.update ? 1 : 0)
  const readable = tables.filter((t) => t.read).sort((a, b) => worth(b) - worth(a))
  const name = (a: Ability) => a.label.toLowerCase()
  const out = readable.slice(0, 1).map((a) => `How many ${name(a)} are there?`)
  out.push(...readable.slice(1, 2).map((a) => `Show the ${name(a)}`))
  return [...out, 'What can you do?']
}

function Turn({ t, desk, ask }: { t: TurnView; desk: Desk; ask: (text: string) => void }) {
  const reason = t.reason && t.reason !== 'answered' ? why(t.reason) : ''
  const s = desk.state
  const seen = new Set<string>()
  const labels = Object.fromEntries((s.me?.tables ?? []).map((a) => [a.table, a.label]))
  return (
    <article class="turn">
      <p class="question">{plainly(t.question)}</p>
      {grouped(t.items).map((g, i) => {
        if (Array.isArray(g)) return <Steps key={i} lines={g} turn={t.id} running={t.state === 'running' && i === grouped(t.items).length - 1} />
        if (g.kind === 'text') return <Prose key={i} text={g.text} />
        if (g.kind === 'display') return <Display key={i} call={g.call} view={g.view} />
        if (g.kind !== 'proposal') return null
        const id = s.groupOf[g.id]
        if (!id || seen.has(id)) return null
        return [id, ...desk.renewedBy(id)].filter((x) => !seen.has(x) && seen.add(x)).map((x) => (
          <Card key={x} group={s.groups[x]} labels={labels} ended={t.state !== 'running'} mayConfirm={s.me?.confirm ?? false} changed={(c) => desk.decided(c)} renewed={(c) => desk.group(c)} />
        ))
      })}
      {t.state === 'running' && <p class="faint" aria-hidden={!t.lost}>{t.lost ? 'Reconnecting… nothing is lost.' : t.items.length ? '' : 'Working…'}</p>}
      {reason && <p class={t.state === 'failed' ? 'ended bad' : 'ended'}>{reason} {t.state !== 'completed' && <button type="button" class="quiet" onClick={() => ask(t.question)}>Try again</button>}</p>}
    </article>
  )
}

// Display is what the assistant showed: rows, read again with the rights of now, or a link.
function Display({ call, view }: { call: string; view: View }) {
  return (
    <>
      {view.withheld && <p class="faint withheld">Withheld: your rights have changed since.{call && ' This is what you may read now:'}</p>}
      {call ? <ResultView call={call} view={view} /> : !view.withheld && <Link view={view} />}
    </>
  )
}

// grouped puts tool lines that follow each other together.
function grouped(items: Item[]): (Exclude<Item, ToolLine> | ToolLine[])[] {
  const out: (Exclude<Item, ToolLine> | ToolLine[])[] = []
  for (const i of items) {
    const last = out.at(-1)
    if (i.kind !== 'tool') out.push(i)
    else if (Array.isArray(last)) last.push(i)
    else out.push([i])
  }
  return out
}

function Steps({ lines, turn, running }: { lines: ToolLine[]; turn: string; running: boolean }) {
  if (lines.length < 4 || running) return <>{lines.map((l) => <Step key={l.call} l={l} turn={turn} />)}</>
  return <details class="steps"><summary>{lines.length} steps</summary>{lines.map((l) => <Step key={l.call} l={l} turn={turn} />)}</details>
}

function Step({ l, turn }: { l: ToolLine; turn: string }) {
  const [open, setOpen] = useState(false)
  const bad = l.outcome === 'refused' || l.outcome === 'failed'
  return (
    <details class={bad ? 'step bad-step' : 'step'} onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>
        <span>{l.label || l.tool}</span>
        {l.outcome === undefined && <span> …</span>}
        {l.outcome === 'ran' && l.returned !== undefined && l.toolKind === 'read' && <span> · {plural(l.returned, 'row')}{l.truncated ? ', cut' : ''}</span>}
        {bad && <span> · {l.outcome}{l.error ? `: ${l.error}` : ''}</span>}
        {l.ms !== undefined && <span class="time">{l.ms} ms</span>}
      </summary>
      {open && <Detail l={l} turn={turn} />}
    </details>
  )
}

// Detail is the exact arguments of a call and, where it read rows, those rows.
function Detail({ l, turn }: { l: ToolLine; turn: string }) {
  const [row, setRow] = useState<Call | null>(null)
  const [error, setError] = useState('')
  useEffect(() => {
    get<List<Call>>(`/v1/tool-calls?turn=${turn}&limit=200`).then((r) => setRow(r.items.find((c) => c.id === l.call && c.phase === 'turn') ?? null), (e) => setError(sentence(e)))
  }, [])
  return (
    <div class="detail">
      {row && <pre>{l.tool} {JSON.stringify(row.arguments, null, 2)}</pre>}
      {error && <p class="bad">{error}</p>}
      {l.outcome === 'ran' && l.toolKind === 'read' && /^(query_records|get_record|analyze_records)$/.test(l.tool) && <ResultView call={l.call} view={{}} />}
    </div>
  )
}

// Link shows a link whole; it opens in a new tab, on a click only.
function Link({ view }: { view: View }) {
  const to = String(view.link ?? '')
  const label = String(view.label ?? view.target ?? '')
  if (!/^(https?:\/\/|\/(?!\/))/.test(to)) return <p>{label} <code>{to}</code></p>
  return <p class="link">{label} <a href={to} target="_blank" rel="noopener noreferrer">{to}</a> <span class="faint">opens in a new tab</span></p>
}

