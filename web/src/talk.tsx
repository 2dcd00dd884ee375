// The middle: the conversation and the question box.
import { Component, type RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Ability } from './api'
import type { Desk, State } from './desk'
import { Link } from './link'
import { Prose } from './markdown'
import { assistant, isDemo } from './name'
import { Down, Stopped } from './panel'
import { Card } from './proposal'
import { ResultView } from './result'
import { Elapsed, Steps } from './steps'
import { plainly } from './text'
import { why, type Item, type ToolLine, type TurnView, type View } from './turn'

export function Talk({ desk, box }: { desk: Desk; box: RefObject<HTMLTextAreaElement | null> }) {
  const s = desk.state
  const scroller = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  const first = useRef<{ from: number; el: Element | null; top: number }>({ from: 0, el: null, top: 0 })
  const running = s.turns.some((t) => t.state === 'running')
  const remember = () => {
    const el = scroller.current?.querySelector('.turn') ?? null
    first.current = { from: s.from, el, top: el?.getBoundingClientRect().top ?? 0 }
  }
  useLayoutEffect(() => {
    const el = scroller.current
    if (!el) return
    const { from, el: was, top } = first.current
    if (atEnd.current) el.scrollTop = el.scrollHeight
    else if (s.from < from && was?.isConnected) el.scrollTop += was.getBoundingClientRect().top - top // what is read stays where it is
    remember()
  })
  useLayoutEffect(() => { atEnd.current = true }, [s.current])
  const scrolled = () => {
    const el = scroller.current
    if (!el) return
    atEnd.current = el.scrollHeight - el.scrollTop - el.clientHeight < 40
    remember()
  }
  const ask = (text: string) => {
    atEnd.current = true
    void desk.ask(text)
  }
  const earlier = () => {
    atEnd.current = false
    void desk.earlier()
  }
  return (
    <main class="talk">
      <div class="stream" ref={scroller} onScroll={scrolled} tabIndex={-1}>
        <div class="column">
          <h2 class="sr">Conversation</h2>
          <Stopped desk={desk} />
          {s.turns.length === 0 && !s.loading && !s.down && <Start desk={desk} ask={ask} />}
          {s.from > 0 && <p class="earlier"><button type="button" disabled={s.loading} onClick={earlier}>{s.loading ? 'Reading…' : 'Show earlier'}</button> <span class="faint">{s.from} before these</span></p>}
          {s.turns.slice(s.from).map((t, i) => <Turn key={t.id || 'new' + i} t={t} s={s} desk={desk} ask={ask} me={s.me} groups={s.groups} calls={s.calls} busy={running} />)}
          {s.loading && s.turns.every((t) => !t.items.length) && <p class="faint">Opening…</p>}
        </div>
      </div>
      <div class="bottom">
        <Down desk={desk} />
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
  const [tour, setTour] = useState(isDemo && !sessionStorage.getItem('deputy.tour'))
  if (!me) return null
  const done = () => { sessionStorage.setItem('deputy.tour', 'done'); setTour(false) }
  const questions = examples(me.tables)
  return (
    <div class="start">
      {tour && <p class="tour">This is a demo over a made-up business. Ask for something, ask for a change and confirm it, then become another person at the lower left and ask the same: each sees only what they may. <button type="button" class="quiet" onClick={done}>Got it</button></p>}
      <p class="lead">What would you like to know or change?</p>
      <ul>{questions.map((q) => <li key={q}><button type="button" class="example" onClick={() => ask(q)}>{q}</button></li>)}</ul>
    </div>
  )
}

// examples are questions made from this person's own tables: first those they see a part of, then those they may change.
function examples(tables: Ability[]): string[] {
  const worth = (a: Ability) => (a.limited ? 2 : 0) + (a.update ? 1 : 0)
  const readable = tables.filter((t) => t.read).sort((a, b) => worth(b) - worth(a))
  const name = (a: Ability) => plainly(a.label.toLowerCase())
  const out = readable.slice(0, 1).map((a) => `How many ${name(a)} are there?`)
  out.push(...readable.slice(1, 2).map((a) => `Show the ${name(a)}`))
  return [...out, 'What can you do?']
}

interface TurnProps {
  t: TurnView
  s: State
  desk: Desk
  ask: (text: string) => void
  me: State['me']
  groups: State['groups']
  calls: State['calls']
  busy: boolean
}

// Turn is drawn again only when something that it shows has changed.
class Turn extends Component<TurnProps> {
  shouldComponentUpdate(next: TurnProps) {
    const p = this.props
    return next.t !== p.t || next.me !== p.me || next.groups !== p.groups || next.calls !== p.calls || next.busy !== p.busy
  }

  render({ t, s, desk, ask, busy }: TurnProps) {
    const reason = t.reason && t.reason !== 'answered' ? why(t.reason, plainly(t.detail)) : ''
    const running = t.state === 'running'
    const seen = new Set<string>()
    const labels = Object.fromEntries((s.me?.tables ?? []).map((a) => [a.table, a.label]))
    // A group is one card: it stands where its last member was proposed.
    const lastOf = new Map(t.items.flatMap((i) => (i.kind === 'proposal' && s.groupOf[i.id] ? [[s.groupOf[i.id], i] as const] : [])))
    const parts = grouped(t.items.filter((i) => i.kind !== 'proposal' || lastOf.get(s.groupOf[i.id]) === i))
    return (
      <article class="turn" aria-label={plainly(t.question).slice(0, 80)}>
        <p class="question">{plainly(t.question)}</p>
        {parts.map((g, i) => {
          if (Array.isArray(g)) return <Steps key={i} lines={g} turn={t.id} running={running && i === parts.length - 1} desk={desk} />
          if (g.kind === 'text') return <Prose key={i} text={g.text} />
          if (g.kind === 'display') return <Display key={i} call={g.call} view={g.view} />
          if (g.kind !== 'proposal') return null
          const id = s.groupOf[g.id]
          if (!id || seen.has(id)) return null
          return [id, ...desk.renewedBy(id)].filter((x) => s.groups[x] && !seen.has(x) && seen.add(x)).map((x) => (
            <Card key={x} group={s.groups[x]} labels={labels} ended={!running} mayConfirm={s.me?.confirm ?? false} changed={(c) => desk.decided(c)} renewed={(c) => desk.group(c)} />
          ))
        })}
        {running && <p class="faint working">{t.lost ? 'Reconnecting… nothing is lost.' : busyWords(t)}</p>}
        {reason && <p class={t.state === 'failed' ? 'ended bad' : 'ended'}>{reason} {t.state !== 'completed' && <button type="button" class="quiet" disabled={busy} onClick={() => ask(t.question)}>Try again</button>}</p>}
      </article>
    )
  }
}

// busyWords says that long work goes on, where nothing else shows it.
function busyWords(t: TurnView) {
  const last = t.items.at(-1)
  if (last?.kind === 'text' && last.text) return null
  if (last?.kind === 'tool' && last.outcome === undefined) return null
  return <span key={t.items.length}>{t.items.length ? 'Thinking…' : 'Working…'} <Elapsed /></span>
}

// Display is what the assistant showed: rows, read again with the rights of now, or a link.
function Display({ call, view }: { call: string; view: View }) {
  return (
    <>
      {view.withheld && <p class="faint withheld">Withheld: your rights have changed since.{call && ' This is what you may read now:'}</p>}
      {call ? <ResultView call={call} view={view} /> : !view.withheld && <Page view={view} />}
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

// Page offers a page of the application: its whole address, opened by a click. One of this server is written out too.
function Page({ view }: { view: View }) {
  const to = String(view.link ?? '')
  const whole = /^\/(?![/\\])/.test(to) ? location.origin + to : to
  return <p><Link label={String(view.label ?? view.target ?? '')} href={whole} /> <span class="faint">opens in a new tab</span></p>
}
