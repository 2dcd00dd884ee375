// The log of tool calls: one row for every call, refused or not.
import { useEffect, useState } from 'preact/hooks'
import { get, sentence, type Call, type List } from './api'
import type { Desk } from './desk'
import { moment, plainly } from './text'

export function Log({ desk }: { desk: Desk }) {
  const [items, setItems] = useState<Call[]>([])
  const [next, setNext] = useState<string | null>(null)
  const [state, setState] = useState('Reading the log…')
  const load = async (after: string | null) => {
    try {
      const l = await get<List<Call>>(`/v1/tool-calls${after ? `?after=${after}` : ''}`)
      setItems((old) => (after ? [...old, ...l.items] : l.items))
      setNext(l.next)
      setState(l.items.length || after ? '' : 'No call yet.')
    } catch (e) {
      setState(sentence(e))
    }
  }
  useEffect(() => void load(null), [])
  return (
    <main class="talk" aria-label="Log">
      <div class="log">
        <h2>Log of calls</h2>
        <p class="faint">{desk.state.me?.audit ? 'Everybody’s: your role may audit.' : 'Yours.'} One row for every call, newest first.</p>
        {state && <p>{state}</p>}
        {items.length > 0 && (
          <div class="scroll" tabIndex={0} role="region" aria-label="Log of calls">
            <table>
              <thead><tr><th>Time</th><th>Person</th><th>Tool</th><th>Phase</th><th>Outcome</th><th class="num">Rows</th><th class="num">ms</th></tr></thead>
              <tbody>
                {items.map((c, i) => (
                  <tr key={i}>
                    <td><time title={c.at}>{moment(c.at)}</time></td><td>{plainly(c.person)}</td><td title={c.operation}>{plainly(c.tool)}</td><td>{c.phase}</td>
                    <td class={/refused|failed|unknown/.test(c.outcome) ? 'bad' : ''}>{c.outcome}{c.error_code ? ` · ${c.error_code}` : ''}</td>
                    <td class="num">{c.returned}</td><td class="num">{c.duration_ms}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
        <p>
          {next && <button type="button" onClick={() => void load(next)}>Older</button>} <button type="button" onClick={() => void load(null)}>Read again</button> <button type="button" onClick={() => desk.set({ view: 'talk' })}>Close</button>
        </p>
      </div>
    </main>
  )
}
