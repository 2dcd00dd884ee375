// Talks to the server. The token lives in memory and in sessionStorage, never in a URL.

export interface Problem {
  status: number
  code: string
  detail: string
  proposal?: Proposal
  group?: Group
}

export class Refusal extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail)
  }
}

export interface Person {
  issuer: string
  id: string
  name: string
  zone?: string
}

export interface Ability {
  table: string
  label: string
  read: boolean | string[]
  create: boolean | string[]
  update: boolean | string[]
  delete: boolean
  limited: boolean
}

export interface Me {
  person: Person
  roles: string[]
  confirm: boolean
  audit: boolean
  operate: boolean
  words: string[]
  tables: Ability[]
  kill_switch: { all: boolean; reason: string; by: string; at: string | null } | null
  model: { name: string; provider: string; model: string; offline: boolean }
}

export interface Conversation {
  id: string
  title: string
  created_at: string
  updated_at: string
}

// Toolset is a group of tools that is switched on and off in a conversation.
export interface Toolset {
  name: string
  description: string
  active: boolean
  tools: string[]
}

export interface Part {
  type: string
  text?: string
  result?: { call: string; text: string; withheld?: boolean }
}

export interface Message {
  seq: number
  role: 'person' | 'model' | 'tool' | 'note'
  parts: Part[]
  turn: string | null
  at: string
}

export type State = 'pending' | 'confirming' | 'done' | 'failed' | 'unknown' | 'rejected' | 'expired' | 'stale'

export interface Change {
  table: string
  record: string | null
  record_label?: string
  verb: 'create' | 'update' | 'delete'
  field: string
  label: string
  before: string | null
  after: string | null
  before_label?: string
  after_label?: string
  source: 'person' | 'data' | 'model' | 'default' | null
}

export interface Proposal {
  id: string
  group: string
  position: number
  conversation: string
  turn: string
  tool: string
  state: State
  hash: string
  summary: string
  table: string
  record: string | null
  changes: Change[]
  warnings: string[]
  created_at: string
  expires_at: string
  decided_at: string | null
  outcome: string | null
  renewed: string | null
}

export interface Group {
  id: string
  state: State
  proposals: Proposal[]
}

export type Cell = string | number | boolean | null | object

export interface Column {
  name: string
  label: string
  type: string
}

export interface Result {
  columns: Column[]
  rows: Cell[][]
  truncated: boolean
  next: string | null
}

export interface Call {
  id: string
  at: string
  person: string
  turn: string
  phase: string
  tool: string
  operation: string
  outcome: string
  arguments: unknown
  returned: number
  truncated: boolean
  duration_ms: number
  error_code: string | null
}

export interface List<T> {
  items: T[]
  next: string | null
}

export interface DemoPerson {
  name: string
  token: string
  about: string
}

const key = 'deputy.token'
let token = sessionStorage.getItem(key) ?? ''

export function signedIn(): string {
  return token
}

export function signIn(value: string) {
  token = value
  if (value) sessionStorage.setItem(key, value)
  else sessionStorage.removeItem(key)
}

async function refusal(r: Response): Promise<Refusal> {
  try {
    const p = (await r.json()) as Problem
    return new Refusal({ ...p, status: r.status, code: p.code ?? 'internal', detail: p.detail ?? r.statusText })
  } catch {
    return new Refusal({ status: r.status, code: 'internal', detail: `The server answered ${r.status}.` })
  }
}

// onceKey names a request, so that a server which gets it twice does it once. It needs no secure context, as randomUUID does.
export function onceKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, '0')).join('')
}

// call makes a request; what is refused is thrown as a Refusal, a lost line as a TypeError.
export async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> {
  const h: Record<string, string> = { Authorization: `Bearer ${token}`, ...headers }
  if (body !== undefined) h['Content-Type'] = 'application/json'
  if (method === 'POST') h['Idempotency-Key'] ??= onceKey()
  const r = await fetch(path, { method, headers: h, body: body === undefined ? undefined : JSON.stringify(body), signal, cache: 'no-store', credentials: 'omit', redirect: 'error' })
  if (!r.ok) throw await refusal(r)
  return r
}

export async function json<T>(method: string, path: string, body?: unknown): Promise<T> {
  const r = await call(method, path, body)
  return (r.status === 204 ? undefined : await r.json()) as T
}

export const get = <T,>(path: string) => json<T>('GET', path)

export async function demoPeople(): Promise<DemoPerson[]> {
  if (document.documentElement.dataset.demo !== 'true') return []
  try {
    return ((await (await fetch('/demo/people')).json()) as List<DemoPerson>).items
  } catch {
    return []
  }
}

// all reads a list to its end, at most so many pages.
export async function all<T>(path: string, pages: number): Promise<T[]> {
  const out: T[] = []
  let after: string | null = ''
  for (let n = 0; after !== null && n < pages; n++) {
    const l: List<T> = await get(path + (path.includes('?') ? '&' : '?') + 'limit=200' + (after && `&after=${after}`))
    out.push(...l.items)
    after = l.next
  }
  return out
}

// sentence is what a person reads of anything that went wrong.
export function sentence(e: unknown): string {
  if (e instanceof Refusal) return e.message
  if (unreachable(e)) return 'The server does not answer. Check that it runs, then try again.'
  return 'Something went wrong on this page. Reload it.'
}

// unreachable says whether no answer came at all.
export const unreachable = (e: unknown) => e instanceof TypeError

// save hands a file to the browser: a link could not carry the token.
export async function save(path: string, name: string) {
  const url = URL.createObjectURL(await (await call('GET', path)).blob())
  const a = document.createElement('a')
  a.href = url
  a.download = name
  a.click()
  URL.revokeObjectURL(url)
}
