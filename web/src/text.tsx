// Text from models and data. It is never HTML: everything becomes text nodes, links are shown whole and are not clickable.
import { Fragment, type ComponentChildren } from 'preact'

// What a reader cannot see, or what changes how the rest is read: controls, formats (bidi, zero width), private use, odd spaces, fillers.
const hidden = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u3164\uffa0\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u

function code(c: string): string {
  return '[U+' + c.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0') + ']'
}

// Exact shows a value as what it is: invisible characters by their numbers, spaces at its ends as marks.
export function Exact({ text }: { text: string }) {
  const lead = text.length - text.replace(/^ +/, '').length
  const tail = text.replace(/ +$/, '').length
  const out: ComponentChildren[] = []
  let plain = ''
  let at = 0
  for (const c of text) {
    const mark = markOf(c, at < lead || at >= tail)
    at += c.length
    if (!mark) {
      plain += c
      continue
    }
    if (plain) out.push(plain)
    plain = ''
    out.push(<span class="ctl">{mark}</span>)
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

// plainly marks what would change the order of what is read; everything else of running text stays.
export function plainly(text: string): string {
  return text.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, code)
}

const scripts: [string, RegExp][] = [
  ['Latin', /\p{Script=Latin}/u],
  ['Cyrillic', /\p{Script=Cyrillic}/u],
  ['Greek', /\p{Script=Greek}/u],
  ['Armenian', /\p{Script=Armenian}/u],
  ['Cherokee', /\p{Script=Cherokee}/u],
]

// mixed says which word is written in several scripts that look alike, if one is.
export function mixed(text: string): string {
  for (const word of text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []) {
    const found = scripts.filter(([, r]) => r.test(word)).map(([name]) => name)
    if (found.length > 1) return `“${word}” mixes ${found.join(' and ')} letters`
  }
  return ''
}

// Prose renders the little markup that models use: paragraphs, lists, headings, fenced code, bold, code.
export function Prose({ text }: { text: string }) {
  return <div class="prose">{blocks(text).map((b, i) => <Block key={i} {...b} />)}</div>
}

interface BlockData {
  kind: 'p' | 'h' | 'ul' | 'ol' | 'pre'
  lines: string[]
  start?: number
}

function blocks(text: string): BlockData[] {
  const out: BlockData[] = []
  let last = undefined as BlockData | undefined
  let fence = false
  const add = (kind: BlockData['kind'], line: string, start?: number) => {
    if (last && last.kind === kind && kind !== 'h') last.lines.push(line)
    else out.push((last = { kind, lines: [line], start }))
  }
  for (const line of plainly(text).replace(/\r\n?/g, '\n').split('\n')) {
    let m: RegExpMatchArray | null
    if (/^\s*```/.test(line)) {
      fence = !fence
      last = undefined
    } else if (fence || /^\s*\|.*\|\s*$/.test(line)) add('pre', line)
    else if (line.trim() === '') last = undefined
    else if ((m = line.match(/^#{1,6} +(.*)/))) add('h', m[1])
    else if ((m = line.match(/^\s*[-*•] +(.*)/))) add('ul', m[1])
    else if ((m = line.match(/^\s*(\d{1,9})[.)] +(.*)/))) add('ol', m[2], Number(m[1]))
    else if (last && (last.kind === 'ul' || last.kind === 'ol') && /^\s/.test(line)) last.lines[last.lines.length - 1] += ' ' + line.trim()
    else add('p', line)
  }
  return out
}

function Block({ kind, lines, start }: BlockData) {
  switch (kind) {
    case 'pre':
      return <pre>{lines.join('\n')}</pre>
    case 'ul':
      return <ul>{lines.map((l, i) => <li key={i}><Inline text={l} /></li>)}</ul>
    case 'ol':
      return <ol start={start}>{lines.map((l, i) => <li key={i}><Inline text={l} /></li>)}</ol>
    case 'h':
      return <p class="heading"><Inline text={lines[0]} /></p>
  }
  return <p>{lines.map((l, i) => <Fragment key={i}>{i > 0 && <br />}<Inline text={l} /></Fragment>)}</p>
}

function Inline({ text }: { text: string }) {
  const plain = text.replace(/!?\[([^\]]*)\]\(([^)\s]+)[^)]*\)/g, (_, label, target) => (label && label !== target ? `${label} (${target})` : target))
  const out = plain.split(/(\*\*[^*]+\*\*|`[^`]+`)/).map((s, i) => {
    if (s.startsWith('**') && s.length > 4) return <strong key={i}>{s.slice(2, -2)}</strong>
    if (s.startsWith('`') && s.length > 2) return <code key={i}>{s.slice(1, -1)}</code>
    return s
  })
  return <>{out}</>
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

// inTime says how far away a moment is.
export function inTime(at: string): string {
  const minutes = Math.round((new Date(at).getTime() - Date.now()) / 60000)
  if (minutes <= 0) return 'now'
  if (minutes < 60) return `in ${minutes} min`
  if (minutes < 48 * 60) return `in ${Math.round(minutes / 60)} h`
  return `in ${Math.round(minutes / 1440)} days`
}

export const plural = (n: number, one: string, many = one + 's') => `${n} ${n === 1 ? one : many}`
