// What a model writes, as Markdown: marked reads it, and everything becomes text nodes. No HTML, no image, no style comes out of it.
import { Component, type ComponentChildren } from 'preact'
import { Lexer, type Token, type Tokens } from 'marked'
import { assistant } from './name'
import { Link } from './link'
import { plainly } from './text'

// longest is how many characters of one block are read as Markdown; what is longer stays plain, so that no text holds the page up.
// So does one with more marks of emphasis than anybody writes: marked tries them against each other.
const longest = 16_000
const marks = 600
const deepest = 12

export function Prose({ text }: { text: string }) {
  return <div class="prose">{chunks(text).map((c, i) => <Chunk key={i} text={c} />)}</div>
}

const fence = /^ {0,3}(`{3,}|~{3,})/
const item = /^\s*(?:[-*+]|\d{1,9}[.)])\s/

// chunks cuts a text at its blank lines, but not within a fence or a list: a chunk that is whole is never read again.
export function chunks(text: string): string[] {
  const out: string[] = []
  let lines: string[] = []
  let open = ''
  let blank = false
  const flush = () => {
    if (lines.length) out.push(lines.join('\n'))
    lines = []
  }
  for (const line of text.replace(/\r\n?/g, '\n').split('\n')) {
    const mark = fence.exec(line)?.[1] ?? ''
    if (open) {
      lines.push(line)
      if (mark.startsWith(open) && line.trim() === mark) {
        open = ''
        flush()
      }
      continue
    }
    if (line.trim() === '') {
      blank = true
      continue
    }
    const goesOn = blank && lines.length > 0 && item.test(lines[0]) && (item.test(line) || /^\s/.test(line))
    if (blank && !goesOn) flush()
    if (blank && goesOn) lines.push('')
    blank = false
    if (mark && !(lines.length && item.test(lines[0]))) {
      flush()
      open = mark
    }
    lines.push(line)
  }
  flush()
  return out
}

class Chunk extends Component<{ text: string }> {
  shouldComponentUpdate(next: { text: string }) {
    return next.text !== this.props.text
  }

  render({ text }: { text: string }) {
    const mark = fence.exec(text)?.[1]
    if (mark) {
      const lines = text.split('\n').slice(1)
      if (lines.at(-1)?.trim().startsWith(mark)) lines.pop()
      return <Code text={lines.join('\n')} />
    }
    const tokens = read(text)
    return tokens ? <>{tokens.map((t) => block(t, 0))}</> : <p class="plain">{plainly(text)}</p>
  }
}

// read is null for what is not worth the work, or cannot be read.
function read(text: string): Token[] | null {
  if (text.length > longest || (text.match(/[*_~]/g)?.length ?? 0) > marks || knotted(text)) return null
  try {
    return new Lexer({ gfm: true, breaks: true }).lex(text)
  } catch {
    return null
  }
}

// knotted says whether a text has what marked is very slow with: quotes and lists in each other on one line, more blanks than anybody types,
// words that are nearly an address and have no end.
function knotted(text: string): boolean {
  return /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])[ \t])){8}/m.test(text) || /[ \t]{200}/.test(text) || text.split(/\s/).some((w) => w.length > 1000 && w.includes('@'))
}

function block(t: Token, depth: number): ComponentChildren {
  if (depth > deepest) return <p class="plain">{plainly(t.raw)}</p>
  const inner = (tokens?: Token[]) => (tokens ?? []).map((x) => block(x, depth + 1))
  switch (t.type) {
    case 'space':
      return null
    case 'paragraph':
      return <p>{inline(t.tokens, depth)}</p>
    case 'text':
      return t.tokens ? inline(t.tokens, depth) : plainly(t.text)
    case 'heading':
      return <p class="heading" role="heading" aria-level={3}>{inline(t.tokens, depth)}</p>
    case 'code':
      return <Code text={t.text} />
    case 'blockquote':
      return <blockquote>{inner(t.tokens)}</blockquote>
    case 'list':
      return t.ordered ? <ol start={Number(t.start) || 1}>{items(t as Tokens.List, depth)}</ol> : <ul>{items(t as Tokens.List, depth)}</ul>
    case 'hr':
      return <hr />
    case 'table':
      return <Written t={t as Tokens.Table} depth={depth} />
    case 'html':
    case 'def':
      return <p class="plain">{plainly(t.raw.trimEnd())}</p>
  }
  return inline([t], depth)
}

function items(list: Tokens.List, depth: number): ComponentChildren {
  return list.items.map((i) => <li>{i.task && (i.checked ? '☑ ' : '☐ ')}{i.tokens.filter((t) => t.type !== 'checkbox').map((t) => block(t, depth + 1))}</li>)
}

const Code = ({ text }: { text: string }) => <pre tabIndex={0}><code>{plainly(text)}</code></pre>

// Written is a table that the model typed: it says so, for its numbers are not the host's.
function Written({ t, depth }: { t: Tokens.Table; depth: number }) {
  return (
    <div class="scroll written" tabIndex={0} role="region" aria-label={`A table written by ${assistant}`}>
      <table>
        <thead><tr>{t.header.map((c) => <th scope="col">{inline(c.tokens, depth)}</th>)}</tr></thead>
        <tbody>{t.rows.map((r) => <tr>{r.map((c) => <td>{inline(c.tokens, depth)}</td>)}</tr>)}</tbody>
      </table>
      <p class="faint">Written by {assistant}, not read from the data.</p>
    </div>
  )
}

function inline(tokens: Token[] | undefined, depth: number): ComponentChildren {
  return (tokens ?? []).map((t) => piece(t, depth + 1))
}

function piece(t: Token, depth: number): ComponentChildren {
  if (depth > deepest) return plainly(t.raw)
  switch (t.type) {
    case 'strong':
      return <strong>{inline(t.tokens, depth)}</strong>
    case 'em':
      return <em>{inline(t.tokens, depth)}</em>
    case 'del':
      return <del>{inline(t.tokens, depth)}</del>
    case 'codespan':
      return <code>{plainly(t.text)}</code>
    case 'br':
      return <br />
    case 'link':
      return <Link label={t.text} href={t.href} />
    case 'image':
      return <span class="faint">[image not shown: <Link label={t.text} href={t.href} />]</span>
    case 'escape':
      return plainly(t.text)
    case 'text':
      return t.tokens ? inline(t.tokens, depth) : plainly(t.text)
  }
  return plainly(t.raw)
}
