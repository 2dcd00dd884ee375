// The lines of the calls of a turn: what was done, in a few words; opened, what exactly was asked and what was found.
import { useEffect, useState } from 'preact/hooks'
import { get, sentence, type Call } from './api'
import type { Desk } from './desk'
import { History } from './history'
import { ResultView } from './result'
import { plainly, plural } from './text'
import type { ToolLine } from './turn'

// few is how many lines stand apart; more of them fold into one.
const few = 3

export function Steps({ lines, turn, running, desk }: { lines: ToolLine[]; turn: string; running: boolean; desk: Desk }) {
  const each = lines.map((l) => <Step key={l.call} l={l} turn={turn} running={running} desk={desk} />)
  if (lines.length <= few || running) return <div class="lines">{each}</div>
  const bad = lines.filter((l) => l.outcome === 'refused' || l.outcome === 'failed').length
  return <details class="steps"><summary>{lines.length} steps{bad > 0 && <span class="refused"> · {bad} not done</span>}</summary>{each}</details>
}

function Step({ l, turn, running, desk }: { l: ToolLine; turn: string; running: boolean; desk: Desk }) {
  const [open, setOpen] = useState(false)
  const bad = l.outcome === 'refused' || l.outcome === 'failed'
  const call = desk.state.calls[l.call]
  return (
    <details class="step" onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>
        <span class="did">{plainly(l.label || l.tool)}</span>
        {call && <Of call={call} desk={desk} />}
        {l.outcome === undefined && (running ? <span class="busy"> … <Elapsed /></span> : <span> · stopped before it was done</span>)}
        {l.outcome === 'ran' && l.returned !== undefined && l.toolKind === 'read' && <span> · {plural(l.returned, 'row')}{l.truncated ? ', cut' : ''}</span>}
        {bad && <span class="refused"> · {l.outcome}{l.error ? `: ${plainly(l.error)}` : ''}</span>}
        {l.ms !== undefined && <span class="time">{took(l.ms)}</span>}
      </summary>
      {open && <Detail l={l} call={call} turn={turn} desk={desk} />}
    </details>
  )
}

const took = (ms: number) => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`)

// Of says of what the call was, in words.
function Of({ call, desk }: { call: Call; desk: Desk }) {
  const a = (call.arguments ?? {}) as Record<string, unknown>
  const text = (v: unknown) => (typeof v === 'string' && v ? v : '')
  const label = (t: string) => desk.state.me?.tables.find((x) => x.table === t)?.label ?? t
  const tables = Array.isArray(a.tables) ? a.tables.map((t) => label(text(t))).join(', ') : ''
  const words = [label(text(a.table)), tables, text(a.id), text(a.term), inWords(text(a.where)), text(a.expr), text(a.view)].filter(Boolean)
  if (!words.length) return null
  return <span> · {plainly(words.join(' · '))}</span>
}

// inWords makes a condition readable; the exact one is seen when the line is opened.
function inWords(where: string): string {
  const words: [RegExp, string][] = [[/\s*&&\s*/g, ' and '], [/\s*\|\|\s*/g, ' or '], [/\s*==\s*/g, ' = '], [/\s*!=\s*/g, ' ≠ '], [/\s*<=\s*/g, ' ≤ '], [/\s*>=\s*/g, ' ≥ '], [/"([^"\\]*)"/g, '$1']]
  return words.reduce((s, [from, to]) => s.replace(from, to), where)
}

// Detail is the exact arguments of a call, the rows that it found, read again now, and what the model read of it then.
function Detail({ l, call, turn, desk }: { l: ToolLine; call?: Call; turn: string; desk: Desk }) {
  const [row, setRow] = useState(call ?? null)
  const [text, setText] = useState<string | null>(null)
  const [error, setError] = useState('')
  useEffect(() => {
    const failed = (e: unknown) => setError(sentence(e))
    if (!row) get<{ items: Call[] }>(`/v1/tool-calls?turn=${turn}&limit=200`).then((r) => setRow(r.items.find((c) => c.id === l.call && c.phase === 'turn') ?? null), failed)
    if (desk.state.current) History.texts(desk.state.current, turn).then((t) => setText(t[l.call] ?? ''), failed)
  }, [])
  const rows = l.outcome === 'ran' && l.toolKind === 'read' && /^(query_records|get_record|analyze_records|count_records|render_widget|search_records)$/.test(l.tool)
  return (
    <div class="detail">
      <h3>Asked</h3>
      {row ? <pre tabIndex={0}>{plainly(`${l.tool} ${JSON.stringify(row.arguments, null, 2)}`)}</pre> : <p class="faint">{plainly(l.tool)}</p>}
      {rows && <><h3>Found, read again now</h3><ResultView call={l.call} view={{}} /></>}
      {text && <details class="read"><summary>What the model read</summary><pre tabIndex={0}>{plainly(text)}</pre></details>}
      {error && <p class="bad">{error}</p>}
    </div>
  )
}

// Elapsed counts the seconds of long work, from the third on.
export function Elapsed() {
  const [s, set] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => set((n) => n + 1), 1000)
    return () => clearInterval(timer)
  }, [])
  return s < 3 ? null : <span class="time" aria-hidden="true">{s} s</span>
}
