import { sagaReplies } from '@posthorn/saga'
import type { Pool } from 'pg'
import { Type, type Static } from 'typebox'
import { Item } from './order.ts'
import type { SystemConsumer } from '@posthorn/system'

/** What the saga tells its participants to do. */
export const COMMANDS = {
  reserve: 'stock.reserve',
  take: 'payment.take',
  book: 'shipment.book',
} as const

/** What they answer. */
export const REPLIES = {
  reserved: 'stock.reserved',
  outOfStock: 'stock.refused',
  taken: 'payment.taken',
  notTaken: 'payment.refused',
  booked: 'shipment.booked',
  notBooked: 'shipment.refused',
} as const

/** Events that announce that a step was undone. */
export const UNDONE = {
  released: 'stock.released',
  refunded: 'payment.refunded',
  cancelled: 'shipment.cancelled',
} as const

const orderId = Type.String({ format: 'uuid' })

export const ReserveStock = Type.Object({ orderId, items: Type.Array(Item) })
export const TakePayment = Type.Object({
  orderId,
  amount: Type.Integer({ minimum: 1 }),
  currency: Type.String(),
})
export const BookShipment = Type.Object({ orderId })

/** The payload of a reply that says no; without the order where the command did not name one. */
export const Refused = Type.Object({
  orderId: Type.Optional(orderId),
  code: Type.String(),
  message: Type.String(),
})
export type Refused = Static<typeof Refused>
/** Why a participant does nothing: the order was undone. */
export const UNDONE_BEFORE = {
  code: 'ORDER_UNDONE',
  message: 'The order was undone before this command came.',
} as const satisfies Refused

export const Taken = Type.Object({ orderId, ref: Type.String() })
export const Booked = Type.Object({ orderId, trackingCode: Type.String() })

export const ANSWERS = 'orders.answers'

const isReply: ReadonlySet<string> = new Set(Object.values(REPLIES))

/** Brings the participants' answers to the sagas; their own commands come by on the same topic. */
export function answers(pool: Pool, transport: string, topic: string): SystemConsumer {
  const consumer = sagaReplies({
    pool,
    topic,
    group: ANSWERS,
    wants: ({ type }) => isReply.has(type),
  })
  return { ...consumer, transport }
}
