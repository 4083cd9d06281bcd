import { PageQuery, pageOf, sortable } from '@posthorn/http'
import { Type } from 'typebox'
import { ProposalResource } from '../approvals/schemas.ts'

export const Id = Type.String({ format: 'uuid' })
const Nullable = Type.Union([Type.String(), Type.Null()])

const Receipt = Type.Object({
  id: Id,
  status: Type.Enum(['pending', 'succeeded', 'failed', 'refunded']),
  amount: Type.Integer({ description: 'in minor units' }),
  currency: Type.String(),
  externalPaymentId: Nullable,
  gatewayRef: Nullable,
  createdAt: Type.String(),
})

const Authorisation = Type.Union(
  [Type.Enum(['authorised', 'captured', 'voided', 'expired']), Type.Null()],
  { description: 'of a payment with manual capture; null until the gateway has answered' },
)
const CapturedAmount = Type.Union([Type.Integer(), Type.Null()], {
  description: 'what was taken of what was authorised, in minor units',
})
const HeldReceipt = Type.Object({
  ...Receipt.properties,
  authorisation: Type.Optional(Authorisation),
  capturedAmount: Type.Optional(CapturedAmount),
})

const DisputeStatus = Type.Enum(['opened', 'won', 'lost', 'withdrawn'])

const PaymentResource = Type.Object({
  ...Receipt.properties,
  capture: Type.Enum(['automatic', 'manual']),
  authorisation: Authorisation,
  capturedAmount: CapturedAmount,
  refundedAmount: Type.Integer({ description: 'given back, as the gateway confirmed' }),
  disputedAmount: Type.Integer({ description: 'of disputes that are open or lost' }),
  netAmount: Type.Integer({ description: 'what was taken, less both' }),
  disputeStatus: Type.Union([DisputeStatus, Type.Null()]),
  userId: Type.String(),
  description: Nullable,
  metadata: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
  errorCode: Nullable,
  errorMessage: Nullable,
  updatedAt: Type.String(),
  settledAt: Nullable,
  refundedAt: Nullable,
})

const Refund = Type.Object({
  id: Id,
  paymentId: Id,
  status: Type.Enum(['pending', 'succeeded', 'failed']),
  amount: Type.Integer(),
  currency: Type.String(),
  gatewayRef: Nullable,
  createdAt: Type.String(),
})

const RefundResource = Type.Object({
  ...Refund.properties,
  errorCode: Nullable,
  errorMessage: Nullable,
  updatedAt: Type.String(),
  confirmedAt: Type.Union([Type.String(), Type.Null()], {
    description: 'when the webhook of the gateway said that the money went back',
  }),
})

const Dispute = Type.Object({
  id: Id,
  paymentId: Id,
  gatewayRef: Type.String({ description: 'what the gateway calls it' }),
  status: DisputeStatus,
  amount: Type.Integer(),
  currency: Type.String(),
  reason: Nullable,
  evidenceDueAt: Nullable,
  openedAt: Type.String(),
  closedAt: Nullable,
})

const TransactionResource = Type.Object({
  id: Id,
  type: Type.Enum(['charge', 'authorisation', 'capture', 'void', 'refund']),
  status: Type.Enum(['pending', 'succeeded', 'failed']),
  amount: Type.Integer(),
  currency: Type.String(),
  gatewayKey: Type.String({ description: 'ours: the gateway does the same key once' }),
  gatewayRef: Nullable,
  errorCode: Nullable,
  errorMessage: Nullable,
  createdAt: Type.String(),
  updatedAt: Type.String(),
})

/** Grows by one or more; text, since it may be larger than a number can say. */
export const AuditId = Type.String({ pattern: '^[1-9]\\d{0,17}$' })

const Audit = Type.Object({
  id: AuditId,
  action: Type.String(),
  actor: Type.String(),
  details: Type.Record(Type.String(), Type.Unknown()),
  createdAt: Type.String(),
})

const tags = ['payments']
const params = Type.Object({ id: Id })
const key = (description: string) =>
  Type.Object({ 'idempotency-key': Type.Optional(Type.String({ description })) })

const PROPOSED =
  'Above the limit for four eyes it is proposed instead (202), and done when another user approves it.'

export const createPayment = {
  tags,
  summary: 'Take a payment, once for each Idempotency-Key',
  headers: key(
    'required; 1 to 255 printable ASCII characters, yours and this route’s for 24 hours',
  ),
  body: Type.Object({
    amount: Type.Integer({ minimum: 1, maximum: 999_999_999_999, description: 'in minor units' }),
    currency: Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217' }),
    externalPaymentId: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    description: Type.Optional(Type.String({ maxLength: 1_000 })),
    metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    paymentMethod: Type.Optional(
      Type.String({
        pattern: '^[\\x21-\\x7e]{1,255}$',
        description: 'what the gateway charges, by its own name, such as pm_card_visa',
      }),
    ),
    capture: Type.Optional(
      Type.Enum(['automatic', 'manual'], {
        description: 'manual: the money is held, to be captured or voided later; automatic',
      }),
    ),
  }),
  // 200: the key was used for the same request before, and this is its answer.
  response: { 201: HeldReceipt, 200: HeldReceipt },
}

export const capturePayment = {
  tags,
  summary: 'Take what is authorised, or a part of it; the rest is set free',
  description: PROPOSED,
  headers: key('optional'),
  params,
  body: Type.Union([
    Type.Object({
      amount: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 999_999_999_999,
          description: 'in minor units; left out: all that is authorised',
        }),
      ),
    }),
    Type.Null(),
  ]),
  response: { 200: HeldReceipt, 202: ProposalResource },
}

export const voidPayment = {
  tags,
  summary: 'Set free what is authorised: nothing is taken, and the payment has failed',
  description: PROPOSED,
  headers: key('optional'),
  params,
  response: { 200: HeldReceipt, 202: ProposalResource },
}

export const refundPayment = {
  tags,
  summary: 'Give an amount of a payment back, or all that is left of it',
  description: PROPOSED,
  headers: key('optional'),
  params,
  body: Type.Union([
    Type.Object({
      amount: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 999_999_999_999,
          description: 'in minor units; left out: all that is left',
        }),
      ),
    }),
    Type.Null(),
  ]),
  response: { 201: Refund, 200: Refund, 202: ProposalResource },
}

const Amount = Type.Integer({ minimum: 1, maximum: 999_999_999_999, description: 'minor units' })

/** By id, which has its time in it, and by amount in minor units. */
export const AmountPlace = Type.Tuple([Type.Integer(), Id])
export const PAYMENT_SORTS = sortable(['-createdAt', 'createdAt', '-amount', 'amount'])

const ListQuery = Type.Object({
  ...PageQuery.properties,
  sort: PAYMENT_SORTS.parameter,
  status: Type.Optional(Type.Enum(['pending', 'succeeded', 'failed', 'refunded'])),
  externalPaymentId: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  gatewayRef: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$' })),
  amount: Type.Optional(Amount),
  amountFrom: Type.Optional(Amount),
  amountTo: Type.Optional(Amount),
  since: Type.Optional(Type.String({ format: 'date-time', description: 'created then or later' })),
  until: Type.Optional(Type.String({ format: 'date-time', description: 'created before' })),
  disputed: Type.Optional(Type.Boolean({ description: 'with a dispute, open or not; or without' })),
})
const AuditQuery = Type.Object({
  limit: PageQuery.properties.limit,
  cursor: PageQuery.properties.cursor,
})

export const listPayments = {
  tags,
  summary: 'Payments, newest first; every filter narrows the list further',
  querystring: ListQuery,
  response: { 200: pageOf(PaymentResource) },
}
export const readPayment = {
  tags,
  summary: 'A payment',
  params,
  response: { 200: PaymentResource },
}
export const listRefunds = {
  tags,
  summary: 'The refunds of a payment as they stand now, oldest first',
  params,
  response: { 200: Type.Object({ items: Type.Array(RefundResource) }) },
}
export const readRefund = {
  tags,
  summary: 'A refund as it stands now',
  params: Type.Object({ id: Id, refundId: Id }),
  response: { 200: RefundResource },
}
export const listDisputes = {
  tags,
  summary: 'The disputes of a payment, oldest first',
  params,
  response: { 200: Type.Object({ items: Type.Array(Dispute) }) },
}
export const readTransactions = {
  tags,
  summary: 'What the gateway was asked to do for a payment, oldest first',
  params,
  response: { 200: Type.Object({ items: Type.Array(TransactionResource) }) },
}
export const readAudit = {
  tags,
  summary: 'What happened to a payment, newest first',
  params,
  querystring: AuditQuery,
  response: { 200: pageOf(Audit) },
}
