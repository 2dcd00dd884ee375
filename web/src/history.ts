// What was said in a conversation: the questions, a page of messages at a time.
import { get, type List, type Message } from './api'
import { newTurn, type TurnView } from './turn'

// History reads a conversation once, and what is new in it later.
export class History {
  private last = '' // the place of the newest page that was read

  constructor(private id: string) {}

  // more are the turns since the last page that was read, and those of that page again.
  async more(): Promise<TurnView[]> {
    const turns = new Map<string, TurnView>()
    for (let after: string | null = this.last; after !== null; ) {
      this.last = after
      const l: List<Message> = await get(`/v1/conversations/${this.id}/messages?limit=200${after && `&after=${after}`}`)
      for (const m of l.items) {
        if (m.role === 'person' && m.turn && !turns.has(m.turn)) turns.set(m.turn, newTurn(m.turn, m.parts.map((p) => p.text ?? '').join(''), m.at))
      }
      after = l.next
    }
    return [...turns.values()]
  }

  // texts are what the model read of the calls of a turn, by their ids. The messages of a turn stand together, so the pages about it are enough.
  static async texts(conversation: string, turn: string): Promise<Record<string, string>> {
    const out: Record<string, string> = {}
    let found = false
    for (let after: string | null = ''; after !== null; ) {
      const l: List<Message> = await get(`/v1/conversations/${conversation}/messages?limit=200${after && `&after=${after}`}`)
      for (const m of l.items) {
        if (m.turn !== turn) {
          if (found && m.turn) return out
          continue
        }
        found = true
        for (const p of m.parts) if (p.result) out[p.result.call] = p.result.withheld ? '' : p.result.text
      }
      after = l.next
    }
    return out
  }
}
