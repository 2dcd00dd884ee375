// The left side: conversations, found, renamed and deleted; and who is signed in.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Conversation, DemoPerson } from './api'
import type { Desk } from './desk'
import { assistant } from './name'
import { day, plainly } from './text'

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
      <button type="button" class="new" onClick={() => { desk.fresh(); picked() }}>New conversation</button>
      <Search desk={desk} />
      <div class="conversations">
        {s.conversations === null && !s.down && <p class="faint hint">Reading…</p>}
        {s.conversations?.length === 0 && <p class="faint hint">{s.term ? `No title has “${s.term}”.` : 'No conversation yet. What you ask is kept here.'}</p>}
        {byDay(s.conversations ?? []).map(([label, items]) => (
          <section key={label}>
            <h2>{label}</h2>
            {items.map((c) => <Row key={c.id} c={c} desk={desk} open={() => { void desk.open(c.id); picked() }} />)}
          </section>
        ))}
        {s.more && <button type="button" class="item faint" onClick={() => void desk.moreConversations().catch((e) => desk.failed(e))}>Older…</button>}
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
            <span>{plainly(s.me?.person.name || s.me?.person.id || '')}</span> <button type="button" class="quiet" onClick={leave}>Sign out</button>
          </>
        )}
      </div>
    </aside>
  )
}

// Search looks as one types, once the typing rests.
function Search({ desk }: { desk: Desk }) {
  const timer = useRef(0)
  useEffect(() => () => clearTimeout(timer.current), [])
  const look = (term: string) => {
    clearTimeout(timer.current)
    timer.current = window.setTimeout(() => void desk.search(term.trim()), 200)
  }
  return <input class="search" type="search" aria-label="Find a conversation by its title" placeholder="Find a conversation" onInput={(e) => look(e.currentTarget.value)} />
}

type Mode = '' | 'menu' | 'rename' | 'delete'

function Row({ c, desk, open }: { c: Conversation; desk: Desk; open: () => void }) {
  const [mode, setMode] = useState<Mode>('')
  const more = useRef<HTMLButtonElement>(null)
  const s = desk.state
  const title = plainly(c.title) || 'Untitled'
  const returning = useRef(false)
  const back = () => {
    returning.current = true
    setMode('')
  }
  useEffect(() => {
    if (mode === '' && returning.current) more.current?.focus()
    returning.current = false
  }, [mode])
  const escape = (e: KeyboardEvent) => {
    if (e.key !== 'Escape' || mode === '') return
    e.stopPropagation()
    back()
  }
  return (
    <div class="conversation" onKeyDown={escape}>
      {mode === 'rename' ? <Rename c={c} desk={desk} done={back} /> : (
        <div class={c.id === s.current && s.view === 'talk' ? 'line current' : 'line'}>
          <button type="button" class="item" aria-current={c.id === s.current ? 'true' : undefined} title={title} onClick={open}>{title}</button>
          <button type="button" class="more" ref={more} aria-label={`More for ${title}`} aria-expanded={mode !== ''} onClick={() => setMode(mode ? '' : 'menu')}>⋯</button>
        </div>
      )}
      {mode === 'menu' && <div class="choice"><button type="button" onClick={() => setMode('rename')}>Rename</button> <button type="button" onClick={() => setMode('delete')}>Delete</button></div>}
      {mode === 'delete' && (
        <div class="choice" role="group" aria-label={`Delete ${title}`}>
          <p class="faint">Delete it with all that was said? The log of calls stays.</p>
          <button type="button" class="danger" onClick={() => void desk.remove(c.id)}>Delete</button> <button type="button" ref={(b) => b?.focus()} onClick={back}>Keep</button>
        </div>
      )}
    </div>
  )
}

function Rename({ c, desk, done }: { c: Conversation; desk: Desk; done: () => void }) {
  const box = useRef<HTMLInputElement>(null)
  useEffect(() => box.current?.select(), [])
  const save = async (e: Event) => {
    e.preventDefault()
    const title = box.current!.value.trim()
    if (title && title !== c.title) await desk.rename(c.id, title)
    done()
  }
  return (
    <form class="rename" onSubmit={save}>
      <input ref={box} aria-label="New title" maxLength={200} defaultValue={c.title} />
      <button type="submit">Save</button>
    </form>
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
