// Links out of a text: the whole target is seen, the host stands out, and nothing is asked of it before a click.
import { Exact, hasHidden, mixed } from './text'

// target is where a link leads, if it leads anywhere that may be opened.
function target(href: string): URL | null {
  if (hasHidden(href)) return null
  try {
    const u = new URL(href)
    return u.protocol === 'https:' || u.protocol === 'http:' || u.protocol === 'mailto:' ? u : null
  } catch {
    return null
  }
}

// doubt is what makes a target other than it looks.
function doubt(u: URL, label: string): string {
  if (u.username || u.password) return `leads to ${u.host}, whatever stands before the @`
  if (/(^|\.)xn--/.test(u.hostname)) return 'a name in letters that may look like others'
  const named = label.match(/\b(?:[a-z0-9-]+\.)+[a-z]{2,}\b/i)?.[0].toLowerCase()
  if (named && u.host && !`.${u.hostname}`.endsWith(`.${named.replace(/^www\./, '')}`)) return `leads to ${u.host}`
  return mixed(label)
}

// Link is a label and its target. What may not be opened is shown as text.
export function Link({ label, href }: { label: string; href: string }) {
  const u = target(href)
  const same = label === href || label === u?.href
  const name = same || !label ? null : <><Exact text={label} /> </>
  if (!u) return <>{name}<span class="target">{same || !label ? <Exact text={href} /> : <>(<Exact text={href} />)</>}</span></>
  const note = doubt(u, same ? '' : label)
  return (
    <span class="link">
      {name}<a href={u.href} target="_blank" rel="noopener noreferrer" referrerpolicy="no-referrer"><Target u={u} /></a>
      {note && <span class="warning"> ({note})</span>}
    </span>
  )
}

// Target is the address as the browser reads it, so that what is seen is where it goes.
function Target({ u }: { u: URL }) {
  const user = u.username || u.password ? `${u.username}${u.password && ':' + u.password}@` : ''
  const at = `${u.protocol}//${user}`.length
  if (!u.host || u.href.slice(at, at + u.host.length) !== u.host) return <bdi>{u.href}</bdi>
  return <bdi>{u.href.slice(0, at)}<strong>{u.host}</strong>{u.href.slice(at + u.host.length)}</bdi>
}
