// The state of the page and what changes it. One Desk is one signed-in person.
import { all, get, json, onceKey, Refusal, sentence, unreachable, type Call, type Conversation, type Group, type List, type Me, type Proposal, type Toolset } from './api'
import { History } from './history'
import { follow, Lost, say, type TurnEvent } from './stream'
import { plural, setZone } from './text'
import { apply, newTurn, type TurnView } from './turn'

export interface State {
  me: Me | null
  term: string // part of a title that the conversations are searched for
  conversations: Conversation[] | null // null: not read yet
  more: string | null // the next page of conversations
  current: string // conversation; empty: a new one
  loading: boolean
  turns: TurnView[]
  from: number // the first turn that is shown; those before are read when they are asked for
  groups: Record<string, Group> // by id
  groupOf: Record<string, string> // proposal id → group id
  calls: Record<string, Call> // rows of the log, by id
  inbox: Proposal[]
  toolsets: Toolset[] // as they stand in this conversation
  error: string
  down: boolean // the server does not answer
  draft: string // put back into the ask box when a message could not be sent
  view: 'talk' | 'log'
  announce: string
}

const nowhere = { current: '', turns: [], from: 0, groups: {}, groupOf: {}, calls: {}, error: '', loading: false, view: 'talk' } satisfies Partial<State>

const empty: State = { ...nowhere, me: null, term: '', conversations: null, more: null, inbox: [], toolsets: [], down: false, draft: '', announce: '' }

// parallel is how many finished turns are read at once when a conversation is opened; shown is how many of them are at first.
const parallel = 4
const shown = 30

export class Desk {
  state: State = empty
  private listeners = new Set<() => void>()
  private visit = 0 // grows when another conversation is opened: what came for the old one is dropped
  private closed = false
  private history = new History('')
  private syncing = false
  private retry = 0
  private tabs = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('deputy')

  constructor(private signedOut: (why: string) => void) {
    if (this.tabs) this.tabs.onmessage = (e) => void this.elsewhere(String(e.data))
  }

  subscribe(f: () => void) {
    this.listeners.add(f)
    return () => void this.listeners.delete(f)
  }

  set(patch: Partial<State>) {
    this.state = { ...this.state, ...patch }
    this.listeners.forEach((f) => f())
  }

  close() {
    this.closed = true
    this.tabs?.close()
    clearTimeout(this.retry)
  }

  // failed shows what went wrong; a credential that is no longer good leads to the sign-in, a server that is away is waited for.
  failed(e: unknown) {
    if (this.closed) return
    if (e instanceof Refusal && e.problem.status === 401) this.signedOut('Sign in again: this token is not accepted.')
    else if (unreachable(e)) this.waitForServer()
    else if (e instanceof Refusal && e.problem.status === 404) this.set({ error: 'That is not there any more.' })
    else this.set({ error: sentence(e) })
  }

  private waitForServer() {
    clearTimeout(this.retry)
    this.set({ down: true })
    this.retry = window.setTimeout(() => void this.refresh(), 3000)
  }

  async start() {
    const id = location.hash.slice(1)
    if (!(await this.refresh())) return
    if (/^cnv_[a-z0-9]+$/.test(id)) await this.open(id)
  }

  // refresh reads what may have changed elsewhere; it says whether the server answered.
  async refresh(): Promise<boolean> {
    try {
      const me = await get<Me>('/v1/me')
      if (this.closed) return false
      setZone(me.person.zone)
      const again = this.state.down
      this.set({ me, down: false })
      await Promise.all([this.listConversations(), this.readInbox(), this.readToolsets()])
      if (again) void this.afterSilence()
      return true
    } catch (e) {
      this.failed(e)
      return false
    }
  }

  private async afterSilence() {
    const id = this.state.current || location.hash.slice(1)
    if (id && !this.state.turns.length) await this.open(id)
    else await this.sync()
  }

  async listConversations() {
    const { term } = this.state
    const l = await get<List<Conversation>>(`/v1/conversations${term && `?term=${encodeURIComponent(term)}`}`)
    if (term === this.state.term) this.set({ conversations: l.items, more: l.next })
  }

  async moreConversations() {
    const { term, more, conversations } = this.state
    const l = await get<List<Conversation>>(`/v1/conversations?after=${more}${term && `&term=${encodeURIComponent(term)}`}`)
    if (term === this.state.term) this.set({ conversations: [...(conversations ?? []), ...l.items], more: l.next })
  }

  async search(term: string) {
    this.set({ term })
    await this.attempt(() => this.listConversations())
  }

  async rename(id: string, title: string) {
    await this.attempt(async () => {
      await json('PATCH', `/v1/conversations/${id}`, { title })
      await this.listConversations()
    })
  }

  async remove(id: string) {
    await this.attempt(async () => {
      await json('DELETE', `/v1/conversations/${id}`)
      if (this.state.current === id) this.fresh()
      this.set({ announce: 'The conversation is deleted.' })
      this.tabs?.postMessage('') // their lists
      await Promise.all([this.listConversations(), this.readInbox()])
    })
  }

  private async attempt(f: () => Promise<unknown>) {
    try {
      await f()
    } catch (e) {
      this.failed(e)
    }
  }

  async readInbox() {
    this.set({ inbox: await all<Proposal>('/v1/proposals?state=pending', 5) })
  }

  // readToolsets reads which are active here; in a conversation that has not begun, none is.
  private async readToolsets() {
    const { current } = this.state
    const l = await get<List<Toolset>>(`/v1/toolsets${current && `?conversation=${current}`}`)
    if (current === this.state.current) this.set({ toolsets: l.items })
  }

  // switchToolset switches one on or off, in a conversation that begins with it where there is none.
  async switchToolset(name: string, active: boolean) {
    const visit = this.visit
    await this.attempt(async () => {
      await this.begin(visit)
      if (visit !== this.visit) return
      await json('PUT', `/v1/conversations/${this.state.current}/toolsets/${encodeURIComponent(name)}`, { active })
      await this.readToolsets()
    })
  }

  // begin makes the conversation that is to be spoken in.
  private async begin(visit: number) {
    if (this.state.current) return
    const c = await json<Conversation>('POST', '/v1/conversations', {})
    if (visit !== this.visit) return
    history.replaceState(null, '', '#' + c.id)
    this.history = new History(c.id)
    this.set({ current: c.id })
  }

  fresh() {
    this.visit++
    history.replaceState(null, '', location.pathname)
    this.set(nowhere)
    void this.attempt(() => this.readToolsets())
  }

  async open(id: string) {
    const visit = ++this.visit
    history.replaceState(null, '', '#' + id)
    this.set({ ...nowhere, current: id, loading: true })
    this.history = new History(id)
    try {
      const turns = await this.history.more()
      if (visit !== this.visit) return
      const asked = this.state.turns // while it was read
      const before = turns.filter((t) => !asked.some((x) => x.id === t.id))
      this.set({ turns: [...before, ...asked], from: Math.max(0, before.length - shown) })
      void this.readCalls(`conversation=${id}`)
      void this.attempt(() => this.readToolsets())
      await this.replayAll(before.slice(-shown), visit)
    } catch (e) {
      if (visit !== this.visit) return
      if (e instanceof Refusal && e.problem.status === 404) this.fresh()
      this.failed(e)
    }
    if (visit === this.visit) this.set({ loading: false })
  }

  // earlier shows the turns before those that are shown.
  async earlier() {
    const { turns, from } = this.state
    const start = Math.max(0, from - shown)
    const visit = this.visit
    this.set({ loading: true })
    await this.attempt(() => this.replayAll(turns.slice(start, from), visit))
    if (visit === this.visit) this.set({ from: start, loading: false })
  }

  private async replayAll(turns: TurnView[], visit: number) {
    const waiting = turns.map((t) => t.id)
    const worker = async () => {
      for (let t = waiting.pop(); t !== undefined && visit === this.visit; t = waiting.pop()) await this.replay(t, visit)
    }
    await Promise.all(Array.from({ length: parallel }, worker))
  }

  // readCalls finds the words for the lines of calls; without them the lines stand all the same.
  private async readCalls(of: string) {
    const visit = this.visit
    try {
      const l = await get<List<Call>>(`/v1/tool-calls?${of}&limit=200`)
      if (visit !== this.visit) return
      const calls = { ...this.state.calls }
      for (const c of l.items) if (c.phase === 'turn') calls[c.id] = c
      this.set({ calls })
    } catch {
      // the log may be read later, when a line is opened
    }
  }

  // replay makes a turn out of its events. Only the last one of a conversation can still run.
  private async replay(turn: string, visit: number) {
    const batch: TurnEvent[] = []
    const last = this.state.turns.at(-1)?.id === turn
    const ended = !last || (await get<{ state: string }>(`/v1/turns/${turn}`)).state !== 'running'
    if (!ended && visit === this.visit) this.set({ turns: this.state.turns.map((t) => (t.id === turn ? { ...t, state: 'running' } : t)) })
    await follow(turn, this.following(visit, (e) => {
      if (ended) batch.push(e) // shown at once, not word by word again
      else this.event(turn, e)
    }, turn))
    if (!ended || visit !== this.visit) return
    let proposals: string[] = []
    this.set({
      turns: this.state.turns.map((t) => {
        if (t.id !== turn) return t
        const view = batch.reduce(apply, t)
        proposals = view.items.flatMap((i) => (i.kind === 'proposal' ? [i.id] : []))
        return view
      }),
    })
    for (const p of proposals) if (!this.state.groupOf[p]) await this.readProposal(p)
  }

  private following(visit: number, event: (e: TurnEvent) => void, turn: string) {
    return {
      event,
      lost: (lost: boolean) => {
        const t = this.state.turns.find((t) => t.id === turn || (turn === '' && t.state === 'running'))
        if (visit === this.visit && t && t.lost !== lost) this.set({ turns: this.state.turns.map((x) => (x === t ? { ...t, lost } : x)) })
      },
      gone: () => this.closed || visit !== this.visit,
    }
  }

  private event(turn: string, e: TurnEvent) {
    this.set({ turns: this.state.turns.map((t) => (t.id === turn ? apply(t, e) : t)) })
    if (e.name === 'proposal.created') void this.readProposal(e.data.proposal)
    if (e.name === 'toolset.changed') this.set({ toolsets: this.state.toolsets.map((s) => ({ ...s, active: e.data.active.includes(s.name) })) })
    if (e.name === 'tool.finished') void this.readCalls(`turn=${turn}`)
    if (e.name === 'turn.finished') this.finished(e.data.text, this.state.turns.find((t) => t.id === turn)?.items.filter((i) => i.kind === 'proposal').length ?? 0)
  }

  private finished(text: string, proposals: number) {
    const cards = proposals ? ` ${plural(proposals, 'change waits', 'changes wait')} for you to confirm.` : ''
    this.set({ announce: (text ? text.slice(0, 1000) : 'The answer is complete.') + cards })
    this.tell()
    void this.refresh()
  }

  // tell says to the other tabs that something happened in this conversation; what it was they read themselves.
  private tell() {
    if (this.state.current) this.tabs?.postMessage(this.state.current)
  }

  private async elsewhere(conversation: string) {
    if (this.closed) return
    if (conversation === this.state.current) await this.sync()
    await this.attempt(() => Promise.all([this.listConversations(), this.readInbox()]))
  }

  // sync shows what was said and decided in this conversation elsewhere: in another tab, or through another door.
  async sync() {
    const { current } = this.state
    if (this.syncing || !current || this.state.loading || this.state.turns.some((t) => !t.id)) return
    this.syncing = true
    const visit = this.visit
    try {
      const found = await this.history.more()
      if (visit !== this.visit || this.state.turns.some((t) => !t.id)) return
      const news = found.filter((t) => !this.state.turns.some((x) => x.id === t.id))
      if (news.length) this.set({ turns: [...this.state.turns, ...news] })
      const open = Object.values(this.state.groups).filter((g) => g.state === 'pending' || g.state === 'confirming')
      await Promise.all(open.map((g) => this.readGroup(g.id)))
      void this.attempt(() => this.replayAll(news, visit))
    } catch (e) {
      if (visit === this.visit) this.failed(e)
    } finally {
      this.syncing = false
    }
  }

  async ask(text: string) {
    const mine = newTurn('', text, new Date().toISOString(), 'running')
    this.set({ error: '', draft: '', turns: [...this.state.turns, mine] })
    const visit = this.visit
    try {
      await this.begin(visit)
      if (visit !== this.visit) return
      let turn = ''
      const known = this.state.turns.map((t) => t.id)
      const find = async () => (await this.history.more()).findLast((t) => t.question === text && !known.includes(t.id))?.id ?? ''
      await say(this.state.current, text, onceKey(), find, this.following(visit, (e) => {
        if (e.name === 'turn.started') {
          turn = e.data.turn
          this.set({ turns: this.state.turns.map((t) => (t.id === '' ? apply(t, e) : t)) })
          this.tell()
          void this.listConversations().catch(() => {})
        } else this.event(turn, e)
      }, ''))
    } catch (e) {
      if (visit === this.visit) this.unsaid(text, e)
    }
  }

  // unsaid puts a message that was not taken back into the box.
  private unsaid(text: string, e: unknown) {
    this.set({ turns: this.state.turns.filter((t) => t.id !== ''), draft: text })
    if (e instanceof Lost) this.set({ error: 'Your message did not reach the server. It is in the box again: send it once more.' })
    else if (e instanceof Refusal && e.problem.code === 'conflict') {
      this.set({ error: 'An answer is still being written here, perhaps in another tab. Your message is kept in the box: send it when that is done.' })
      void this.sync()
    } else this.failed(e)
  }

  async stop() {
    const t = this.state.turns.find((t) => t.state === 'running' && t.id)
    if (t) await this.attempt(() => json('POST', `/v1/turns/${t.id}/cancel`))
  }

  // killSwitch is the operator's.
  async killSwitch(all: boolean, reason: string) {
    await this.attempt(async () => {
      await json('PUT', '/v1/admin/kill-switch', { all, reason })
      await this.refresh()
    })
  }

  // readProposal brings the card up to date.
  async readProposal(id: string) {
    try {
      await this.readGroup(this.state.groupOf[id] ?? (await get<Proposal>(`/v1/proposals/${id}`)).group)
    } catch (e) {
      if (!(e instanceof Refusal && e.problem.status === 404)) this.failed(e)
    }
  }

  private async readGroup(id: string) {
    this.group(await get<Group>(`/v1/proposal-groups/${id}`))
  }

  group(g: Group) {
    const groupOf = { ...this.state.groupOf }
    for (const p of g.proposals) groupOf[p.id] = g.id
    this.set({ groups: { ...this.state.groups, [g.id]: g }, groupOf })
    for (const p of g.proposals) if (p.renewed && p.renewed !== p.id) void this.readRenewed(p.renewed)
  }

  private async readRenewed(id: string) {
    if (this.state.groups[id] || this.state.groupOf[id]) return
    if (!id.startsWith('grp_')) return this.readProposal(id)
    await this.attempt(() => this.readGroup(id))
  }

  decided(g: Group) {
    this.group(g)
    this.set({ announce: g.proposals.map((p) => `${p.summary}: ${p.state}`).join('. ') })
    this.tell()
    void this.readInbox().catch(() => {})
  }

  // renewedBy lists the groups that took the place of a group's stale proposals, and what took theirs.
  renewedBy(id: string): string[] {
    const next = new Set<string>()
    for (const p of this.state.groups[id]?.proposals ?? []) {
      const r = p.renewed && (this.state.groups[p.renewed] ? p.renewed : this.state.groupOf[p.renewed])
      if (r && r !== id) next.add(r)
    }
    return [...next].flatMap((n) => [n, ...this.renewedBy(n)])
  }
}
