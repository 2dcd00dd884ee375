import { useEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks'
import { demoPeople, signedIn, signIn, type DemoPerson } from './api'
import { Conversations } from './conversations'
import { Desk } from './desk'
import { Help, useKeys } from './keys'
import { Log } from './log'
import { assistant } from './name'
import { Panel } from './panel'
import { Talk } from './talk'

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
    if (!why) history.replaceState(null, '', location.pathname) // who comes next does not begin in this conversation
    signIn('')
    setMessage(why)
    setToken('')
  }
  if (people === null) return null
  if (!token) return <SignIn people={people} message={message} become={become} />
  return <Room key={token} people={people} token={token} become={(t) => { history.replaceState(null, '', location.pathname); become(t) }} leave={leave} />
}

// header is what a request can carry as a token; a quotation mark that came along with it, it cannot.
const header = /^[\x21-\x7e]+$/

function SignIn({ people, message, become }: { people: DemoPerson[]; message: string; become: (t: string) => void }) {
  const [value, setValue] = useState('')
  const [odd, setOdd] = useState(false)
  const enter = (e: Event) => {
    e.preventDefault()
    const token = value.trim()
    setOdd(token !== '' && !header.test(token))
    if (header.test(token)) become(token)
  }
  return (
    <main class="signin">
      <h1>{assistant}</h1>
      <form onSubmit={enter}>
        <label for="token">Access token</label>
        <input id="token" type="password" autocomplete="off" spellcheck={false} value={value} onInput={(e) => setValue(e.currentTarget.value)} autofocus />
        <button type="submit" class="primary" disabled={!value.trim()}>Sign in</button>
      </form>
      <p class="faint">Your operator gives it to you. It is kept in this tab until you close it.</p>
      {(odd || message) && <p class="bad" role="alert">{odd ? 'A token has no blanks and no such letters: copy it again.' : message}</p>}
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
  const [help, setHelp] = useState(false)
  const box = useRef<HTMLTextAreaElement>(null)
  useKeys({
    ask: () => box.current?.focus(),
    help: () => setHelp(true),
    escape: () => {
      if (sheet) setSheet('')
      else if (desk.state.turns.some((t) => t.state === 'running')) void desk.stop()
      else if (document.activeElement === box.current) box.current?.blur()
    },
  })
  useEffect(() => {
    const look = () => { if (document.visibilityState === 'visible') void desk.refresh().then((up) => (up ? desk.sync() : undefined)) }
    const lost = () => desk.failed(new TypeError('offline'))
    const timer = setInterval(() => { if (document.visibilityState === 'visible' && !desk.state.down) void desk.refresh() }, 60_000) // what other doors proposed
    document.addEventListener('visibilitychange', look)
    addEventListener('online', look)
    addEventListener('offline', lost)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', look)
      removeEventListener('online', look)
      removeEventListener('offline', lost)
    }
  }, [])
  const toggle = (which: 'left' | 'right') => setSheet(sheet === which ? '' : which)
  return (
    <div class={sheet ? `room with-${sheet}` : 'room'}>
      {s.view === 'talk' && <a class="skip" href="#ask" onClick={(e) => { e.preventDefault(); box.current?.focus() }}>To the question box</a>}
      <nav class="narrow" aria-label="Sheets">
        <button type="button" aria-expanded={sheet === 'left'} onClick={() => toggle('left')}>Conversations</button>
        <h1>{assistant}</h1>
        <button type="button" aria-expanded={sheet === 'right'} onClick={() => toggle('right')}>To confirm{s.inbox.length ? ` (${s.inbox.length})` : ''}</button>
      </nav>
      <Conversations desk={desk} people={people} token={token} become={become} leave={() => leave('')} picked={() => setSheet('')} />
      {s.view === 'log' ? <Log desk={desk} /> : <Talk desk={desk} box={box} />}
      <Panel desk={desk} picked={() => setSheet('')} help={() => setHelp(true)} />
      <div class="sr" role="status" aria-live="polite">{s.announce}</div>
      {help && <Help close={() => setHelp(false)} />}
    </div>
  )
}
