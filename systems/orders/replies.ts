import { SAGA_ID_HEADER, sagaReplies } from '@posthorn/saga'
import type { Pool } from 'pg'
import type { SystemConsumer } from '../system.ts'
import { REPLIES } from './events.ts'

export const ANSWERS = 'orders.answers'

const isReply: ReadonlySet<string> = new Set(Object.values(REPLIES))

/** Brings the participants' answers to the sagas; their own commands come by on the same topic. */
export function answers(pool: Pool, transport: string, topic: string): SystemConsumer {
  const consumer = sagaReplies({
    pool,
    topic,
    group: ANSWERS,
    sagaIdOf: ({ type, headers }) => (isReply.has(type) ? headers[SAGA_ID_HEADER] : undefined),
  })
  return { ...consumer, transport }
}
