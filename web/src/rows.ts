// The rows of a call, read again by its id: a page at a time, or the whole handle where something must be known of all of them.
import { useEffect, useRef, useState } from 'preact/hooks'
import { get, sentence, type Cell, type Column, type Result } from './api'

// size is how many rows are shown at once; most is how many one request may give.
export const size = 20
const most = 200

export interface Rows {
  columns: Column[]
  rows: Cell[][] // of the page
  first: number // place of the first of them
  total: number | null // null: not known yet
  truncated: boolean // the handle itself is cut
  page: number
  last: boolean
  busy: boolean
  whole: boolean
  at: string
  error: string
  go: (page: number) => void
  readWhole: () => void
}

const path = (call: string, limit: number, after: string) => `/v1/tool-calls/${call}/result?limit=${limit}${after && `&after=${after}`}`

// readAll reads a handle to its end.
async function readAll(call: string): Promise<Result> {
  let out: Result | null = null
  for (let after: string | null = ''; after !== null; ) {
    const r: Result = await get(path(call, most, after))
    out = out ? { ...r, rows: [...out.rows, ...r.rows] } : r
    after = r.next
  }
  return out!
}

interface State {
  pages: Result[] // in order, as far as they were read
  whole: Result | null
  error: string
  at: string
}

// useRows reads a call's rows; order, where given, sorts the whole of them.
export function useRows(call: string, startWhole: boolean, order: ((a: Cell[], b: Cell[]) => number) | null): Rows | null {
  const [s, set] = useState<State>({ pages: [], whole: null, error: '', at: '' })
  const [page, setPage] = useState(0)
  const [busy, setBusy] = useState(true)
  const gone = useRef(false)
  const sorted = useRef<{ of: Result; order: unknown; rows: Cell[][] } | null>(null)

  const load = async (f: () => Promise<Partial<State>>) => {
    setBusy(true)
    try {
      const patch = await f()
      if (!gone.current) set((old) => ({ ...old, error: '', at: old.at || new Date().toISOString(), ...patch }))
    } catch (e) {
      if (!gone.current) set((old) => ({ ...old, error: sentence(e) }))
    }
    if (!gone.current) setBusy(false)
  }
  const readWhole = () => void load(async () => ({ whole: await readAll(call) }))
  const readPage = (after: string) => void load(async () => {
    const r = await get<Result>(path(call, size, after))
    return { pages: [...s.pages, r] }
  })
  useEffect(() => {
    gone.current = false
    if (startWhole) readWhole()
    else readPage('')
    return () => { gone.current = true }
  }, [call])

  const go = (to: number) => {
    if (!s.whole && to >= s.pages.length) {
      const after = s.pages.at(-1)?.next
      if (!after) return
      readPage(after)
    }
    setPage(to)
  }

  const head = s.whole ?? s.pages[0]
  if (!head) return s.error ? blank(s.error) : null
  if (s.whole) {
    if (sorted.current?.of !== s.whole || sorted.current.order !== order) sorted.current = { of: s.whole, order, rows: order ? [...s.whole.rows].sort(order) : s.whole.rows }
    const all = sorted.current.rows
    const first = page * size
    return { columns: head.columns, rows: startWhole ? all : all.slice(first, first + size), first: startWhole ? 0 : first, total: all.length, truncated: s.whole.truncated, page, last: first + size >= all.length, busy, whole: true, at: s.at, error: s.error, go, readWhole }
  }
  const now = s.pages[Math.min(page, s.pages.length - 1)]
  const at = Math.min(page, s.pages.length - 1)
  const last = now.next === null
  return { columns: head.columns, rows: now.rows, first: at * size, total: last ? at * size + now.rows.length : null, truncated: now.truncated, page: at, last, busy, whole: false, at: s.at, error: s.error, go, readWhole }
}

const blank = (error: string): Rows => ({ columns: [], rows: [], first: 0, total: 0, truncated: false, page: 0, last: true, busy: false, whole: false, at: '', error, go: () => {}, readWhole: () => {} })

// compare orders two cells of a column; what is missing comes last whatever the direction.
export function compare(type: string, down: boolean): (a: Cell, b: Cell) => number {
  const by = type === 'int' || type === 'decimal' ? numbers : type === 'boolean' || type === 'bool' ? bools : texts()
  return (a, b) => {
    if (a === null || a === undefined) return b === null || b === undefined ? 0 : 1
    if (b === null || b === undefined) return -1
    return down ? by(b, a) : by(a, b)
  }
}

const bools = (a: Cell, b: Cell) => Number(a) - Number(b)

function texts() {
  const c = new Intl.Collator(undefined, { numeric: true })
  const text = (v: Cell) => (typeof v === 'object' ? JSON.stringify(v) : String(v))
  return (a: Cell, b: Cell) => c.compare(text(a), text(b))
}

// numbers compares exactly: a decimal is a text with as many digits as it likes.
export function numbers(a: Cell, b: Cell): number {
  const n = Number(a) - Number(b)
  if (n !== 0 && !Number.isNaN(n)) return n
  const [x, y] = [digits(String(a)), digits(String(b))]
  const width = Math.max(x.fraction.length, y.fraction.length)
  const [m, k] = [BigInt(x.sign + x.whole + x.fraction.padEnd(width, '0')), BigInt(y.sign + y.whole + y.fraction.padEnd(width, '0'))]
  return m < k ? -1 : m > k ? 1 : 0
}

function digits(s: string) {
  const m = /^(-?)(\d*)(?:\.(\d*))?$/.exec(s)
  return m ? { sign: m[1], whole: m[2] || '0', fraction: m[3] ?? '' } : { sign: '', whole: '0', fraction: '' }
}
