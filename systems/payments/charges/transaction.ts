import { Type } from 'typebox'
import { Id, NullableText, bigint, nullable, resource, time, type RowOf } from '@posthorn/system'

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
export const Refunded = Type.Object({ id: Id, paymentId: Id, ...asked })

/** A refund as it stands now. */
export const RefundResource = Type.Object({
  ...Refunded.properties,
  ...ended,
  confirmedAt: nullable(time(), {
    description: 'when the webhook of the gateway said that the money went back',
  }),
})

export const TransactionResource = Type.Object({
  id: Id,
  type: Type.Enum(TYPES),
  ...asked,
  gatewayKey: Type.String({ description: 'ours: the gateway does the same key once' }),
  ...ended,
})

/** What the gateway was asked to do for a payment: a row of `payments.transactions`. */
export type GatewayTransaction = RowOf<typeof TransactionResource> & RowOf<typeof RefundResource>

export const toRefund = resource(Refunded)
export const toRefundResource = resource(RefundResource)
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
