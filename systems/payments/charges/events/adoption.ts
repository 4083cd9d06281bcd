import { transaction } from '@posthorn/engine'
import type { PeriodicTask } from '@posthorn/operate'
import type { Pool } from 'pg'
import { adoptUnknown } from '../inbound/event.ts'
import { lockPayment } from '../queries.ts'
import { selectAwaited } from './queries.ts'

const EVERY_MS = 60_000
const AT_ONCE = 100

/**
 * Gives payments the events that named them in vain. Mostly a payment does so itself when it gets
 * its reference: this is for an event and an answer at the same moment, which do not see each other.
 */
export function adoption(pool: Pool): PeriodicTask {
  return {
    name: 'payments.adoption',
    everyMs: EVERY_MS,
    async step() {
      const awaited = await selectAwaited(pool, AT_ONCE)
      for (const id of awaited) {
        await transaction(pool, async (tx) => {
          const payment = await lockPayment(tx, { id })
          if (payment) await adoptUnknown(tx, payment)
        })
      }
      return awaited.length === AT_ONCE ? 'more' : undefined
    },
  }
}
