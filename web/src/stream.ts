// Reads the events of a turn, and goes on after a lost line.
import { call, Refusal } from './api'

export interface TurnEvent {
  id: number
  name: string
  data: any
}

// silence is how long nothing may come (a comment line comes every 15 s) before the line counts as lost.
const silence = 40_000

async function* read(r: Response, abort: AbortController): AsyncGenerator<TurnEvent> {
  const reader = r.body!.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const timer = setTimeout(() => abort.abort(), silence)
    const { done, value } = await reader.read().finally(() => clearTimeout(timer))
    if (done) return
    const blocks = (rest + value).split('\n\n')
    rest = blocks.pop()!
    for (const block of blocks) {
      const e = parse(block)
      if (e) yield e
    }
  }
}

function parse(block: string): TurnEvent | null {
  let id = 0
  let name = ''
  const data: string[] = []
  for (const line of block.split('\n')) {
    if (line.startsWith('id: ')) id = Number(line.slice(4))
    else if (line.startsWith('event: ')) name = line.slice(7)
    else if (line.startsWith('data: ')) data.push(line.slice(6))
  }
  return data.length ? { id, name, data: JSON.parse(data.join('\n')) } : null
}

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms))

interface Following {
  event: (e: TurnEvent) => void
  lost: (lost: boolean) => void
  gone: () => boolean // nobody looks any more
}

async function attempt(r: Response, abort: AbortController, f: Following, at: { id: number; turn: string }): Promise<boolean> {
  for await (const e of read(r, abort)) {
    if (f.gone()) return true
    f.lost(false)
    at.id = e.id
    if (e.name === 'turn.started') at.turn = e.data.turn
    f.event(e)
    if (e.name === 'turn.finished') return true
  }
  return false
}

interface Beginning {
  start: () => Promise<Response>
  find: () => Promise<string> // the turn that was started, where the line was lost before its id came; empty: none was
}

// patience is how often a server that does not answer is asked whether a turn began.
const patience = 6

// run starts a turn (when begin is given) or follows one, until it is finished. Thrown are a refusal, and a turn that did not begin.
async function run(turn: string, begin: Beginning | null, f: Following) {
  const at = { id: 0, turn }
  let sent = false
  for (let tries = 0; !f.gone(); ) {
    const abort = new AbortController()
    const before = at.id
    try {
      if (begin && sent && !at.turn) at.turn = await begin.find()
      if (begin && sent && !at.turn) throw new Lost()
      const first = begin && !sent
      sent = true
      const r = first ? await begin.start() : await call('GET', `/v1/turns/${at.turn}/events`, undefined, at.id ? { 'Last-Event-ID': String(at.id) } : {}, abort.signal)
      if (await attempt(r, abort, f, at)) return
    } catch (e) {
      if (e instanceof Lost || (e instanceof Refusal && (e.problem.status < 500 || !at.turn))) throw e
      if (!at.turn && tries >= patience) throw e
    } finally {
      abort.abort()
    }
    if (f.gone()) return
    f.lost(true)
    tries = at.id > before ? 0 : tries + 1
    await pause(Math.min(500 * 2 ** tries, 8000))
  }
}

// Lost says that a message did not reach the server.
export class Lost extends Error {}

export function say(conversation: string, text: string, key: string, find: () => Promise<string>, f: Following) {
  const start = () => call('POST', `/v1/conversations/${conversation}/turns`, { text }, { Accept: 'text/event-stream', 'Idempotency-Key': key })
  return run('', { start, find }, f)
}

export function follow(turn: string, f: Following) {
  return run(turn, null, f)
}
