import { useEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks'
import { demoPeople, signedIn, signIn, type DemoPerson } from './api'
import { Conversations, Panel } from './aside'
import { Desk } from './desk'
import { Log } from './log'
import { Talk } from './talk'

export const assistant = document.documentElement.dataset.name || 'Deputy'

export function App() {
  const [token, setToken] = useState(signedIn())
  const [people, setPeople] = useState<DemoPerson[] | null>(null)
  const [message, setMessage] = useState('')
  useEffect(() => {
    void demoPeople().then((ps) => {
      setPeople(ps)
      if (ps.length && !signedIn()) become(ps[0].token)
    })
  }, [])
  const become = (t: string) => {
    signIn(t)
    setMessage('')
    setToken(t)
  }
  const leave = (why: string) => {
    signIn('')
    setMessage(why)
    setToken('')
  }
  if (people === null) return null
  if (!token) return <SignIn people={people} message={message} become={become} />
  return <Room key={token} people={people} token={token} become={(t) => { history.replaceState(null, '', location.pathname); become(t) }} leave={leave} />
}

function SignIn({ people, message, become }: { people: DemoPerson[]; message: string; become: (t: string) => void }) {
  const [value, setValue] = useState('')
  return (
    <main class="signin">
      <h1>{assistant}</h1>
      <form onSubmit={(e) => { e.preventDefault(); if (value.trim()) become(value.trim()) }}>
        <label for="token">Access token</label>
        <input id="token" type="password" autocomplete="off" spellcheck={false} value={value} onInput={(e) => setValue(e.currentTarget.value)} autofocus />
        <button type="submit" class="primary" disabled={!value.trim()}>Sign in</button>
      </form>
      <p class="faint">Your operator gives it to you. It is kept in this tab until you close it.</p>
      {message && <p class="bad" role="alert">{message}</p>}
      {people.length > 0 && <><h2>Or be one of the demo’s people</h2><ul class="people">{people.map((p) => <li key={p.token}><button type="button" onClick={() => become(p.token)}>{p.name}</button> <span class="faint">{p.about}</span></li>)}</ul></>}
    </main>
  )
}

interface RoomProps {
  people: DemoPerson[]
  token: string
  become: (token: string) => void
  leave: (why: string) => void
}

// useDesk draws again when the desk changes, at most once a frame.
function useDesk(leave: (why: string) => void): Desk {
  const desk = useMemo(() => new Desk(leave), [])
  const [, draw] = useReducer((n: number) => n + 1, 0)
  useEffect(() => {
    let frame = 0
    const stop = desk.subscribe(() => {
      if (!frame) frame = requestAnimationFrame(() => { frame = 0; draw(undefined as never) })
    })
    void desk.start()
    return () => { stop(); cancelAnimationFrame(frame); desk.close() }
  }, [])
  return desk
}

function Room({ people, token, become, leave }: RoomProps) {
  const desk = useDesk(leave)
  const s = desk.state
  const [sheet, setSheet] = useState<'' | 'left' | 'right'>('')
  const box = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    const key = (e: KeyboardEvent) => {
      const typing = e.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName)
      if (e.key === '/' && !typing && !e.ctrlKey && !e.metaKey && !e.altKey) { e.preventDefault(); box.current?.focus() }
      if (e.key === 'Escape') { setSheet(''); void desk.stop() }
    }
    addEventListener('keydown', key)
    return () => removeEventListener('keydown', key)
  }, [])
  const toggle = (which: 'left' | 'right') => setSheet(sheet === which ? '' : which)
  return (
    <div class={`room ${sheet}`}>
      <a class="skip" href="#ask" onClick={(e) => { e.preventDefault(); box.current?.focus() }}>To the question box</a>
      <nav class="narrow">
        <button type="button" aria-expanded={sheet === 'left'} onClick={() => toggle('left')}>Conversations</button>
        <strong>{assistant}</strong>
        <button type="button" aria-expanded={sheet === 'right'} onClick={() => toggle('right')}>To confirm{s.inbox.length ? ` (${s.inbox.length})` : ''}</button>
      </nav>
      <Conversations desk={desk} people={people} token={token} become={become} leave={() => leave('')} picked={() => setSheet('')} />
      {s.view === 'log' ? <Log desk={desk} /> : <Talk desk={desk} box={box} />}
      <Panel desk={desk} picked={() => setSheet('')} />
      <div class="sr" role="status" aria-live="polite">{s.announce}</div>
    </div>
  )
}
