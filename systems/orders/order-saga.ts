import { type Transaction, exponential } from '@posthorn/engine'
import {
  type Effect,
  type Refusal,
  type ReplyRun,
  type Saga,
  type SagaKind,
  defineSaga,
  refuse,
} from '@posthorn/saga'
import { Value } from 'typebox/value'
import { Booked, COMMANDS, REPLIES, Refused, Taken, UNDONE } from './events.ts'
import type { OrderInput } from './order.ts'
import { type RefundOptions, chargeKey, refundPayment } from './payment/cashier.ts'
import { cancelShipment } from './queries.ts'
import { releaseStock, shipStock } from './stock/reservation.ts'

/** By the business clock: longer than a broker is ever away. */
const PATIENCE = '24h'

/** An hour in all: a gateway may be away for a while, and a payment under way is waited for. */
const REFUNDS = exponential('1s', { attempts: 20, max: '5m' })

/**
 * An order: a command to each participant, and the answer before the next one. On the way forward
 * participants are asked by events, since each has its own pace. Undoing happens here, each in one
 * transaction with the saga's own note of it: when the saga says `COMPENSATED`, nothing is left over.
 */
export function orderSaga(options: RefundOptions) {
  return addSteps(defineSaga<OrderInput>('order'), options)
}

/** The same for an order that a person must look at first; one that is not released in time ends. */
export function heldOrderSaga(options: RefundOptions) {
  const held = defineSaga<OrderInput>('held-order').signal('release', { timeout: '7d' })
  return addSteps(held, options)
}

function addSteps(saga: Saga<OrderInput, OrderInput, SagaKind>, options: RefundOptions) {
  return saga
    .step('reserve', {
      action: async ({ orderId, items }) => command(COMMANDS.reserve, { orderId, items }),
      compensate: async ({ orderId, orgId }, tx) =>
        undo(await releaseStock(tx, { orderId, orgId }), UNDONE.released, orderId),
    })
    .reply('reserved', {
      event: [REPLIES.reserved, REPLIES.outOfStock],
      timeout: PATIENCE,
      action: async (_context, _tx, run) => answer(run, () => ({})),
    })
    .step('pay', {
      action: async ({ orderId, amount, currency }) =>
        command(COMMANDS.take, { orderId, amount, currency }),
      undoRetry: REFUNDS,
      compensate: async (context, tx) =>
        undo(await refund(context, tx, options), UNDONE.refunded, context.orderId),
    })
    .reply('paid', {
      event: [REPLIES.taken, REPLIES.notTaken],
      timeout: PATIENCE,
      action: async (_context, _tx, run) =>
        answer(run, (payload) => ({ paymentRef: Value.Parse(Taken, payload).ref })),
    })
    .step('ship', {
      action: async ({ orderId }) => command(COMMANDS.book, { orderId }),
      compensate: async ({ orderId, orgId }, tx) =>
        undo(await cancelShipment(tx, { orderId, orgId }), UNDONE.cancelled, orderId),
    })
    .reply('shipped', {
      event: [REPLIES.booked, REPLIES.notBooked],
      timeout: PATIENCE,
      action: async ({ orderId, orgId }, tx, run) => {
        const answered = answer(run, (payload) => ({
          trackingCode: Value.Parse(Booked, payload).trackingCode,
        }))
        // The last step: from here on nothing of the order is undone.
        if ('data' in answered) await shipStock(tx, { orderId, orgId })
        return answered
      },
    })
}

function command(type: string, payload: object): Effect<object> {
  return { events: [{ type, payload }] }
}

function undo(
  didSomething: boolean,
  type: string,
  orderId: string,
): Pick<Effect<object>, 'events'> {
  return { events: didSomething ? [{ type, payload: { orderId } }] : [] }
}

function refund(
  { orderId, orgId, amount, currency }: OrderInput,
  tx: Transaction,
  options: RefundOptions,
): Promise<boolean> {
  return refundPayment(tx, { orderId, orgId, amount, currency, key: chargeKey(orderId) }, options)
}

/** A participant that says no has done nothing; asking again would not help. */
function answer<Data extends object>(
  { reply }: ReplyRun,
  read: (payload: unknown) => Data,
): Effect<Data> | Refusal {
  if (!NO.has(reply.type)) return { data: read(reply.payload) }
  const { code, message } = Value.Parse(Refused, reply.payload)
  return refuse(code, message)
}

const NO: ReadonlySet<string> = new Set([REPLIES.outOfStock, REPLIES.notTaken, REPLIES.notBooked])
