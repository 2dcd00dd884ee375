// One cell, and which columns of a result are shown.
import type { Cell, Column } from './api'
import { moment, plainly } from './text'

export interface Shown {
  column: Column
  at: number
  label: number // the column with the label of this one; -1 where there is none
}

// shownColumns puts a label column together with the id that it names.
export function shownColumns(columns: Column[], wanted?: unknown[]): Shown[] {
  const names = (wanted ?? []).map((w) => (typeof w === 'string' ? w : (w as Column | null)?.name)).filter((n) => typeof n === 'string')
  const picked = names.length ? names : columns.map((c) => c.name)
  const find = (name: string) => columns.findIndex((c) => c.name === name)
  return picked
    .filter((n) => find(n) >= 0 && !(n.endsWith('.label') && picked.includes(n.slice(0, -6))))
    .map((n) => ({ column: columns[find(n)], at: find(n), label: find(n + '.label') }))
}

export const numeric = (c: Column) => c.type === 'int' || c.type === 'decimal'

export const heading = (c: Column) => plainly(c.label || c.name)

// plain is a cell as the text that a copy takes along.
export function plain(value: Cell): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

// grouped puts commas between the thousands of a decimal; a whole number may be an id and stays as it is.
export function grouped(value: string): string {
  const m = /^(-?\d{4,})(\.\d+)?$/.exec(value)
  return m ? m[1].replace(/\B(?=(\d{3})+$)/g, ',') + (m[2] ?? '') : value
}

export function Value({ value, type }: { value: Cell; type: string }) {
  if (value === null || value === undefined) return <span class="null" title="no value">–</span>
  if (type === 'timestamp' && typeof value === 'string') return <time title={value} datetime={value}>{moment(value)}</time>
  if (typeof value === 'object') return <code>{plainly(JSON.stringify(value))}</code>
  if (typeof value === 'boolean') return <>{value ? 'yes' : 'no'}</>
  if (type === 'decimal') return <>{grouped(String(value))}</>
  return <bdi>{plainly(String(value))}</bdi>
}

export function CellOf({ s, row }: { s: Shown; row: Cell[] }) {
  const label = s.label >= 0 ? row[s.label] : null
  if (label === null || label === undefined) return <Value value={row[s.at]} type={s.column.type} />
  return <><bdi>{plainly(String(label))}</bdi> <span class="id">{plainly(plain(row[s.at]))}</span></>
}

// inWords is a cell as the words that a chart says of it.
export function inWords(value: Cell, type: string): string {
  if (value === null || value === undefined) return 'none'
  if (type === 'timestamp' && typeof value === 'string') return moment(value)
  return type === 'decimal' ? grouped(String(value)) : plainly(plain(value))
}
