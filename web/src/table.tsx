// Results: rows of a call, read again by its id, a page at a time.
import { useEffect, useState } from 'preact/hooks'
import { get, save, sentence, type Cell, type Column, type Result } from './api'
import { clock, moment, plainly, plural } from './text'
import type { View } from './turn'

const size = 20

interface Shown {
  column: Column
  at: number
  label: number // the column with the label of this one; -1 where there is none
}

// shownColumns puts a label column together with the id that it names.
function shownColumns(columns: Column[], wanted?: unknown[]): Shown[] {
  const names = (wanted ?? []).filter((w): w is string => typeof w === 'string')
  const picked = names.length ? names : columns.map((c) => c.name)
  const find = (name: string) => columns.findIndex((c) => c.name === name)
  return picked
    .filter((n) => find(n) >= 0 && !(n.endsWith('.label') && picked.includes(n.slice(0, -6))))
    .map((n) => ({ column: columns[find(n)], at: find(n), label: find(n + '.label') }))
}

const numeric = (c: Column) => c.type === 'int' || c.type === 'decimal'

export function Value({ value, type }: { value: Cell; type: string }) {
  if (value === null || value === undefined) return <span class="null" title="no value">–</span>
  if (type === 'timestamp' && typeof value === 'string') return <time title={value}>{moment(value)}</time>
  if (typeof value === 'object') return <code>{JSON.stringify(value)}</code>
  if (typeof value === 'boolean') return <>{value ? 'yes' : 'no'}</>
  return <bdi>{plainly(String(value))}</bdi>
}

// classOf: numbers stand at the right; only what is long is broken into lines.
function classOf(s: Shown, row?: Cell[]): string {
  if (numeric(s.column) && s.label < 0) return 'num'
  const v = row?.[s.label >= 0 ? s.label : s.at]
  return v !== null && v !== undefined && (typeof v === 'object' ? JSON.stringify(v) : String(v)).length > 80 ? 'long' : ''
}

function CellOf({ s, row }: { s: Shown; row: Cell[] }) {
  const label = s.label >= 0 ? row[s.label] : null
  if (label === null || label === undefined) return <Value value={row[s.at]} type={s.column.type} />
  return <><bdi>{plainly(String(label))}</bdi> <span class="id">{String(row[s.at])}</span></>
}

interface Loaded {
  result: Result | null
  error: string
  at: string
}

// useResult reads one page of a call's rows.
function useResult(call: string, after: string): Loaded {
  const [state, set] = useState<Loaded>({ result: null, error: '', at: '' })
  useEffect(() => {
    let gone = false
    get<Result>(`/v1/tool-calls/${call}/result?limit=${size}${after ? `&after=${after}` : ''}`)
      .then((result) => !gone && set({ result, error: '', at: new Date().toISOString() }))
      .catch((e) => !gone && set({ result: null, error: sentence(e), at: '' }))
    return () => { gone = true }
  }, [call, after])
  return state
}

export function ResultView({ call, view }: { call: string; view: View }) {
  const [afters, setAfters] = useState<string[]>([''])
  const [asTable, setAsTable] = useState(false)
  const after = afters[afters.length - 1]
  const { result, error, at } = useResult(call, after)
  if (error) return <p class="faint">These rows cannot be shown: {error}</p>
  if (!result) return <div class="result loading" aria-busy="true">Reading the rows…</div>
  if (!shownColumns(result.columns, view.columns).length) return <p class="faint withheld">Withheld: your rights have changed since. No column of this may be shown to you now.</p>
  const chart = view.view && view.view !== 'table' && !asTable
  return (
    <figure class="result">
      {view.title && <figcaption>{view.title}</figcaption>}
      {chart ? <Chart result={result} view={view} /> : <Table result={result} view={view} />}
      {view.note && <p class="note">{view.note}</p>}
      <footer>
        <span>{source(result, afters.length)}, read {clock(at)}</span>
        {afters.length > 1 && <button type="button" onClick={() => setAfters(afters.slice(0, -1))}>Back</button>}
        {result.next && <button type="button" onClick={() => setAfters([...afters, result.next!])}>Next</button>}
        {view.view && view.view !== 'table' && <button type="button" onClick={() => setAsTable(!asTable)}>{asTable ? 'As shown' : 'Table'}</button>}
        <Export call={call} />
      </footer>
    </figure>
  )
}

function source(r: Result, page: number): string {
  const from = (page - 1) * size
  const rows = page === 1 && !r.next ? plural(r.rows.length, 'row') : `rows ${from + 1}–${from + r.rows.length}`
  return r.truncated && !r.next ? `${rows}, cut: there are more` : rows
}

function Export({ call }: { call: string }) {
  const [error, setError] = useState('')
  const get = () => save(`/v1/tool-calls/${call}/result?format=csv`, `${call}.csv`).then(() => setError(''), (e) => setError(sentence(e)))
  return <><button type="button" onClick={get}>CSV</button>{error && <span class="bad">{error}</span>}</>
}

function Table({ result, view }: { result: Result; view: View }) {
  const shown = shownColumns(result.columns, view.columns)
  if (!result.rows.length) return <p class="faint">No rows.</p>
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={view.title || 'Result'}>
      <table>
        <thead>
          <tr>{shown.map((s) => <th key={s.at} scope="col" class={classOf(s)}>{s.column.label || s.column.name}</th>)}</tr>
        </thead>
        <tbody>
          {result.rows.map((row, i) => (
            <tr key={i}>{shown.map((s) => <td key={s.at} class={classOf(s, row)}><CellOf s={s} row={row} /></td>)}</tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Chart({ result, view }: { result: Result; view: View }) {
  if (!result.rows.length) return <p class="faint">No rows.</p>
  switch (view.view) {
    case 'number':
      return <BigNumber result={result} view={view} />
    case 'record':
      return <Record result={result} view={view} />
    case 'list':
      return <RowList result={result} view={view} />
  }
  return <Bars result={result} view={view} />
}

function BigNumber({ result, view }: { result: Result; view: View }) {
  const named = result.columns.findIndex((c) => c.name === view.y?.[0])
  const at = named >= 0 ? named : 0
  const c = result.columns[at]
  return <p class="number"><Value value={result.rows[0][at]} type={c.type} /> <span class="faint">{c.label || c.name}</span></p>
}

function Record({ result, view }: { result: Result; view: View }) {
  return (
    <dl class="record">
      {shownColumns(result.columns, view.columns).map((s) => (
        <div key={s.at}><dt>{s.column.label || s.column.name}</dt><dd><CellOf s={s} row={result.rows[0]} /></dd></div>
      ))}
    </dl>
  )
}

function RowList({ result, view }: { result: Result; view: View }) {
  const [first, ...others] = shownColumns(result.columns, view.columns)
  return (
    <ul class="rows">
      {result.rows.map((row, i) => (
        <li key={i}><CellOf s={first} row={row} />{others.map((s) => <span key={s.at} class="faint"> · <CellOf s={s} row={row} /></span>)}</li>
      ))}
    </ul>
  )
}

// Bars draws bar, line and pie alike: each value readable, widths only by them.
function Bars({ result, view }: { result: Result; view: View }) {
  const find = (name?: string) => result.columns.findIndex((c) => c.name === name)
  const x = Math.max(find(view.x), 0)
  const label = find(view.x + '.label') >= 0 ? find(view.x + '.label') : x
  return <>{(view.y?.length ? view.y : [result.columns.at(-1)!.name]).map((name) => <Series key={name} rows={result.rows} x={label} type={result.columns[label].type} at={Math.max(find(name), 0)} title={result.columns[Math.max(find(name), 0)].label || name} />)}</>
}

function Series({ rows, x, at, type, title }: { rows: Cell[][]; x: number; at: number; type: string; title: string }) {
  const most = Math.max(...rows.map((r) => Math.abs(Number(r[at]) || 0)), 0) || 1
  return (
    <div class="bars" role="img" aria-label={`${title}: ${rows.map((r) => `${r[x] ?? 'none'} ${r[at] ?? 'none'}`).join(', ')}`}>
      <p class="faint">{title}</p>
      {rows.map((r, i) => (
        <div key={i} class="bar">
          <span class="name"><Value value={r[x]} type={type} /></span>
          <span class="track"><span class={Number(r[at]) < 0 ? 'fill negative' : 'fill'} style={{ width: `${(100 * Math.abs(Number(r[at]) || 0)) / most}%` }} /></span>
          <span class="num"><Value value={r[at]} type="decimal" /></span>
        </div>
      ))}
    </div>
  )
}
