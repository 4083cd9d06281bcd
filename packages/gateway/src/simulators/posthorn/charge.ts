import { Type, type Static } from 'typebox'
import type { FaultOrder } from '@posthorn/simulators'
import type { FastifyReply } from 'fastify'

/** What `POST /charges` takes. */
export const ChargeOrder = Type.Object(
  {
    amount: Type.Integer({ minimum: 1, description: 'Amount in minor units' }),
    currency: Type.String({ pattern: '^[A-Z]{3}$' }),
    reference: Type.String({ minLength: 1, maxLength: 200, description: 'Id of your choice' }),
    description: Type.Optional(Type.String({ maxLength: 1_000 })),
    paymentMethod: Type.Optional(Type.String({ maxLength: 255 })),
    canAuthenticate: Type.Optional(
      Type.Boolean({
        description:
          'Whether the customer can authenticate; if not, a charge that needs it is declined',
      }),
    ),
    capture: Type.Optional(
      Type.Enum(['automatic', 'manual'], {
        description: '`automatic` (default), or `manual`: the money is held until it is captured',
      }),
    ),
  },
  { additionalProperties: false },
)
export type ChargeOrder = Static<typeof ChargeOrder>

/*
 *   succeeded    declined
 *
 *   authorised ──▶ succeeded (captured) | voided | expired
 *
 *   requires_action ──▶ succeeded | authorised | declined
 */

/** Money taken, held or refused, under one key. */
export interface Charge {
  readonly id: string
  readonly idempotencyKey: string
  readonly status:
    'succeeded' | 'declined' | 'authorised' | 'voided' | 'expired' | 'requires_action'
  readonly capture: 'automatic' | 'manual'
  readonly amount: number
  /** What was taken of it. */
  readonly capturedAmount: number
  readonly currency: string
  readonly reference: string
  readonly createdAt: string
}

/** What `POST /charges/:id/captures` and `/refunds` take; without an amount: all that is left. */
export const PartOrder = Type.Union([
  Type.Object(
    { amount: Type.Optional(Type.Integer({ minimum: 1, description: 'Amount in minor units' })) },
    { additionalProperties: false },
  ),
  Type.Null(),
])
export type PartOrder = Static<typeof PartOrder>

/** Money given back under one key. */
export interface Refund {
  readonly id: string
  readonly idempotencyKey: string
  readonly chargeId: string
  /** `failed`: the bank refused it, perhaps days later. */
  readonly status: 'succeeded' | 'failed'
  readonly amount: number
  readonly currency: string
  readonly createdAt: string
}

/** The customer of this card has to authenticate, as at Stripe. */
export const AUTHENTICATED_CARD = 'pm_card_authenticationRequired'

/** What an amount means here beside its value. */
export interface Fate {
  /** The money is not taken, and no charge is kept. */
  readonly breaks?: boolean
  readonly declines?: boolean
  /** Happens to the answer once the work is done. */
  readonly mishap?: FaultOrder
}

/** By the last two digits of the amount. */
const FATES: Readonly<Record<string, Fate>> = {
  '02': { declines: true },
  '08': { mishap: { mode: 'timeout' } },
  '50': { breaks: true },
}

export function fateOf(amount: number): Fate {
  return FATES[String(amount % 100).padStart(2, '0')] ?? {}
}

/** How the gateway refuses, in words of its own. */
export const Refusal = Type.Object({
  error: Type.Object({ code: Type.String(), message: Type.String() }),
})

export function refuse(
  reply: FastifyReply,
  status: number,
  error: { readonly code: string; readonly message: string },
): FastifyReply {
  return reply.code(status).send({ error })
}
