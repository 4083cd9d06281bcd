import { randomBytes } from 'node:crypto'
import type { Decline } from './answers.ts'

/*
 * A PaymentIntent:
 *
 *   requires_payment_method ──▶ succeeded
 *             ▲  │  ├─────────▶ processing ──▶ succeeded
 *   (declined)└──┘  ├─────────▶ requires_action ──▶ as above, or requires_payment_method
 *                   └─────────▶ requires_capture ──▶ succeeded
 *
 *   and from all but `succeeded` and `processing` ──▶ canceled
 */

/** The parts of Stripe's objects that integrations read. */
export interface PaymentIntent {
  readonly id: string
  readonly object: 'payment_intent'
  readonly amount: number
  amount_capturable: number
  amount_received: number
  readonly automatic_payment_methods: { readonly enabled: boolean } | null
  canceled_at: number | null
  cancellation_reason: string | null
  capture_method: 'automatic' | 'manual'
  readonly client_secret: string
  readonly confirmation_method: 'automatic'
  readonly created: number
  readonly currency: string
  readonly customer: string | null
  readonly description: string | null
  last_payment_error: Readonly<Record<string, unknown>> | null
  latest_charge: string | null
  readonly livemode: false
  metadata: Record<string, string>
  next_action: Readonly<Record<string, unknown>> | null
  payment_method: string | null
  readonly payment_method_types: readonly string[]
  status:
    | 'requires_payment_method'
    | 'requires_confirmation'
    | 'requires_action'
    | 'requires_capture'
    | 'processing'
    | 'succeeded'
    | 'canceled'
}

export interface Charge {
  readonly id: string
  readonly object: 'charge'
  readonly amount: number
  amount_captured: number
  amount_refunded: number
  captured: boolean
  readonly created: number
  readonly currency: string
  disputed: boolean
  readonly failure_code: string | null
  readonly failure_message: string | null
  readonly livemode: false
  readonly metadata: Record<string, string>
  readonly outcome: Readonly<Record<string, unknown>>
  readonly paid: boolean
  readonly payment_intent: string
  readonly payment_method: string
  refunded: boolean
  status: 'succeeded' | 'pending' | 'failed'
}

export interface Refund {
  readonly id: string
  readonly object: 'refund'
  readonly amount: number
  readonly charge: string
  readonly created: number
  readonly currency: string
  readonly metadata: Record<string, string>
  readonly payment_intent: string
  readonly reason: string | null
  failure_reason?: string
  status: 'pending' | 'requires_action' | 'succeeded' | 'failed' | 'canceled'
}

export interface Dispute {
  readonly id: string
  readonly object: 'dispute'
  readonly amount: number
  readonly charge: string
  readonly created: number
  readonly currency: string
  readonly livemode: false
  readonly metadata: Record<string, string>
  readonly payment_intent: string
  readonly reason: string
  readonly evidence_details: { readonly due_by: number }
  status: DisputeState
}

/** Those of a warning are of an inquiry, which takes no money. */
export const DISPUTE_STATES = [
  'warning_needs_response',
  'warning_under_review',
  'warning_closed',
  'needs_response',
  'under_review',
  'won',
  'lost',
] as const
export type DisputeState = (typeof DISPUTE_STATES)[number]

/** An id as Stripe's: `pi_` and 24 letters and digits. */
export function newId(prefix: string): string {
  return `${prefix}_${randomBytes(18).toString('base64url').replaceAll(/[-_]/g, '0')}`
}

export function nowSeconds(): number {
  return Math.floor(Date.now() / 1_000)
}

export function newIntent(
  order: Pick<PaymentIntent, 'amount' | 'currency' | 'capture_method' | 'metadata'> & {
    readonly description: string | undefined
    readonly customer: string | undefined
    readonly types: readonly string[]
    readonly isAutomatic: boolean
  },
): PaymentIntent {
  const { description = null, customer = null, types, isAutomatic, ...rest } = order
  const id = newId('pi')
  return {
    ...rest,
    ...{ id, object: 'payment_intent', amount_capturable: 0, amount_received: 0 },
    automatic_payment_methods: isAutomatic ? { enabled: true } : null,
    ...{ canceled_at: null, cancellation_reason: null },
    client_secret: `${id}_secret_${randomBytes(9).toString('hex')}`,
    ...{ confirmation_method: 'automatic', created: nowSeconds(), customer, description },
    ...{ last_payment_error: null, latest_charge: null, livemode: false, next_action: null },
    ...{ payment_method: null, payment_method_types: types, status: 'requires_payment_method' },
  }
}

/** What a confirmation leaves behind: money taken, held, on its way, or refused. */
export function newCharge(
  intent: PaymentIntent,
  made: { readonly paymentMethod: string; readonly status: Charge['status']; decline?: Decline },
): Charge {
  const { amount, currency, metadata, id } = intent
  const { paymentMethod, status, decline } = made
  const captured = status === 'succeeded' && intent.capture_method === 'automatic'
  const type = decline ? 'issuer_declined' : 'authorized'
  return {
    ...{ id: newId(status === 'pending' ? 'py' : 'ch'), object: 'charge' },
    ...{ amount, amount_captured: captured ? amount : 0, amount_refunded: 0, captured },
    ...{ created: nowSeconds(), currency, disputed: false },
    failure_code: decline?.code ?? null,
    failure_message: decline?.message ?? null,
    ...{ livemode: false, metadata: { ...metadata }, paid: status !== 'failed' },
    outcome: { type, reason: decline?.decline_code ?? null },
    ...{ payment_intent: id, payment_method: paymentMethod, refunded: false, status },
  }
}
