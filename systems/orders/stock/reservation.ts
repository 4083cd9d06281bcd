import { type Transaction, transaction } from '@posthorn/engine'
import { OUT_OF_STOCK, type OrderKey } from '../order.ts'
import {
  type Reservation,
  changeStock,
  endReservation,
  findReservation,
  insertReservation,
  lockStock,
  openStock,
  recallReservation,
  refuseReservation,
} from './queries.ts'
import { once } from '@posthorn/engine/inbox'
import { COMMANDS, REPLIES, ReserveStock, UNDONE_BEFORE } from '../events.ts'
import { type ParticipantOptions, participant } from '../participant.ts'
import type { SystemConsumer } from '@posthorn/system'

/** What came of a wish for stock. `released`: the order was cancelled before it was reserved. */
export type Reserving =
  | { readonly kind: 'reserved' }
  | { readonly kind: 'released' }
  | { readonly kind: 'refused'; readonly missing: string }

/** Reserves all items of an order or none; asked again, it says the same. */
export async function reserveStock(
  tx: Transaction,
  reservation: Reservation,
  opening: number,
): Promise<Reserving> {
  const { orderId, orgId, items } = reservation
  if (!(await insertReservation(tx, reservation))) return answerAgain(tx, orderId)
  await openStock(tx, { orgId, items, opening, never: OUT_OF_STOCK })
  const available = await lockStock(tx, orgId, items)
  const short = items.find(({ sku, quantity }) => (available.get(sku) ?? 0) < quantity)
  if (short) {
    await refuseReservation(tx, orderId, short.sku)
    return { kind: 'refused', missing: short.sku }
  }
  await changeStock(tx, { orgId, items, available: -1, reserved: 1 })
  return { kind: 'reserved' }
}

async function answerAgain(tx: Transaction, orderId: string): Promise<Reserving> {
  const found = await findReservation(tx, orderId)
  if (found?.status === 'REFUSED') return { kind: 'refused', missing: found.missing ?? '' }
  const isHeld = found?.status === 'RESERVED' || found?.status === 'SHIPPED'
  return { kind: isHeld ? 'reserved' : 'released' }
}

/** Gives back what an order has reserved, and keeps it from reserving later; true if it had. */
export async function releaseStock(tx: Transaction, key: OrderKey): Promise<boolean> {
  const { orgId, orderId } = key
  const held = await endReservation(tx, key, 'RELEASED')
  // An operator passed over the last step, and the order was cancelled before it ended.
  const recalled = held.length > 0 ? [] : await recallReservation(tx, orderId)
  const items = [...held, ...recalled]
  if (items.length === 0) return false
  await lockStock(tx, orgId, items)
  // What was recalled is reserved no more.
  const reserved = recalled.length > 0 ? 0 : -1
  await changeStock(tx, { orgId, items, available: 1, reserved })
  return true
}

/** What an order has reserved has left: it is neither reserved nor available any more; true if it had. */
export async function shipStock(tx: Transaction, key: OrderKey): Promise<boolean> {
  const items = await endReservation(tx, key, 'SHIPPED')
  if (items.length === 0) return false
  await lockStock(tx, key.orgId, items)
  await changeStock(tx, { orgId: key.orgId, items, available: 0, reserved: -1 })
  return true
}

export const STOCK = 'orders.stock'

/** Reserves stock. The reservation, the inbox row and the answer commit together. */
export function stockKeeper(options: ParticipantOptions, opening: number): SystemConsumer {
  return participant(options, {
    group: STOCK,
    command: COMMANDS.reserve,
    payload: ReserveStock,
    refusal: REPLIES.outOfStock,
    async handle({ orgId, payload: { orderId, items }, receipt, answer }) {
      await transaction(options.pool, (tx) =>
        once(tx, receipt, async () => {
          const came = await reserveStock(tx, { orderId, orgId, items }, opening)
          if (came.kind === 'reserved') return answer(tx, REPLIES.reserved, { orderId })
          const refusal =
            came.kind === 'released'
              ? UNDONE_BEFORE
              : { code: 'OUT_OF_STOCK', message: `There is too little of ${came.missing}.` }
          return answer(tx, REPLIES.outOfStock, { orderId, ...refusal })
        }),
      )
    },
  })
}
