import type { Line } from '../../../proof/kit/ledger.ts'
import { answerLines } from '../../../proof/kit/stand/answers.ts'
import type { Books } from '../../../proof/kit/stand/system-proof.ts'
import type { Seen } from '../../../proof/kit/stand/witness.ts'
import { countUnexplainedMessages, selectMessages } from './queries.ts'

const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/

/** The id of a message that WhatsApp accepted, once for each time. */
export function acceptedMessage({ messageId, body }: Seen): string | undefined {
  if (messageId === undefined) return undefined
  // The id of the message, and perhaps which attempt it was.
  return UUID.exec(String(body?.['biz_opaque_callback_data']))?.[0] ?? ''
}

/** WhatsApp knows no key: what it took more than once was tried more than once, each time on record. */
export async function messageLines({ db, witness, answers }: Books): Promise<Line[]> {
  const accepted = witness.notes<string>('whatsapp')
  const messages = await selectMessages(db)
  const ids = new Set(messages.map(({ id }) => id))
  const times = Map.groupBy(accepted, (id) => id)
  const timesOf = (id: string) => times.get(id)?.length ?? 0
  const countOf = (...states: string[]) => messages.filter((m) => states.includes(m.status)).length
  return [
    ...answerLines(answers, {
      ...{ name: 'messages', path: '/api/v1/outbound/messages', things: messages },
    }),
    { name: 'messages', value: messages.length, atLeast: 1 },
    { name: 'messages delivered', value: countOf('DELIVERED') },
    { name: 'messages failed', value: countOf('FAILED') },
    // Their delivery was not reported, or the report is lost with the server that had it.
    {
      name: 'messages sent, and not reported as delivered',
      value: countOf('SENT'),
      must: 0,
      notAfter: 'moment',
    },
    {
      name: 'messages without an end',
      value: messages.length - countOf('DELIVERED', 'FAILED', 'SENT'),
      must: 0,
    },
    {
      name: 'delivered, and never accepted',
      value: messages.filter((m) => m.status === 'DELIVERED' && timesOf(m.id) === 0).length,
      must: 0,
      notAfter: 'moment',
    },
    {
      name: 'accepted more often than tried',
      value: messages.filter((m) => timesOf(m.id) > m.attempts).length,
      must: 0,
      notAfter: 'moment',
    },
    {
      name: 'accepted, and not ours',
      value: accepted.filter((id) => !ids.has(id)).length,
      must: 0,
      notAfter: 'dump',
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
