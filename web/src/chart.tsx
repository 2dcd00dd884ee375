// What may be drawn of the rows of a call: bars, a pie, a line, one number, one record, a list.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Cell, Column } from './api'
import type { View } from './turn'
import { CellOf, heading, inWords, shownColumns, Value } from './value'

export interface Drawing {
  columns: Column[]
  rows: Cell[][]
  view: View
}

// bars are how many of them are drawn before somebody asks for all; slices are how many a pie can show apart.
const bars = 40
const slices = 12

// drawn are the rows that a chart begins with, and whether there are more of them.
export function drawn(view: View, rows: Cell[][]): [Cell[][], boolean] {
  return view.view === 'line' || rows.length <= bars ? [rows, false] : [rows.slice(0, bars), true]
}

export function BigNumber({ columns, rows, view }: Drawing) {
  const at = Math.max(columns.findIndex((c) => c.name === view.y?.[0]), 0)
  return <p class="number"><Value value={rows[0][at]} type={columns[at].type} /> <span class="faint">{heading(columns[at])}</span></p>
}

export function Record({ columns, rows, view }: Drawing) {
  return (
    <dl class="record">
      {shownColumns(columns, view.columns).map((s) => (
        <div key={s.at}><dt>{heading(s.column)}</dt><dd><CellOf s={s} row={rows[0]} /></dd></div>
      ))}
    </dl>
  )
}

export function RowList({ columns, rows, view }: Drawing) {
  const [first, ...others] = shownColumns(columns, view.columns)
  return (
    <ul class="rows">
      {rows.map((row, i) => (
        <li key={i}><CellOf s={first} row={row} />{others.map((s) => <span key={s.at} class="faint"> · <CellOf s={s} row={row} /></span>)}</li>
      ))}
    </ul>
  )
}

interface Axes {
  x: number
  label: number // what the points are called by
  ys: number[]
}

function axes({ columns, view }: Drawing): Axes {
  const find = (name?: string) => columns.findIndex((c) => c.name === name)
  const x = Math.max(find(view.x), 0)
  const label = find(columns[x].name + '.label')
  const ys = (view.y ?? []).map(find).filter((i) => i >= 0)
  return { x, label: label >= 0 ? label : x, ys: ys.length ? ys : [columns.length - 1] }
}

const size = (v: Cell) => Number(v) || 0

export function Chart(d: Drawing) {
  const a = axes(d)
  if (d.view.view === 'line') return <Lines d={d} a={a} />
  const values = d.rows.map((r) => size(r[a.ys[0]]))
  if (d.view.view === 'pie' && d.rows.length <= slices && values.every((v) => v >= 0) && values.some((v) => v > 0)) return <Pie d={d} a={a} />
  return <>{a.ys.map((y) => <Bars key={y} d={d} a={a} y={y} />)}</>
}

// spoken is a chart as a sentence, for who cannot see it; the table is one button away.
function spoken(d: Drawing, a: Axes, y: number): string {
  const points = d.rows.slice(0, bars).map((r) => `${inWords(r[a.label], d.columns[a.label].type)} ${inWords(r[y], d.columns[y].type)}`)
  return `${heading(d.columns[y])}: ${points.join(', ')}${d.rows.length > bars ? ', and more' : ''}`
}

function Bars({ d, a, y }: { d: Drawing; a: Axes; y: number }) {
  const values = d.rows.map((r) => size(r[y]))
  const least = Math.min(0, ...values)
  const span = Math.max(0, ...values) - least || 1
  const place = (v: number) => ({ left: `${(100 * (Math.min(v, 0) - least)) / span}%`, width: `${(100 * Math.abs(v)) / span}%` })
  return (
    <div class="bars" role="img" aria-label={spoken(d, a, y)}>
      <p class="faint">{heading(d.columns[y])}</p>
      {d.rows.map((r, i) => (
        <div key={i} class="bar">
          <span class="name" title={inWords(r[a.label], d.columns[a.label].type)}><Value value={r[a.label]} type={d.columns[a.label].type} /></span>
          <span class="track"><span class={values[i] < 0 ? 'fill negative' : 'fill'} style={place(values[i])} /></span>
          <span class="num"><Value value={r[y]} type={d.columns[y].type} /></span>
        </div>
      ))}
    </div>
  )
}

function Pie({ d, a }: { d: Drawing; a: Axes }) {
  const y = a.ys[0]
  const values = d.rows.map((r) => size(r[y]))
  const sum = values.reduce((n, v) => n + v, 0)
  let from = 0
  const parts = values.map((v) => {
    const start = from
    from += v / sum
    return { start, end: from, share: v / sum }
  })
  return (
    <div class="pie">
      <svg viewBox="-1.02 -1.02 2.04 2.04" role="img" aria-label={spoken(d, a, y)}>
        {parts.map((p, i) => p.share > 0 && (p.share > 0.9999 ? <circle key={i} r="1" class={`s${i}`} /> : <path key={i} class={`s${i}`} d={slice(p.start, p.end)} />))}
      </svg>
      <div>
        <p class="faint">{heading(d.columns[y])}</p>
        <ul>
          {d.rows.map((r, i) => (
            <li key={i}><span class={`mark s${i}`} aria-hidden="true" /><span class="name"><Value value={r[a.label]} type={d.columns[a.label].type} /></span><span class="num"><Value value={r[y]} type={d.columns[y].type} /></span><span class="num faint">{share(parts[i].share)}</span></li>
          ))}
        </ul>
      </div>
    </div>
  )
}

const share = (n: number) => `${(100 * n).toFixed(n > 0 && n < 0.1 ? 1 : 0)} %`

function slice(start: number, end: number): string {
  const at = (n: number) => `${Math.sin(2 * Math.PI * n).toFixed(5)} ${(-Math.cos(2 * Math.PI * n)).toFixed(5)}`
  return `M0 0L${at(start)}A1 1 0 ${end - start > 0.5 ? 1 : 0} 1 ${at(end)}Z`
}

// Lines draws over time or over numbers in order; anything else it draws in the order of the rows.
function Lines({ d, a }: { d: Drawing; a: Axes }) {
  const box = useRef<HTMLDivElement>(null)
  const [failed, setFailed] = useState(false)
  useEffect(() => {
    let stop = () => {}
    let gone = false
    import('./line').then((m) => { if (!gone && box.current) stop = m.draw(box.current, d.columns, d.rows, a) }, () => setFailed(true))
    return () => { gone = true; stop() }
  }, [d.rows])
  if (failed) return <>{a.ys.map((y) => <Bars key={y} d={d} a={a} y={y} />)}</>
  return (
    <div class="lines-chart">
      {a.ys.length > 1 && <ul class="legend">{a.ys.map((y, i) => <li key={y}><span class={`mark s${i}`} aria-hidden="true" /> {heading(d.columns[y])}</li>)}</ul>}
      {a.ys.length === 1 && <p class="faint">{heading(d.columns[a.ys[0]])}</p>}
      <div class="plot" ref={box} role="img" aria-label={a.ys.map((y) => spoken(d, a, y)).join('. ')} />
    </div>
  )
}
