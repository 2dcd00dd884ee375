// Results: the rows of a call, as a table or as what the assistant chose to show of them. Never rows of anybody's own.
import { useMemo, useState } from 'preact/hooks'
import { save, sentence, type Cell } from './api'
import { BigNumber, Chart, drawn, Record, RowList } from './chart'
import { compare, useRows, type Rows } from './rows'
import { Columns, Table, type Order } from './table'
import { clock, plainly, plural } from './text'
import type { View } from './turn'
import { shownColumns } from './value'

export function ResultView({ call, view }: { call: string; view: View }) {
  const [asTable, setAsTable] = useState(false)
  const other = view.view !== undefined && view.view !== 'table'
  return asTable || !other
    ? <TableView key="table" call={call} view={view} other={other ? () => setAsTable(false) : null} />
    : <OtherView key="other" call={call} view={view} asTable={() => setAsTable(true)} />
}

// Frame is what all of them have: a heading, where the rows come from, and what may be done with them.
function Frame({ call, view, rows, note, children, actions }: { call: string; view: View; rows: Rows | null; note: string; children: any; actions?: any }) {
  if (rows?.error && !rows.columns.length) return <p class="faint unread">These rows cannot be shown: {rows.error}</p>
  if (!rows) return <div class="result loading" aria-busy="true">Reading the rows…</div>
  if (!shownColumns(rows.columns, view.columns).length) return <p class="faint withheld">Withheld: your rights have changed since. No column of this may be shown to you now.</p>
  return (
    <figure class="result" aria-busy={rows.busy}>
      {view.title && <figcaption>{plainly(view.title)}</figcaption>}
      {children}
      {view.note && <p class="note">{plainly(view.note)}</p>}
      {rows.error && <p class="bad" role="alert">{rows.error}</p>}
      <footer>
        <span>{note}, read {clock(rows.at)}</span>
        {actions}
        <Export call={call} />
      </footer>
    </figure>
  )
}

function TableView({ call, view, other }: { call: string; view: View; other: (() => void) | null }) {
  const [order, setOrder] = useState<Order | null>(null)
  const [hidden, setHidden] = useState(new Set<number>())
  const [type, setType] = useState('')
  const by = useMemo(() => {
    if (!order) return null
    const c = compare(type, order.down)
    return (a: Cell[], b: Cell[]) => c(a[order.at], b[order.at])
  }, [order, type])
  const rows = useRows(call, false, by)
  const all = rows ? shownColumns(rows.columns, view.columns) : []
  const sort = (at: number) => {
    const s = all.find((x) => x.at === at)!
    const key = s.label >= 0 ? s.label : at
    if (!rows!.whole) rows!.readWhole()
    rows!.go(0)
    setType(rows!.columns[key].type)
    setOrder(order?.at !== key ? { at: key, down: false } : order.down ? null : { at: key, down: true })
  }
  const toggle = (at: number) => setHidden((old) => {
    const next = new Set(old)
    if (!next.delete(at) && next.size < all.length - 1) next.add(at)
    return next
  })
  const only = (n: number) => setHidden(new Set(all.slice(n).map((s) => s.at)))
  const sorted = order && all.find((s) => (s.label >= 0 ? s.label : s.at) === order.at)
  return (
    <Frame call={call} view={view} rows={rows} note={rows ? place(rows) : ''} actions={rows && <>
      {!(rows.page === 0 && rows.last) && <span class="pages">
        <button type="button" disabled={rows.page === 0} onClick={() => rows.go(rows.page - 1)}>Back</button>
        <button type="button" disabled={rows.last || rows.busy} onClick={() => rows.go(rows.page + 1)}>Next</button>
      </span>}
      {all.length > 1 && <Columns shown={all} hidden={hidden} toggle={toggle} only={only} />}
      {other && <button type="button" onClick={other}>As shown</button>}
    </>}>
      {rows && <Table label={plainly(view.title || 'Result')} shown={all.filter((s) => !hidden.has(s.at))} rows={rows.rows} order={sorted ? { at: sorted.at, down: order.down } : null} sort={sort} />}
    </Frame>
  )
}

// place says which rows these are, and of how many.
function place(r: Rows): string {
  const cut = r.truncated && r.last ? `; the result is cut at ${r.total}, there are more` : ''
  if (r.page === 0 && r.last) return plural(r.rows.length, 'row') + cut
  const of = r.total === null ? '' : ` of ${grouped(r.total)}`
  return `Rows ${grouped(r.first + 1)}–${grouped(r.first + r.rows.length)}${of}${cut}`
}

const grouped = (n: number) => n.toLocaleString('en-GB')

function OtherView({ call, view, asTable }: { call: string; view: View; asTable: () => void }) {
  const chart = /^(bar|line|pie)$/.test(view.view ?? '')
  const [more, setMore] = useState(false)
  const rows = useRows(call, chart, null)
  const [from, some] = rows && chart && !more ? drawn(view, rows.rows) : [rows?.rows ?? [], false]
  const draw = () => {
    if (!rows) return null
    const props = { columns: rows.columns, rows: from, view }
    if (!rows.rows.length) return <p class="faint">No rows.</p>
    if (chart) return <Chart {...props} />
    return view.view === 'number' ? <BigNumber {...props} /> : view.view === 'record' ? <Record {...props} /> : <RowList {...props} />
  }
  return (
    <Frame call={call} view={view} rows={rows} note={rows ? (chart ? `From ${plural(rows.rows.length, 'row')}${rows.truncated ? ', cut: there are more' : ''}` : place(rows)) : ''} actions={rows && <>
      {!chart && view.view === 'list' && !(rows.page === 0 && rows.last) && <span class="pages">
        <button type="button" disabled={rows.page === 0} onClick={() => rows.go(rows.page - 1)}>Back</button>
        <button type="button" disabled={rows.last || rows.busy} onClick={() => rows.go(rows.page + 1)}>Next</button>
      </span>}
      {some && <button type="button" onClick={() => setMore(true)}>Show all {rows.rows.length}</button>}
      <button type="button" onClick={asTable}>Table</button>
    </>}>
      {draw()}
      {some && <p class="faint">The first {from.length} of {rows!.rows.length}.</p>}
    </Frame>
  )
}

// Export hands the whole result to the browser as a file; what a spreadsheet would run, the server makes harmless.
function Export({ call }: { call: string }) {
  const [error, setError] = useState('')
  const get = () => save(`/v1/tool-calls/${call}/result?format=csv`, `${call}.csv`).then(() => setError(''), (e) => setError(sentence(e)))
  return <><button type="button" onClick={get}>CSV</button>{error && <span class="bad" role="alert">{error}</span>}</>
}

