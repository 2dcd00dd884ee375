// Folds the events of a turn into what is shown.
import type { TurnEvent } from './stream'

export interface ToolLine {
  kind: 'tool'
  call: string
  tool: string
  toolKind: string
  label: string
  outcome?: string
  returned?: number
  truncated?: boolean
  ms?: number
  error?: string
}

export type Item =
  | { kind: 'text'; step: number; text: string }
  | ToolLine
  | { kind: 'display'; call: string; view: View }
  | { kind: 'proposal'; id: string }

export interface View {
  view?: string
  title?: string
  x?: string
  y?: string[]
  columns?: unknown[]
  note?: string
  target?: string
  link?: string
  withheld?: boolean // it was made under rights that no longer hold; nothing else is left of it
  [key: string]: unknown
}

export interface TurnView {
  id: string
  question: string
  at: string
  items: Item[]
  state: string // empty: its events were not read yet
  reason: string
  detail: string // what went wrong, where it is known
  lost: boolean
}

// newTurn is one that is still to be read, or, where it is being asked, one that runs.
export function newTurn(id: string, question: string, at: string, state = ''): TurnView {
  return { id, question, at, items: [], state, reason: '', detail: '', lost: false }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

// cut keeps the first bytes of a text: a delta says where it belongs in bytes.
export function cut(text: string, bytes: number): string {
  const b = encoder.encode(text)
  return b.length === bytes ? text : decoder.decode(b.slice(0, bytes))
}

export function apply(t: TurnView, e: TurnEvent): TurnView {
  const d = e.data
  switch (e.name) {
    case 'turn.started':
      return { ...t, id: d.turn }
    case 'text.delta':
      return { ...t, items: addText(t.items, d.step, d.at, d.text) }
    case 'tool.started':
      return { ...t, items: [...t.items.filter((i) => !(i.kind === 'tool' && i.call === d.call)), { kind: 'tool', call: d.call, tool: d.tool, toolKind: d.kind, label: d.label }] }
    case 'tool.finished':
      return { ...t, items: t.items.map((i) => (i.kind === 'tool' && i.call === d.call ? { ...i, outcome: d.outcome, returned: d.returned, truncated: d.truncated, ms: d.duration_ms, error: d.error?.message } : i)) }
    case 'proposal.created':
      return { ...t, items: [...t.items.filter((i) => !(i.kind === 'proposal' && i.id === d.proposal)), { kind: 'proposal', id: d.proposal }] }
    case 'display':
      return { ...t, items: [...t.items, { kind: 'display', call: d.call ?? '', view: d.view ?? {} }] }
    case 'turn.finished':
      return { ...t, items: withText(t.items, d.text), state: d.state, reason: d.reason, detail: d.detail ?? '' }
  }
  return t
}

function addText(items: Item[], step: number, at: number, text: string): Item[] {
  const i = items.findIndex((x) => x.kind === 'text' && x.step === step)
  if (i < 0) return [...items, { kind: 'text', step, text }]
  const old = items[i] as { kind: 'text'; step: number; text: string }
  return items.map((x, j) => (j === i ? { ...old, text: cut(old.text, at) + text } : x))
}

// withText shows the answer where no delta did.
function withText(items: Item[], text: string): Item[] {
  return !text || items.some((i) => i.kind === 'text' && i.text) ? items : [...items, { kind: 'text', step: -1, text }]
}

// why says in a sentence why a turn ended otherwise than answered.
export function why(reason: string, detail = ''): string {
  switch (reason) {
    case 'refused':
      return 'The model declined to answer this.'
    case 'length':
      return 'The answer was cut at the model’s limit. Ask it to go on.'
    case 'step_limit':
      return 'Stopped after the most steps a turn may take. Ask for less at once, or ask to go on.'
    case 'tool_call_limit':
      return 'Stopped after the most look-ups a turn may make. Ask for less at once, or ask to go on.'
    case 'time_limit':
      return 'Stopped: it took too long. Ask for less at once.'
    case 'cancelled':
      return 'You stopped this.'
    case 'killed':
      return 'An operator has stopped the assistant.'
    case 'budget':
      return 'Your budget is used up.'
    case 'class_not_cleared':
      return 'The model may not be sent this data.'
    case 'model_error':
      return `${detail || 'The model did not answer.'} Nothing was changed.`
    case 'interrupted':
      return 'This was interrupted and could not go on. What it had so far is above.'
    case 'internal':
      return 'Something went wrong. The operator’s log says what.'
  }
  return ''
}
