import { PageQuery, sortable } from '@posthorn/http'
import { Type, type Static } from 'typebox'
import {
  Currency,
  Id,
  NullableText,
  bigint,
  nullable,
  resource,
  time,
  type RowOf,
} from '@posthorn/system'

/*
 *   pending ──▶ succeeded ◀──▶ refunded    back when a refund that was made fails at the bank
 *      └──────▶ failed
 *
 * The table's trigger holds the same moves: see migrations/0001_payments.sql.
 */

export type PaymentStatus = 'pending' | 'succeeded' | 'failed' | 'refunded'

export const MOVES: Readonly<Record<PaymentStatus, readonly PaymentStatus[]>> = {
  pending: ['succeeded', 'failed'],
  succeeded: ['refunded'],
  failed: [],
  refunded: ['succeeded'],
}

export const PaymentState = Type.Enum(Object.keys(MOVES) as PaymentStatus[])
export const Minor = { minimum: 1, maximum: 999_999_999_999 }
const Capture = ['automatic', 'manual'] as const

/*
 * Of a payment that is captured by hand, beside its status:
 *
 *   authorised ──▶ captured            the payment is pending, until the webhook says succeeded
 *        ├───────▶ voided | expired    the payment has failed
 *
 * An event may say the end before the beginning. The table's trigger holds the same moves: see
 * migrations/0001_payments.sql.
 */
const AUTHORISATIONS = ['authorised', 'captured', 'voided', 'expired'] as const
export type Authorisation = (typeof AUTHORISATIONS)[number]

/*
 *   inquiry ──▶ opened ──▶ won | lost | withdrawn
 *
 * An inquiry takes no money, and may end without a dispute. An event may say a later state first.
 * The table's trigger holds the same moves: see migrations/0001_payments.sql.
 */
export const DISPUTE_STATES = ['inquiry', 'opened', 'won', 'lost', 'withdrawn'] as const
export type DisputeStatus = (typeof DISPUTE_STATES)[number]

/** What a client asks for. */
export const NewPayment = Type.Object({
  amount: Type.Integer({ ...Minor, description: 'Amount in minor units' }),
  currency: Currency,
  externalPaymentId: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  description: Type.Optional(Type.String({ maxLength: 1_000 })),
  metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  paymentMethod: Type.Optional(
    Type.String({
      pattern: '^[\\x21-\\x7e]{1,255}$',
      description: 'Id of the payment method at the gateway, such as pm_card_visa',
    }),
  ),
  capture: Type.Optional(
    Type.Enum(Capture, {
      description:
        '`automatic` (default) takes the money at once; `manual` holds it until you capture or void it',
    }),
  ),
})
export type NewPayment = Static<typeof NewPayment>

/** What a customer has to do before a payment can succeed. */
export const NextAction = Type.Object(
  {
    type: Type.Enum(['redirect', 'sdk']),
    url: Type.Optional(
      Type.String({ description: 'For `redirect`: the URL to send the customer to' }),
    ),
    clientSecret: Type.Optional(
      Type.String({ description: "For `sdk`: the secret to pass to the gateway's client library" }),
    ),
  },
  {
    description:
      "What the customer must do to authenticate; the gateway's webhook reports the result",
  },
)

const receipt = {
  id: Id,
  status: PaymentState,
  amount: bigint({ description: 'Amount in minor units' }),
  currency: Type.String(),
  externalPaymentId: NullableText,
  gatewayRef: NullableText,
  createdAt: time(),
}
/** Of a payment that is captured by hand. */
const held = {
  authorisation: nullable(Type.Enum(AUTHORISATIONS), {
    description:
      'State of the authorisation, for manual capture; null until the gateway has answered',
  }),
  capturedAmount: nullable(bigint(), {
    description: 'Captured amount in minor units',
  }),
}

/** The answer to a creation; `nextAction` only where there is one, the others where money is held first. */
export const Receipt = Type.Object({
  ...receipt,
  nextAction: Type.Optional(NextAction),
  authorisation: Type.Optional(held.authorisation),
  capturedAmount: Type.Optional(held.capturedAmount),
})

/** A payment as it is read. */
export const PaymentResource = Type.Object({
  ...receipt,
  capture: Type.Enum(Capture),
  ...held,
  refundedAmount: bigint({
    description: 'Amount refunded and confirmed by the gateway, in minor units',
  }),
  disputedAmount: bigint({
    description: 'Amount of open and lost disputes in minor units; inquiries do not count',
  }),
  netAmount: bigint({
    description: 'Captured amount less refunds and disputes, in minor units; may be negative',
  }),
  disputeStatus: nullable(Type.Enum(DISPUTE_STATES)),
  nextAction: nullable(NextAction, {
    description: 'What the customer must do next; a list has only its type',
  }),
  paymentMethod: NullableText,
  userId: Type.String(),
  description: NullableText,
  metadata: nullable(Type.Record(Type.String(), Type.Unknown())),
  errorCode: NullableText,
  errorMessage: NullableText,
  updatedAt: time(),
  settledAt: nullable(time()),
  refundedAt: nullable(time()),
})

/** A payment with what became of its money; the dispute is the open one, else the latest. */
export interface PaymentWithSums extends RowOf<typeof PaymentResource, 'capture'> {
  readonly org_id: string
  /** `manual`: the money is held, and taken by a request of its own. */
  readonly capture_method: (typeof Capture)[number]
}

/** A row of `payments.payments`. */
export type Payment = Omit<
  PaymentWithSums,
  'refunded_amount' | 'disputed_amount' | 'net_amount' | 'dispute_status'
>

/** What was taken of a payment that has succeeded, in minor units: less than it is, where less was captured. */
export function takenOf(payment: Pick<Payment, 'amount' | 'captured_amount'>): number {
  return Number(payment.captured_amount ?? payment.amount)
}

const toHeld = resource(Type.Object({ ...receipt, ...held }))
const toCharged = resource(Type.Object(receipt))

export function toReceipt(payment: Payment): Static<typeof Receipt> {
  const { capture_method: method, next_action: nextAction } = payment
  const made = method === 'manual' ? toHeld(payment) : toCharged(payment)
  return nextAction === null ? made : { ...made, nextAction }
}

export const toResource = resource(PaymentResource, {
  capture: (payment: PaymentWithSums) => payment.capture_method,
  nextAction: ({ next_action: action }) => action && { type: action.type },
})

/** By id, which has its time in it, and by amount in minor units. */
export const PAYMENT_SORTS = sortable(['-createdAt', 'createdAt', '-amount', 'amount'])

const Name = Type.String({ minLength: 1, maxLength: 255 })
const Amount = Type.Integer({ ...Minor, description: 'Amount in minor units' })

/** What a search for payments asks for: all that is given holds. */
export const PaymentQuery = Type.Object({
  ...PageQuery.properties,
  sort: PAYMENT_SORTS.parameter,
  status: Type.Optional(PaymentState),
  externalPaymentId: Type.Optional(Name),
  gatewayRef: Type.Optional(Name),
  currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$' })),
  amount: Type.Optional(Amount),
  amountFrom: Type.Optional(Amount),
  amountTo: Type.Optional(Amount),
  since: Type.Optional(
    Type.String({ format: 'date-time', description: 'Only items created at this time or later' }),
  ),
  until: Type.Optional(
    Type.String({ format: 'date-time', description: 'Only items created before this time' }),
  ),
  disputed: Type.Optional(
    Type.Boolean({
      description:
        'true: only payments with a dispute, open or closed; false: only payments without one',
    }),
  ),
})

const TYPES = ['charge', 'authorisation', 'capture', 'void', 'refund'] as const
export type TransactionType = (typeof TYPES)[number]

const asked = {
  status: Type.Enum(['pending', 'succeeded', 'failed']),
  amount: bigint(),
  currency: Type.String(),
  gatewayRef: NullableText,
  createdAt: time(),
}
const ended = { errorCode: NullableText, errorMessage: NullableText, updatedAt: time() }

/** The answer to the request of a refund: how it stood then. */
export const Refunded = Type.Object({
  ...{ id: Id, paymentId: Id, ...asked },
  status: Type.Enum(['pending', 'succeeded', 'failed'], {
    description: "`pending` until the gateway's webhook reports the outcome",
  }),
})

/** A refund as it stands now. */
export const RefundResource = Type.Object({
  ...Refunded.properties,
  ...ended,
  confirmedAt: nullable(time(), {
    description: "When the gateway's webhook confirmed the refund",
  }),
})

export const TransactionResource = Type.Object({
  id: Id,
  type: Type.Enum(TYPES),
  ...asked,
  gatewayKey: Type.String({ description: 'Idempotency key that Posthorn sends to the gateway' }),
  ...ended,
})

/** What the gateway was asked to do for a payment: a row of `payments.transactions`. */
export type GatewayTransaction = RowOf<typeof TransactionResource> & RowOf<typeof RefundResource>

/** The gateway's yes to a refund is not yet the money: its webhook says that. */
const refundStatus = ({ status, confirmed_at: at }: GatewayTransaction) =>
  status === 'succeeded' && at === null ? 'pending' : status

export const toRefund = resource(Refunded, { status: refundStatus })
export const toRefundResource = resource(RefundResource, { status: refundStatus })
export const toTransaction = resource(TransactionResource)

/** What of a payment is given back, or about to be. */
export interface Refund {
  /** Ours. */
  readonly id: string
  /** In minor units. */
  readonly amount: number
  /** The gateway's own; null while it has not answered. */
  readonly ref: string | null
  /** The gateway's webhook said so. */
  readonly isConfirmed: boolean
  /** Nothing of it is given back. */
  readonly isFailed: boolean
}

/** Money of a payment that the cardholder's bank claims back. */
export const DisputeResource = Type.Object({
  id: Id,
  paymentId: Id,
  gatewayRef: Type.String({ description: 'Id of the dispute at the gateway' }),
  status: Type.Enum(DISPUTE_STATES),
  amount: bigint(),
  currency: Type.String(),
  reason: NullableText,
  evidenceDueAt: nullable(time()),
  openedAt: time(),
  closedAt: nullable(time()),
})

/** A row of `payments.disputes`. */
export interface Dispute extends RowOf<typeof DisputeResource> {
  readonly org_id: string
}

export const toDispute = resource(DisputeResource)
