import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@posthorn/engine'
import { pruneInbox, pruneKeys } from '@posthorn/engine/inbox'
import { SAGA_ID_HEADER, consumerInbox, sagaReplies } from '@posthorn/saga'
import type { Pool } from 'pg'
import type { SystemConsumer, Worker } from '../system.ts'
import { REPLIES } from './events.ts'
import { orderKeys } from './routes.ts'

export const ANSWERS = 'orders.answers'

const HOUR_MS = 3_600_000

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

/** Forgets what no message and no request can be a repeat of any more. */
export function upkeep(pool: Pool, log: Log): Worker {
  return {
    name: 'orders.upkeep',
    async run({ signal }) {
      while (!signal.aborted) {
        try {
          await pruneInbox(pool, consumerInbox, { log })
          await pruneKeys(pool, orderKeys)
        } catch (error) {
          log.warn(
            { err: error },
            'what the orders need no more could not be removed; trying again',
          )
        }
        await sleep(HOUR_MS, undefined, { signal }).catch(() => undefined)
      }
    },
  }
}
