import { transaction } from '@posthorn/engine'
import { once } from '@posthorn/engine/inbox'
import { COMMANDS, REPLIES, ReserveStock, UNDONE_BEFORE } from '../events.ts'
import { reply } from '../outbox.ts'
import { participant, type ParticipantOptions } from '../participant.ts'
import type { SystemConsumer } from '@posthorn/system'
import { reserveStock } from './reservation.ts'

export const STOCK = 'orders.stock'

/** Reserves stock. The reservation, the inbox row and the answer commit together. */
export function stockKeeper(options: ParticipantOptions, opening: number): SystemConsumer {
  const { pool, events } = options
  return participant(options, {
    group: STOCK,
    command: COMMANDS.reserve,
    payload: ReserveStock,
    refusal: REPLIES.outOfStock,
    async handle({ message, orgId, payload: { orderId, items }, receipt }) {
      await transaction(pool, (tx) =>
        once(tx, receipt, async () => {
          const came = await reserveStock(tx, { orderId, orgId, items }, opening)
          const to = { events, to: message }
          if (came.kind === 'reserved') {
            return reply(tx, to, { from: STOCK, type: REPLIES.reserved, payload: { orderId } })
          }
          const refusal =
            came.kind === 'released'
              ? UNDONE_BEFORE
              : { code: 'OUT_OF_STOCK', message: `There is too little of ${came.missing}.` }
          const payload = { orderId, ...refusal }
          return reply(tx, to, { from: STOCK, type: REPLIES.outOfStock, payload })
        }),
      )
    },
  })
}
