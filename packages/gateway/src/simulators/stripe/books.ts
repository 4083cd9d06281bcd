import {
  broken,
  impossible,
  invalid,
  missingError,
  StripeRefusal,
  type Decline,
} from './answers.ts'
import {
  checkDigits,
  AUTHENTICATION_FAILED,
  AUTHENTICATION_REQUIRED,
  GENERIC_DECLINE,
  behaviourOf,
  type Behaviour,
} from './rules.ts'
import {
  newCharge,
  newId,
  nowSeconds,
  type Charge,
  type Dispute,
  type DisputeState,
  type PaymentIntent,
  type Refund,
} from './objects.ts'
import { fateOf } from '../posthorn/charge.ts'

/** Tells the world of a change; `object` is as it is at this moment. */
export type Tell = (type: string, object: PaymentIntent | Charge | Refund | Dispute) => void

/** Runs later, unless the simulator is reset. */
export type Later = (work: () => void) => void

/** What of a dispute is not as usual. */
export interface DisputeOrder {
  readonly status?: DisputeState
  /** In minor units; all that was taken. Banks may claim more, and in another currency. */
  readonly amount?: number
  readonly currency?: string
  /** Besides the one that is there. */
  readonly another?: boolean
}

const EVIDENCE_SECONDS = 7 * 24 * 3_600

/** Everything one account has. Nothing in it waits, so that requests cannot get into each other. */
export class Books {
  readonly intents = new Map<string, PaymentIntent>()
  readonly charges = new Map<string, Charge>()
  readonly refunds = new Map<string, Refund>()
  readonly disputes = new Map<string, Dispute>()
  readonly #tell: Tell
  readonly #later: Later

  constructor({ tell, later }: { readonly tell: Tell; readonly later: Later }) {
    this.#tell = tell
    this.#later = later
  }

  forget(): void {
    for (const each of [this.intents, this.charges, this.refunds, this.disputes]) each.clear()
  }

  intent(id: string): PaymentIntent {
    const intent = this.intents.get(id)
    if (!intent) throw missingError('payment_intent', id)
    return intent
  }

  charge(id: string): Charge {
    const charge = this.charges.get(id)
    if (!charge) throw missingError('charge', id, 'charge')
    return charge
  }

  add(intent: PaymentIntent): PaymentIntent {
    this.intents.set(intent.id, intent)
    this.#tell('payment_intent.created', intent)
    return intent
  }

  /** Has the money taken or held. Amounts that mean failure go before what the method does. */
  confirm(
    intent: PaymentIntent,
    how: { readonly paymentMethod: string | undefined; readonly isActionRefused: boolean },
  ): PaymentIntent {
    const paymentMethod = how.paymentMethod ?? intent.payment_method
    if (intent.status !== 'requires_payment_method' && intent.status !== 'requires_confirmation') {
      throw unexpectedState(intent, 'confirm')
    }
    if (paymentMethod === null) {
      const message = `You cannot confirm this PaymentIntent because it's missing a payment method.`
      throw impossible('payment_intent_unexpected_state', message, { payment_intent: intent })
    }
    const behaviour = behaviourOf(paymentMethod)
    const fate = fateOf(intent.amount)
    if (fate.breaks) throw broken()
    intent.payment_method = paymentMethod
    const decline = fate.declines ? GENERIC_DECLINE : declineOf(behaviour, how)
    if (decline) throw this.#decline(intent, { paymentMethod, decline })
    if (behaviour.needsAction) {
      intent.status = 'requires_action'
      const action = { type: 'three_d_secure_redirect', source: newId('src') }
      intent.next_action = { type: 'use_stripe_sdk', use_stripe_sdk: action }
      this.#tell('payment_intent.requires_action', intent)
      return intent
    }
    return this.#take(intent, { paymentMethod, behaviour })
  }

  /** The customer has authenticated, or failed to. */
  authenticate(id: string, outcome: 'succeeds' | 'fails'): PaymentIntent {
    const intent = this.intent(id)
    const { payment_method: paymentMethod } = intent
    if (intent.status !== 'requires_action' || paymentMethod === null) {
      throw unexpectedState(intent, 'authenticate')
    }
    intent.next_action = null
    if (outcome === 'succeeds') {
      return this.#take(intent, { paymentMethod, behaviour: behaviourOf(paymentMethod) })
    }
    intent.payment_method = null
    intent.status = 'requires_payment_method'
    intent.last_payment_error = AUTHENTICATION_FAILED
    this.#tell('payment_intent.payment_failed', intent)
    return intent
  }

  #take(
    intent: PaymentIntent,
    { paymentMethod, behaviour }: { readonly paymentMethod: string; readonly behaviour: Behaviour },
  ): PaymentIntent {
    if (behaviour.later) return this.#process(intent, { paymentMethod, behaviour })
    const charge = this.#charge(intent, { paymentMethod, status: 'succeeded' })
    if (intent.capture_method === 'manual') {
      intent.status = 'requires_capture'
      intent.amount_capturable = intent.amount
      this.#tell('payment_intent.amount_capturable_updated', intent)
    } else {
      this.#succeed(intent, intent.amount)
    }
    this.#tell('charge.succeeded', charge)
    if (behaviour.disputes) this.#later(() => this.dispute(intent.id))
    return intent
  }

  capture(
    intent: PaymentIntent,
    order: { readonly amount: number | undefined; readonly metadata: Record<string, string> },
  ): PaymentIntent {
    const amount = order.amount ?? intent.amount_capturable
    if (intent.status !== 'requires_capture') throw unexpectedState(intent, 'capture')
    if (amount < 1 || amount > intent.amount_capturable) {
      const message = `The requested capture amount is greater than the amount you can capture for this charge.`
      throw impossible('amount_too_large', message, { param: 'amount_to_capture' })
    }
    checkDigits(amount, intent.currency)
    const fate = fateOf(amount)
    if (fate.breaks) throw broken()
    if (fate.declines) {
      const message = 'The payment cannot be captured: the bank has withdrawn it.'
      throw impossible('capture_charge_authorization_expired', message)
    }
    const charge = this.charge(intent.latest_charge ?? '')
    Object.assign(intent.metadata, order.metadata)
    charge.captured = true
    charge.amount_captured = amount
    intent.amount_capturable = 0
    this.#tell('charge.captured', charge)
    return this.#succeed(intent, amount)
  }

  cancel(intent: PaymentIntent, reason: string | null): PaymentIntent {
    if (intent.status === 'succeeded' || intent.status === 'canceled') {
      throw unexpectedState(intent, 'cancel')
    }
    if (intent.status === 'processing') throw unexpectedState(intent, 'cancel')
    intent.status = 'canceled'
    intent.canceled_at = nowSeconds()
    intent.cancellation_reason = reason
    intent.next_action = null
    intent.amount_capturable = 0
    this.#tell('payment_intent.canceled', intent)
    return intent
  }

  /** As seven days do to what is held and not captured. */
  expire(id: string): PaymentIntent {
    const intent = this.intent(id)
    if (intent.status !== 'requires_capture') throw unexpectedState(intent, 'expire')
    this.#tell('charge.expired', this.charge(intent.latest_charge ?? ''))
    return this.cancel(intent, 'automatic')
  }

  refund(order: {
    readonly intent: PaymentIntent
    readonly amount: number | undefined
    readonly reason: string | null
    readonly metadata: Record<string, string>
  }): Refund {
    const { intent, reason, metadata } = order
    const charge = this.charges.get(intent.latest_charge ?? '')
    if (!charge || intent.status !== 'succeeded') {
      const message = `This PaymentIntent (${intent.id}) does not have a successful charge to refund.`
      throw invalid(message, { param: 'payment_intent' })
    }
    const left = charge.amount_captured - charge.amount_refunded
    if (left === 0) {
      const message = `Charge ${charge.id} has already been refunded.`
      throw impossible('charge_already_refunded', message)
    }
    const disputes = [...this.disputes.values()].filter((each) => each.charge === charge.id)
    if (disputes.some(({ status }) => /^(needs_response|under_review|lost)$/.test(status))) {
      const message = `Charge ${charge.id} has been charged back; cannot issue a refund.`
      throw impossible('charge_disputed', message)
    }
    const amount = order.amount ?? left
    if (amount < 1 || amount > left) {
      const message = `Refund amount (${amount}) is greater than unrefunded amount on charge (${left})`
      throw invalid(message, { param: 'amount' })
    }
    checkDigits(amount, charge.currency)
    const { refunds } = behaviourOf(charge.payment_method)
    const refund: Refund = {
      ...{ id: newId('re'), object: 'refund', amount, charge: charge.id, created: nowSeconds() },
      ...{ currency: charge.currency, metadata, payment_intent: intent.id, reason },
      status: refunds === 'pending' ? 'pending' : 'succeeded',
    }
    this.refunds.set(refund.id, refund)
    charge.amount_refunded += amount
    charge.refunded = charge.amount_refunded === charge.amount
    this.#tell('refund.created', refund)
    this.#tell('charge.refunded', charge)
    if (refunds) this.#later(() => this.#settleRefund(refund, refunds))
    return refund
  }

  /** A customer asks the bank for the money back, or the bank has decided. */
  dispute(intentId: string, order: DisputeOrder = {}): Dispute {
    const charge = this.charge(this.intent(intentId).latest_charge ?? '')
    const known = [...this.disputes.values()].findLast((each) => each.charge === charge.id)
    const { status = 'needs_response', amount = charge.amount_captured } = order
    charge.disputed ||= !status.startsWith('warning')
    if (known && order.another !== true) {
      known.status = status
      const isClosed = /^(won|lost|warning_closed)$/.test(status)
      this.#tell(isClosed ? 'charge.dispute.closed' : 'charge.dispute.updated', known)
      return known
    }
    const dispute: Dispute = {
      ...{ id: newId('dp'), object: 'dispute', amount, charge: charge.id, created: nowSeconds() },
      ...{ currency: order.currency ?? charge.currency, livemode: false, metadata: {} },
      ...{ payment_intent: intentId, reason: 'fraudulent', status },
      evidence_details: { due_by: nowSeconds() + EVIDENCE_SECONDS },
    }
    this.disputes.set(dispute.id, dispute)
    this.#tell('charge.dispute.created', dispute)
    return dispute
  }

  #charge(
    intent: PaymentIntent,
    made: {
      readonly paymentMethod: string
      readonly status: Charge['status']
      readonly decline?: Decline
    },
  ): Charge {
    const charge = newCharge(intent, made)
    this.charges.set(charge.id, charge)
    intent.latest_charge = charge.id
    return charge
  }

  #succeed(intent: PaymentIntent, amount: number): PaymentIntent {
    intent.status = 'succeeded'
    intent.amount_received = amount
    this.#tell('payment_intent.succeeded', intent)
    return intent
  }

  #decline(
    intent: PaymentIntent,
    { paymentMethod, decline }: { readonly paymentMethod: string; readonly decline: Decline },
  ): StripeRefusal {
    const charge = this.#charge(intent, { paymentMethod, status: 'failed', decline })
    const error = { type: 'card_error', ...decline, charge: charge.id }
    intent.payment_method = null
    intent.status = 'requires_payment_method'
    intent.last_payment_error = error
    this.#tell('payment_intent.payment_failed', intent)
    this.#tell('charge.failed', charge)
    const refusal = { status: 402, error: { ...error, payment_intent: structuredClone(intent) } }
    return new StripeRefusal(refusal, { isExecuted: true })
  }

  /** Money that takes days: the bank's answer comes later. */
  #process(
    intent: PaymentIntent,
    { paymentMethod, behaviour }: { readonly paymentMethod: string; readonly behaviour: Behaviour },
  ): PaymentIntent {
    const charge = this.#charge(intent, { paymentMethod, status: 'pending' })
    intent.status = 'processing'
    this.#tell('payment_intent.processing', intent)
    this.#tell('charge.pending', charge)
    this.#later(() => {
      if (behaviour.later === 'fails') {
        charge.status = 'failed'
        const { message } = GENERIC_DECLINE
        const error = { type: 'card_error', code: 'payment_method_provider_decline', message }
        intent.status = 'requires_payment_method'
        intent.last_payment_error = error
        return this.#tell('payment_intent.payment_failed', intent)
      }
      charge.status = 'succeeded'
      charge.captured = true
      charge.amount_captured = charge.amount
      this.#succeed(intent, intent.amount)
    })
    return intent
  }

  #settleRefund(refund: Refund, refunds: 'pending' | 'fail'): void {
    if (refunds === 'fail') {
      const charge = this.charge(refund.charge)
      charge.amount_refunded -= refund.amount
      charge.refunded = false
      refund.status = 'failed'
      refund.failure_reason = 'expired_or_canceled_card'
      this.#tell('refund.failed', refund)
    } else {
      refund.status = 'succeeded'
    }
    this.#tell('refund.updated', refund)
    this.#tell('charge.refund.updated', refund)
  }
}

function declineOf(
  behaviour: Behaviour,
  { isActionRefused }: { readonly isActionRefused: boolean },
): Decline | undefined {
  return behaviour.needsAction && isActionRefused ? AUTHENTICATION_REQUIRED : behaviour.decline
}

function unexpectedState(intent: PaymentIntent, verb: string): StripeRefusal {
  const message = `You cannot ${verb} this PaymentIntent because it has a status of ${intent.status}.`
  const code = 'payment_intent_unexpected_state'
  return impossible(code, message, { payment_intent: structuredClone(intent) })
}
