// A proposal, or a group of them, as one card: what would change, where each value comes from, and one button that says what it does.
import { useEffect, useRef, useState } from 'preact/hooks'
import { get, json, Refusal, sentence, type Change, type Group, type Proposal } from './api'
import { head, unshowable } from './showable'
import { clock, Exact, inTime, mixed, moment, plural, when } from './text'

// settle is how long a card must have stood still before its buttons do anything, in milliseconds.
const settle = 500

const moving = 'The card has just moved. Look again, then click.'

// useStill says whether the element has stood still for long enough to be clicked on purpose.
function useStill(watching: boolean) {
  const ref = useRef<HTMLElement>(null)
  const moved = useRef(performance.now())
  useEffect(() => {
    if (!watching) return
    let at = Number.NaN
    const look = () => {
      const r = ref.current?.getBoundingClientRect()
      const now = r ? r.top * 1e4 + r.bottom : 0
      if (now !== at) moved.current = performance.now()
      at = now
    }
    look()
    const timer = setInterval(look, 100)
    return () => clearInterval(timer)
  }, [watching])
  return { ref, still: () => performance.now() - moved.current >= settle }
}

interface CardProps {
  group: Group
  labels: Record<string, string> // of tables, by their names
  ended: boolean // the turn has: now it can be decided
  mayConfirm: boolean
  changed: (g: Group) => void
  renewed: (g: Group) => void
}

export function Card({ group, labels, ended, mayConfirm, changed, renewed }: CardProps) {
  const [busy, setBusy] = useState(false)
  const [message, setMessage] = useState('')
  const pending = group.proposals.filter((p) => p.state === 'pending')
  const { ref, still } = useStill(pending.length > 0 && ended)
  const single = group.proposals.length === 1

  useEffect(() => {
    if (message !== moving) return
    const timer = setTimeout(() => setMessage(''), 3 * settle)
    return () => clearTimeout(timer)
  }, [message])

  const act = async (f: () => Promise<Group>) => {
    if (busy) return
    if (!still()) return setMessage(moving)
    setBusy(true)
    setMessage('')
    try {
      changed(await f())
    } catch (e) {
      setMessage(await after(e))
    }
    setBusy(false)
  }

  // after a refusal or a lost line, the server says how things stand.
  const after = async (e: unknown): Promise<string> => {
    if (e instanceof Refusal && e.problem.code === 'stale') {
      if (e.problem.group) renewed(e.problem.group)
      else if (e.problem.proposal) renewed(await get<Group>(`/v1/proposal-groups/${e.problem.proposal.group}`))
    }
    try {
      changed(await get<Group>(`/v1/proposal-groups/${group.id}`))
    } catch {
      return 'Sent, but the server does not answer. Reload the page to see what became of it before you do it again.'
    }
    return e instanceof Refusal && e.problem.code === 'stale' ? '' : sentence(e) // the card says it
  }

  const confirm = () =>
    act(async () => {
      if (single) return asGroup(await json<Proposal>('POST', `/v1/proposals/${pending[0].id}/confirm`, { hash: pending[0].hash }))
      return json<Group>('POST', `/v1/proposal-groups/${group.id}/confirm`, { proposals: pending.map((p) => ({ id: p.id, hash: p.hash })) })
    })
  const reject = () => act(() => json<Group>('POST', `/v1/proposal-groups/${group.id}/reject`))
  const rejectOne = (p: Proposal) =>
    act(async () => {
      await json<Proposal>('POST', `/v1/proposals/${p.id}/reject`)
      return get<Group>(`/v1/proposal-groups/${group.id}`)
    })

  const hidden = pending.length > 0 ? unshowable(pending) : ''
  const deletes = group.proposals.some((p) => goes(p) && p.changes.some((c) => c.verb === 'delete'))
  return (
    <section ref={ref} id={group.id} class={`card ${group.state} ${deletes ? 'deletes' : ''}`} aria-label={title(group)} data-card tabIndex={-1}>
      <header>
        <h3><Exact text={title(group)} /></h3>
        {pending.length > 0 && <span class="faint" title={moment(pending[0].expires_at)}>expires {inTime(pending[0].expires_at)}</span>}
      </header>
      {ordered(group.proposals).map((p) => (
        <Part key={p.id} p={p} labels={labels} numbered={!single}>
          {!single && p.state === 'pending' && ended && mayConfirm && <button type="button" class="quiet" disabled={busy} onClick={() => rejectOne(p)}>Reject this one</button>}
        </Part>
      ))}
      {pending.length > 0 && (
        <footer>
          {hidden ? <p class="warning whole">Not all of this can be shown, so it cannot be confirmed. {hidden} Reject it, and ask for less at once.</p> : <p class="faint">{waiting(pending[0], ended, mayConfirm)}</p>}
          {mayConfirm && <span class="actions">
            <button type="button" disabled={busy || !ended} onClick={reject}>{pending.length > 1 ? 'Reject all' : 'Reject'}</button>
            {!hidden && <button type="button" class={deletes ? 'confirm danger' : 'confirm primary'} disabled={busy || !ended} onClick={confirm}>{busy ? 'Working…' : verb(pending)}</button>}
          </span>}
        </footer>
      )}
      <p class="message" role="status">{message}</p>
    </section>
  )
}

function waiting(p: Proposal, ended: boolean, mayConfirm: boolean): string {
  if (!mayConfirm) return 'Nothing is changed yet. This sign-in may not confirm.'
  if (!ended) return 'Nothing is changed yet. You can decide when the answer is complete.'
  return `Written by the assistant from your message of ${clock(p.created_at)}. Nothing is changed yet.`
}

export const asGroup = (p: Proposal): Group => ({ id: p.group, state: p.state, proposals: [p] })

function title(g: Group): string {
  return g.proposals.length === 1 ? g.proposals[0].summary : `${plural(g.proposals.length, 'change')} that belong together`
}

// ordered puts deletes first; the numbers stay those of the order they run in.
function ordered(ps: Proposal[]): Proposal[] {
  const rank = (p: Proposal) => (p.changes.some((c) => c.verb === 'delete') ? 0 : 1)
  return [...ps].sort((a, b) => rank(a) - rank(b) || a.position - b.position)
}

// verb is what the button does.
function verb(ps: Proposal[]): string {
  if (ps.every((p) => !p.table)) return 'Confirm' // nothing of the application's: an analysis that is kept
  const records = ps.flatMap((p) => byRecord(p.changes))
  const number = (v: string) => records.filter((r) => r.verb === v).length
  const [deletes, creates] = [number('delete'), number('create')]
  if (deletes && deletes === records.length) return `Delete ${plural(deletes, 'record')}`
  if (creates && creates === records.length) return `Create ${plural(creates, 'record')}`
  const fields = records.reduce((n, r) => n + (r.verb === 'update' ? r.lines.length : 0), 0)
  const of = deletes ? `, ${deletes} of them ${deletes === 1 ? 'a delete' : 'deletes'}` : ''
  return `Confirm ${plural(fields + creates + deletes, 'change')}${of}`
}

interface OfRecord {
  verb: Change['verb']
  lines: Change[]
}

// byRecord puts the lines of one record together: what goes first, otherwise in the order they run in. A field that comes again belongs
// to another new record.
function byRecord(changes: Change[]): OfRecord[] {
  const out: OfRecord[] = []
  for (const c of changes) {
    const of = out.findLast((r) => r.verb === c.verb && r.lines[0].table === c.table && r.lines[0].record === c.record)
    if (of && !of.lines.some((l) => l.field === c.field)) of.lines.push(c)
    else out.push({ verb: c.verb, lines: [c] })
  }
  const rank = (r: OfRecord) => (r.verb === 'delete' ? 0 : 1)
  return out.sort((a, b) => rank(a) - rank(b))
}

const verbs = { create: 'Create', update: 'Change', delete: 'Delete' }

// RecordName says which record the lines beneath are of.
function RecordName({ of: { verb, lines: [c] }, labels }: { of: OfRecord; labels: Record<string, string> }) {
  const label = c.record_label && c.record_label !== c.record ? c.record_label : ''
  return (
    <tr>
      <th scope="rowgroup" colSpan={5} class="record-name">
        {verbs[verb]} · <Exact text={labels[c.table] || c.table} />{c.record !== null && <> · <Exact text={label || c.record} /></>}{label && <> <span class="id"><Exact text={c.record!} /></span></>}
      </th>
    </tr>
  )
}

const unseen = ' stands neither in your messages nor in the data.'

function Part({ p, labels, numbered, children }: { p: Proposal; labels: Record<string, string>; numbered: boolean; children: any }) {
  const made = p.changes.filter((c) => c.source === 'model') // their lines say so themselves
  const beside = (w: string) => w.endsWith(unseen) && made.some((c) => w.startsWith(c.label + ': '))
  const texts = [p.summary, ...p.changes.flatMap((c) => [c.label, c.record_label, c.before_label, c.after_label, c.after])]
  const words = texts.map((t) => mixed(t ?? '')).filter(Boolean)
  const records = byRecord(p.changes)
  return (
    <div class={goes(p) && records.some((r) => r.verb === 'delete') ? 'part deletes' : 'part'}>
      {numbered && <h4><span class="faint">{p.position}</span> <Exact text={p.summary} /> {children}</h4>}
      {records.length > 0 && <table class="changes">
        <colgroup><col class="name" /><col /><col class="arrow" /><col /><col class="source" /></colgroup>
        {records.map((r, i) => (
          <tbody key={i} class={goes(p) ? r.verb : ''}>
            {records.length > 1 && <RecordName of={r} labels={labels} />}
            {r.lines.map((c, j) => <Line key={j} c={c} goes={goes(p)} />)}
          </tbody>
        ))}
      </table>}
      {[...p.warnings.filter((w) => !beside(w)), ...new Set(words)].map((w, i) => <p key={i} class="warning">⚠ <Exact text={w} /></p>)}
      {p.state !== 'pending' && <Outcome p={p} />}
    </div>
  )
}

// goes says whether what a delete names is to go, or has gone.
const goes = (p: Proposal) => p.state === 'pending' || p.state === 'confirming' || p.state === 'done'

function Line({ c, goes }: { c: Change; goes: boolean }) {
  const created = c.verb === 'create'
  if (c.source === 'default') return <tr class="unasked"><Field c={c} /><td colSpan={4}>{c.after === null ? <span class="faint">given by the application</span> : <><Side value={c.after} /> <span class="faint">(default)</span></>}</td></tr>
  if (c.verb === 'delete') return <tr><Field c={c} /><td colSpan={4}><Side value={c.before} label={c.before_label} gone={goes} /></td></tr>
  if (long(c)) {
    return (
      <>
        <tr class="long"><Field c={c} /><td colSpan={3}>{created ? <span class="faint">new</span> : <Side value={c.before} label={c.before_label} />}</td><td class={c.source === 'model' ? 'source warning' : 'source'}>{source(c)}</td></tr>
        <tr class="long"><td class="arrow becomes" aria-label="becomes">→</td><td colSpan={4}><Side value={c.after} label={c.after_label} /></td></tr>
      </>
    )
  }
  return (
    <tr>
      <Field c={c} />
      <td>{created ? <span class="faint">new</span> : <Side value={c.before} label={c.before_label} />}</td>
      <td class="arrow" aria-label="becomes">→</td>
      <td><Side value={c.after} label={c.after_label} /></td>
      <td class={c.source === 'model' ? 'source warning' : 'source'}>{source(c)}</td>
    </tr>
  )
}

// long texts stand above each other, not side by side.
const long = (c: Change) => (c.before?.length ?? 0) > 120 || (c.after?.length ?? 0) > 120

// Field is what a line is about; a path within JSON has keys that anybody may have written.
const Field = ({ c }: { c: Change }) => <th scope="row" title={c.field}><Exact text={c.label || c.field} /></th>

function Side({ value, label, gone }: { value: string | null; label?: string; gone?: boolean }) {
  if (value === null) return <span class="faint">(nothing)</span>
  if (value === '') return <span class="faint">(empty)</span>
  const { text, rest } = head(value)
  if (text === '(nothing)' || text === '(empty)') return <span>“{text}”</span> // it says so itself
  const exact = rest ? <><Exact text={text} /><span class="warning"> … and {rest.toLocaleString('en-GB')} more characters that are not shown</span></> : <Exact text={text} />
  const shown = label ? <><Exact text={head(label).text} /> <span class="id">{exact}</span></> : exact
  return gone ? <del>{shown}</del> : shown
}

function source(c: Change): string {
  switch (c.source) {
    case 'person':
      return 'you said this'
    case 'data':
      return 'from the data'
    case 'model':
      return '⚠ from neither you nor data'
  }
  return ''
}

function Outcome({ p }: { p: Proposal }) {
  const w = p.decided_at && p.state !== 'unknown' ? when(p.decided_at) : ''
  const at = w && ` ${p.state === 'done' ? w : w[0].toUpperCase() + w.slice(1)}.`
  return <p class={`outcome ${p.state}`}><strong>{stateWords(p)}</strong>{at} {p.outcome && !p.renewed && !said(p) && <Exact text={p.outcome} />}</p>
}

// said: the outcome adds nothing to the words for the state.
const said = (p: Proposal) => p.state === 'rejected' || p.state === 'expired' || p.outcome === 'Done.' || p.outcome === stateWords(p)

function stateWords(p: Proposal): string {
  switch (p.state) {
    case 'confirming':
      return 'Being carried out.'
    case 'done':
      return 'Done by you'
    case 'failed':
      return 'Nothing was changed.'
    case 'unknown':
      return `Not known: it was sent${p.decided_at ? ' ' + when(p.decided_at) : ''}, but no answer came. ${p.table ? 'Check the record' : 'Look'} before you do it again.`
    case 'rejected':
      return 'You turned this down. Nothing was changed.'
    case 'expired':
      return 'Expired. Nothing was changed.'
    case 'stale':
      return p.renewed ? 'Changed meanwhile, so nothing was written. The new difference is below.' : 'Changed meanwhile, so nothing was written.'
  }
  return ''
}
