// Text from models and data. It is never HTML: everything becomes text nodes, and what could deceive is made visible.
import type { ComponentChildren } from 'preact'

// What a reader cannot see, or what changes how the rest is read: controls, formats (bidi, zero width), private and unassigned, odd spaces, fillers.
const hidden = /[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u2800\u3164\uffa0\ufe00-\ufe0f\u{1d159}\u{e0100}-\u{e01ef}]/u

// hasHidden says whether a text holds something of that kind.
export const hasHidden = (text: string) => hidden.test(text)

function code(c: string): string {
  return '[U+' + c.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0') + ']'
}

// Exact shows a value as what it is: invisible characters by their numbers, spaces at its ends as marks.
export function Exact({ text }: { text: string }) {
  const lead = text.length - text.replace(/^ +/, '').length
  const tail = text.replace(/ +$/, '').length
  const out: ComponentChildren[] = []
  const odd = strangers(text)
  let plain = ''
  let at = 0
  let marks = 0 // that combine with the letter before them: a heap of them covers what stands near
  for (const c of text) {
    marks = /\p{M}/u.test(c) ? marks + 1 : 0
    const mark = marks > 3 ? code(c) : markOf(c, at < lead || at >= tail)
    const script = odd.get(at)
    at += c.length
    if (!mark && !script) {
      plain += c
      continue
    }
    if (plain) out.push(plain)
    plain = ''
    out.push(mark ? <span class="ctl">{mark}</span> : <span class="odd" title={`${script} ${code(c)}`}>{c}</span>)
    if (c === '\n') out.push('\n')
  }
  if (plain) out.push(plain)
  return <bdi class="exact">{out}</bdi>
}

function markOf(c: string, atEdge: boolean): string {
  if (c === '\n') return '⏎'
  if (c === ' ') return atEdge ? '␣' : ''
  return hidden.test(c) ? code(c) : ''
}

// plainly marks what would change the order of what is read, and controls; everything else of running text stays.
export function plainly(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, code)
}

const scripts: [string, RegExp][] = [
  ['Latin', /\p{Script=Latin}/u],
  ['Cyrillic', /\p{Script=Cyrillic}/u],
  ['Greek', /\p{Script=Greek}/u],
  ['Armenian', /\p{Script=Armenian}/u],
  ['Cherokee', /\p{Script=Cherokee}/u],
]

const words = (text: string) => text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)

// digits that are not 0 to 9 look like others beside those, and beside letters.
const digits: (typeof scripts)[number] = ['digits', /(?![0-9])\p{Nd}/u]

function found(word: string) {
  const of = scripts.filter(([, r]) => r.test(word))
  if (!digits[1].test(word) || !(of.length || /[0-9]/.test(word))) return of
  return [...(of.length ? of : [['0 to 9', /[0-9]/] as typeof digits]), digits]
}

// mixed says which word is written in several scripts that look alike, if one is.
export function mixed(text: string): string {
  for (const [word] of words(text)) {
    const of = found(word)
    if (of.length > 1 && of.includes(digits)) return `“${word}” has digits of another script among its characters`
    if (of.length > 1) return `“${word}” mixes ${of.map(([name]) => name).join(' and ')} letters`
  }
  return ''
}

// strangers are the places of letters that are of another script than most of their word.
function strangers(text: string): Map<number, string> {
  const out = new Map<number, string>()
  for (const m of words(text)) {
    const of = found(m[0])
    if (of.length < 2) continue
    const count = (r: RegExp) => [...m[0]].filter((c) => r.test(c)).length
    const [most] = of.reduce((x, y) => (count(y[1]) > count(x[1]) ? y : x))
    let at = m.index
    for (const c of m[0]) {
      const script = of.find(([, r]) => r.test(c))
      if (script && script[0] !== most) out.set(at, script[0])
      at += c.length
    }
  }
  return out
}

let zone: string | undefined

// setZone makes every time on the page the person's.
export function setZone(z: string | undefined) {
  zone = z
}

function format(at: string | Date, o: Intl.DateTimeFormatOptions): string {
  try {
    return new Intl.DateTimeFormat('en-GB', { ...o, timeZone: zone }).format(new Date(at))
  } catch {
    return String(at)
  }
}

export const clock = (at: string | Date) => format(at, { hour: '2-digit', minute: '2-digit' })
export const day = (at: string | Date) => format(at, { day: 'numeric', month: 'short', year: 'numeric' })
export const moment = (at: string | Date) => format(at, { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' })

// when is a moment in as few words as will do.
export const when = (at: string) => (day(at) === day(new Date()) ? `at ${clock(at)}` : moment(at))

// clockDay is a moment on an axis: no finer than the axis is.
export function clockDay(seconds: number, all: number[], date: boolean): string {
  const step = all.length > 1 ? all[1] - all[0] : 864e2
  const at = new Date(seconds * 1000)
  if (step < 864e2) return clock(at)
  if (step >= 364 * 864e2) return String(at.getUTCFullYear())
  const o: Intl.DateTimeFormatOptions = step >= 27 * 864e2 ? { month: 'short', year: 'numeric' } : { day: 'numeric', month: 'short' }
  return date ? new Intl.DateTimeFormat('en-GB', { ...o, timeZone: 'UTC' }).format(at) : format(at, o)
}

// inTime says how far away a moment is.
export function inTime(at: string): string {
  const minutes = Math.round((new Date(at).getTime() - Date.now()) / 60000)
  if (minutes <= 0) return 'now'
  if (minutes < 60) return `in ${minutes} min`
  if (minutes < 48 * 60) return `in ${Math.round(minutes / 60)} h`
  return `in ${Math.round(minutes / 1440)} days`
}

export const plural = (n: number, one: string, many = one + 's') => `${n} ${n === 1 ? one : many}`
