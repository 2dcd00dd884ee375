// What cannot be shown whole cannot be confirmed: the reasons why a card may not be decided by saying yes.
import type { Change, Proposal } from './api'
import { plural } from './text'

// A card holds so many characters of one value, so many of all of them, and so many lines.
const ofValue = 8_000
const ofAll = 32_000
const lines = 400

// unshowable says why a proposal cannot be shown whole; empty where it can.
export function unshowable(ps: Proposal[]): string {
  const changes = ps.flatMap((p) => p.changes)
  if (changes.length > lines) return `It has ${plural(changes.length, 'line')}, and a card shows ${lines}.`
  let all = 0
  for (const c of changes) {
    if (!/^(create|update|delete)$/.test(c.verb)) return `It holds a kind of change that this page does not know (“${String(c.verb).slice(0, 40)}”).`
    for (const text of texts(c)) {
      all += text.length
      if (text.length > ofValue) return `${(c.label || c.field).slice(0, 80)} has a text of ${text.length.toLocaleString('en-GB')} characters, and a card shows ${ofValue.toLocaleString('en-GB')}.`
    }
  }
  all += ps.reduce((n, p) => n + p.summary.length + p.warnings.join('').length, 0)
  return all > ofAll ? `It has ${all.toLocaleString('en-GB')} characters, and a card shows ${ofAll.toLocaleString('en-GB')}.` : ''
}

const texts = (c: Change) => [c.before, c.after, c.before_label, c.after_label, c.label, c.field, c.record, c.record_label].filter((t): t is string => typeof t === 'string')

// head is the beginning of a text that is too long for a card.
export function head(text: string): { text: string; rest: number } {
  return text.length <= ofValue ? { text, rest: 0 } : { text: text.slice(0, 400), rest: text.length - 400 }
}
