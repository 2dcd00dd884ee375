// A table of rows: sorted by any column, columns hidden, cells copied.
import { useState } from 'preact/hooks'
import type { Cell } from './api'
import { CellOf, heading, numeric, plain, type Shown } from './value'

export interface Order {
  at: number
  down: boolean
}

interface TableProps {
  label: string
  shown: Shown[]
  rows: Cell[][]
  order: Order | null
  sort: (at: number) => void
}

// classOf: numbers stand at the right; only what is long is broken into lines.
function classOf(s: Shown, row?: Cell[]): string {
  if (numeric(s.column) && s.label < 0) return 'num'
  const v = row?.[s.label >= 0 ? s.label : s.at]
  return v !== undefined && plain(v).length > 80 ? 'long' : ''
}

export function Table({ label, shown, rows, order, sort }: TableProps) {
  const [picked, setPicked] = useState<{ r: number; c: number } | null>(null)
  if (!rows.length) return <p class="faint">No rows.</p>
  const move = (e: KeyboardEvent) => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[e.key]
    if (e.key === 'Escape' && picked) {
      e.stopPropagation()
      setPicked(null)
    }
    if (!step || e.target !== e.currentTarget) return
    e.preventDefault()
    const within = (n: number, end: number) => Math.max(0, Math.min(end - 1, n))
    setPicked(picked ? { r: within(picked.r + step[0], rows.length), c: within(picked.c + step[1], shown.length) } : { r: 0, c: 0 })
  }
  return (
    <div class={shown.length > 6 ? 'scroll wide' : 'scroll'} tabIndex={0} role="region" aria-label={label} onKeyDown={move}>
      <table>
        <thead>
          <tr>{shown.map((s) => <Head key={s.at} s={s} order={order} sort={sort} />)}</tr>
        </thead>
        <tbody>
          {rows.map((row, r) => (
            <tr key={r}>{shown.map((s, c) => {
              const on = picked?.r === r && picked.c === c
              return <td key={s.at} class={classOf(s, row) + (on ? ' picked' : '')} onClick={() => setPicked({ r, c })}><CellOf s={s} row={row} />{on && <Copy value={row[s.label >= 0 ? s.label : s.at]} />}</td>
            })}</tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Head({ s, order, sort }: { s: Shown; order: Order | null; sort: (at: number) => void }) {
  const mine = order?.at === s.at ? (order.down ? 'descending' : 'ascending') : 'none'
  return (
    <th scope="col" class={classOf(s)} aria-sort={mine}>
      <button type="button" class="sort" onClick={() => sort(s.at)} title="Sort by this column">{heading(s.column)}<span class="way" aria-hidden="true">{mine === 'none' ? '' : mine === 'ascending' ? ' ↑' : ' ↓'}</span></button>
    </th>
  )
}

// Copy takes the exact value of a cell along. It comes into view, for the keyboard may have led here.
function Copy({ value }: { value: Cell }) {
  const [done, setDone] = useState('')
  const copy = async (e: Event) => {
    e.stopPropagation()
    try {
      await navigator.clipboard.writeText(plain(value))
      setDone('Copied')
    } catch {
      setDone('Not copied')
    }
  }
  return <button type="button" class="copy" ref={(b) => b?.scrollIntoView({ block: 'nearest', inline: 'nearest' })} onClick={copy}><span role="status">{done || 'Copy'}</span></button>
}

// few is how many columns are left of a wide table at once.
const few = 6

// Columns is the menu that hides columns and brings them back.
export function Columns({ shown, hidden, toggle, only }: { shown: Shown[]; hidden: Set<number>; toggle: (at: number) => void; only: (first: number) => void }) {
  const close = (e: KeyboardEvent & { currentTarget: HTMLDetailsElement }) => {
    if (e.key !== 'Escape' || !e.currentTarget.open) return
    e.stopPropagation()
    e.currentTarget.open = false
    e.currentTarget.querySelector('summary')?.focus()
  }
  return (
    <details class="menu" onKeyDown={close}>
      <summary>Columns{hidden.size > 0 && ` (${hidden.size} hidden)`}</summary>
      <div class="choices" role="group" aria-label="Columns that are shown">
        {shown.length > few && <span><button type="button" onClick={() => only(few)}>First {few}</button> <button type="button" onClick={() => only(shown.length)}>All</button></span>}
        {shown.map((s) => (
          <label key={s.at}><input type="checkbox" checked={!hidden.has(s.at)} disabled={!hidden.has(s.at) && hidden.size === shown.length - 1} onChange={() => toggle(s.at)} /> {heading(s.column)}</label>
        ))}
      </div>
    </details>
  )
}
