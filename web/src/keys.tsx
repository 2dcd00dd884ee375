// The keys, and the list of them.
import { useEffect, useRef } from 'preact/hooks'

const list: [string, string][] = [
  ['/', 'to the question box'], ['Enter', 'send'], ['Shift Enter', 'a new line'], ['↑', 'the last question again, to change it'],
  ['Esc', 'close what is open; stop the answer'], ['j  k', 'to the next or the one before of calls, results and cards'], ['o', 'open it, or close it'],
  ['c, then Enter', 'confirm the card that has the focus'], ['arrows', 'in a table, from cell to cell; Tab, then Enter copies one'], ['?', 'this list'],
]

export function Help({ close }: { close: () => void }) {
  const box = useRef<HTMLDialogElement>(null)
  useEffect(() => box.current?.showModal(), [])
  return (
    <dialog ref={box} class="help" aria-labelledby="help-title" onClose={close}>
      <h2 id="help-title">Keys</h2>
      <dl>{list.map(([k, what]) => <div key={k}><dt><kbd>{k}</kbd></dt><dd>{what}</dd></div>)}</dl>
      <button type="button" onClick={() => box.current?.close()}>Close</button>
    </dialog>
  )
}

// places are what j and k go between, in the order of the page.
const places = '.talk .step > summary, .talk .steps > summary, .talk figure.result, .talk [data-card]'

function move(by: 1 | -1) {
  const all = [...document.querySelectorAll<HTMLElement>(places)].filter((e) => e.getClientRects().length > 0)
  if (!all.length) return
  const at = all.findIndex((e) => e === document.activeElement || (e.matches('[data-card], figure') && e.contains(document.activeElement)))
  const to = at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.max(0, Math.min(all.length - 1, at + by))
  if (all[to].tagName === 'FIGURE') all[to].tabIndex = -1
  all[to].focus({ preventScroll: true })
  all[to].scrollIntoView({ block: 'nearest' })
}

function toggle() {
  const e = document.activeElement
  if (e instanceof HTMLElement && e.matches('summary')) e.click()
}

// confirm puts the focus on the button of the card; only another key, pressed by itself, confirms.
function confirm() {
  document.activeElement?.closest('[data-card]')?.querySelector<HTMLElement>('button.confirm:not(:disabled)')?.focus()
}

export interface Keys {
  ask: () => void
  help: () => void
  escape: () => void
}

// useKeys listens for the keys of the whole page. A letter that is typed into a box is nobody's key.
export function useKeys(k: Keys) {
  const now = useRef(k)
  now.current = k
  useEffect(() => {
    const key = (e: KeyboardEvent) => {
      if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey) return
      if (e.key === 'Escape') return now.current.escape()
      if (document.querySelector('dialog[open]')) return
      if (e.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName)) return
      if (e.key === 'Enter' && e.repeat && document.activeElement?.matches('button.confirm')) return e.preventDefault()
      const act = { '/': () => now.current.ask(), '?': () => now.current.help(), j: () => move(1), k: () => move(-1), o: toggle, c: confirm }[e.key]
      if (!act) return
      e.preventDefault()
      act()
    }
    addEventListener('keydown', key)
    return () => removeEventListener('keydown', key)
  }, [])
}
