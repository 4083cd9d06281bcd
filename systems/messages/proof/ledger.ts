import type { Queryable } from '@posthorn/engine'
import type { Line } from '../../crash/ledger.ts'
import { countUnexplainedMessages } from './audits/queries.ts'
import { selectMessages } from './queries.ts'
import type { Witness } from './witness.ts'

/** Their delivery was not reported, or the report is lost with the server that had it. */
export const SENT_ONLY = 'messages sent, and not reported as delivered'

/** WhatsApp knows no key: what it took more than once was tried more than once, each time on record. */
export async function messageLines(db: Queryable, { accepted }: Witness): Promise<Line[]> {
  const messages = await selectMessages(db)
  const ids = new Set(messages.map(({ id }) => id))
  const times = Map.groupBy(accepted, (id) => id)
  const timesOf = (id: string) => times.get(id)?.length ?? 0
  const countOf = (...states: string[]) => messages.filter((m) => states.includes(m.status)).length
  return [
    { name: 'messages', value: messages.length, atLeast: 1 },
    { name: 'messages delivered', value: countOf('DELIVERED') },
    { name: 'messages failed', value: countOf('FAILED') },
    { name: SENT_ONLY, value: countOf('SENT'), must: 0 },
    {
      name: 'messages without an end',
      value: messages.length - countOf('DELIVERED', 'FAILED', 'SENT'),
      must: 0,
    },
    {
      name: 'delivered, and never accepted',
      value: messages.filter((m) => m.status === 'DELIVERED' && timesOf(m.id) === 0).length,
      must: 0,
    },
    {
      name: 'accepted more often than tried',
      value: messages.filter((m) => timesOf(m.id) > m.attempts).length,
      must: 0,
    },
    {
      name: 'accepted, and not ours',
      value: accepted.filter((id) => !ids.has(id)).length,
      must: 0,
    },
    { name: 'attempts left open', value: messages.filter((m) => m.trying > 0).length, must: 0 },
    {
      name: 'messages their audit does not explain',
      value: await countUnexplainedMessages(db),
      must: 0,
    },
    {
      name: 'accepted twice since no answer came',
      value: messages.filter((m) => timesOf(m.id) > 1).length,
    },
  ]
}
