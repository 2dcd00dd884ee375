// The state of the page and what changes it. One Desk is one signed-in person.
import { get, json, Refusal, sentence, type Conversation, type Group, type List, type Me, type Message, type Proposal } from './api'
import { follow, Lost, say, type TurnEvent } from './stream'
import { setZone } from './text'
import { apply, newTurn, type TurnView } from './turn'

export interface State {
  me: Me | null
  conversations: Conversation[]
  more: string | null // the next page of conversations
  current: string // conversation; empty: a new one
  loading: boolean
  turns: TurnView[]
  groups: Record<string, Group> // by id
  groupOf: Record<string, string> // proposal id → group id
  inbox: Proposal[]
  error: string
  draft: string // put back into the ask box when a message could not be sent
  view: 'talk' | 'log'
  announce: string
}

const empty: State = {
  me: null, conversations: [], more: null, current: '', loading: false, turns: [], groups: {}, groupOf: {}, inbox: [], error: '', draft: '', view: 'talk', announce: '',
}

// parallel is how many finished turns are read at once when a conversation is opened.
const parallel = 4

export class Desk {
  state: State = empty
  private listeners = new Set<() => void>()
  private visit = 0 // grows when another conversation is opened: what came for the old one is dropped
  private closed = false

  constructor(private signedOut: (why: string) => void) {}

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
  }

  // failed shows what went wrong; a credential that is no longer good leads to the sign-in.
  failed(e: unknown) {
    if (e instanceof Refusal && e.problem.status === 401) this.signedOut('Sign in again: this token is not accepted.')
    else this.set({ error: sentence(e) })
  }

  async start() {
    try {
      const me = await get<Me>('/v1/me')
      setZone(me.person.zone)
      this.set({ me })
      await Promise.all([this.listConversations(), this.readInbox()])
      const id = location.hash.slice(1)
      if (/^cnv_[a-z0-9]+$/.test(id)) await this.open(id)
    } catch (e) {
      this.failed(e)
    }
  }

  async refresh() {
    try {
      this.set({ me: await get<Me>('/v1/me') })
      await Promise.all([this.listConversations(), this.readInbox()])
    } catch (e) {
      this.failed(e)
    }
  }

  async listConversations() {
    const l = await get<List<Conversation>>('/v1/conversations')
    this.set({ conversations: l.items, more: l.next })
  }

  async moreConversations() {
    const l = await get<List<Conversation>>(`/v1/conversations?after=${this.state.more}`)
    this.set({ conversations: [...this.state.conversations, ...l.items], more: l.next })
  }

  async readInbox() {
    this.set({ inbox: (await get<List<Proposal>>('/v1/proposals?state=pending')).items })
  }

  fresh() {
    this.visit++
    history.replaceState(null, '', location.pathname)
    this.set({ current: '', turns: [], groups: {}, groupOf: {}, error: '', loading: false, view: 'talk' })
  }

  async open(id: string) {
    const visit = ++this.visit
    history.replaceState(null, '', '#' + id)
    this.set({ current: id, turns: [], groups: {}, groupOf: {}, error: '', loading: true, view: 'talk' })
    try {
      const turns = await this.history(id)
      if (visit !== this.visit) return
      this.set({ turns })
      const waiting = turns.map((t) => t.id)
      const worker = async () => {
        for (let t = waiting.pop(); t !== undefined; t = waiting.pop()) await this.replay(t, visit)
      }
      await Promise.all(Array.from({ length: parallel }, worker))
    } catch (e) {
      if (visit === this.visit) this.failed(e)
    }
    if (visit === this.visit) this.set({ loading: false })
  }

  // history is each turn's question; what followed from it comes from the turn's own events.
  private async history(id: string): Promise<TurnView[]> {
    const turns: TurnView[] = []
    let after = ''
    do {
      const l: List<Message> = await get(`/v1/conversations/${id}/messages?limit=200${after}`)
      for (const m of l.items) {
        if (m.role !== 'person' || !m.turn || turns.some((t) => t.id === m.turn)) continue
        turns.push(newTurn(m.turn, m.parts.map((p) => p.text ?? '').join(''), m.at))
      }
      after = l.next ? `&after=${l.next}` : ''
    } while (after)
    return turns
  }

  private async replay(turn: string, visit: number) {
    let view = this.state.turns.find((t) => t.id === turn)!
    const batch: TurnEvent[] = []
    const ended = (await get<{ state: string }>(`/v1/turns/${turn}`)).state !== 'running'
    await follow(turn, this.following(visit, (e) => {
      if (ended) batch.push(e) // shown at once, not word by word again
      else this.event(turn, e)
    }, turn))
    if (!ended || visit !== this.visit) return
    view = batch.reduce(apply, view)
    this.set({ turns: this.state.turns.map((t) => (t.id === turn ? view : t)) })
    for (const i of view.items) if (i.kind === 'proposal') void this.readProposal(i.id)
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
    if (e.name === 'turn.finished') this.finished(e.data.text)
  }

  private finished(text: string) {
    this.set({ announce: text || 'The answer is complete.' })
    void this.refresh()
  }

  async ask(text: string) {
    const mine = { ...newTurn('', text, new Date().toISOString()) }
    this.set({ error: '', draft: '', turns: [...this.state.turns, mine] })
    const visit = this.visit
    try {
      if (!this.state.current) {
        const c = await json<Conversation>('POST', '/v1/conversations', {})
        if (visit !== this.visit) return
        history.replaceState(null, '', '#' + c.id)
        this.set({ current: c.id })
      }
      let turn = ''
      const known = this.state.turns.map((t) => t.id)
      const find = async () => (await this.history(this.state.current)).findLast((t) => t.question === text && !known.includes(t.id))?.id ?? ''
      await say(this.state.current, text, find, this.following(visit, (e) => {
        if (e.name === 'turn.started') {
          turn = e.data.turn
          this.set({ turns: this.state.turns.map((t) => (t.id === '' ? apply(t, e) : t)) })
          void this.listConversations().catch(() => {})
        } else this.event(turn, e)
      }, ''))
    } catch (e) {
      if (visit !== this.visit) return
      this.set({ turns: this.state.turns.filter((t) => t.id !== ''), draft: text })
      if (e instanceof Lost) this.set({ error: 'Your message did not reach the server. Send it again.' })
      else this.failed(e)
    }
  }

  async stop() {
    const t = this.state.turns.find((t) => t.state === 'running' && t.id)
    if (!t) return
    try {
      await json('POST', `/v1/turns/${t.id}/cancel`)
    } catch (e) {
      this.failed(e)
    }
  }

  // killSwitch is the operator's.
  async killSwitch(all: boolean, reason: string) {
    try {
      await json('PUT', '/v1/admin/kill-switch', { all, reason })
      await this.refresh()
    } catch (e) {
      this.failed(e)
    }
  }

  // readProposal brings the card up to date.
  async readProposal(id: string) {
    try {
      const p = await get<Proposal>(`/v1/proposals/${id}`)
      this.group(await get<Group>(`/v1/proposal-groups/${p.group}`))
    } catch (e) {
      if (!(e instanceof Refusal && e.problem.status === 404)) this.failed(e)
    }
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
    try {
      this.group(await get<Group>(`/v1/proposal-groups/${id}`))
    } catch (e) {
      this.failed(e)
    }
  }

  decided(g: Group) {
    this.group(g)
    this.set({ announce: g.proposals.map((p) => `${p.summary}: ${p.state}`).join('. ') })
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
