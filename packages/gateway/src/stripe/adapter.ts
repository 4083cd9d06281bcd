import { field, idOf, isAnswer, isRefusal, unreadable } from '../exchange.ts'
import type {
  Charge,
  Failed,
  FoundCharge,
  FoundRefund,
  Gateway,
  GatewayError,
  Refused,
  RefundOutcome,
  SoughtCharge,
  SoughtRefund,
  Unknown,
} from '../gateway.ts'
import { toStripe, CAPTURE, KEY, REFERENCE, foundIn, metadataOf } from './intent.ts'
import {
  codeOf,
  isReplay,
  stripeClient,
  stripeErrorOf,
  unknownOf,
  type StripeClient,
  type StripeClientOptions,
} from './client.ts'

export interface StripeGatewayOptions extends StripeClientOptions {
  /** What is charged where a charge names nothing. */
  readonly paymentMethod?: string | undefined
}

const INTENTS = '/v1/payment_intents'
const REFUNDS = '/v1/refunds'

/** A PaymentIntent as Stripe has it now. */
interface Intent {
  readonly kind: 'intent'
  readonly id: string
  readonly body: unknown
  /** Made by this very request. */
  readonly isNew: boolean
}

/** There is none, for this reason; `isCertain`: nor was there one before. */
interface NoIntent {
  readonly kind: 'no-intent'
  readonly error: GatewayError
  readonly isCertain: boolean
}

/**
 * Stripe, by PaymentIntents. A charge is two requests: the first makes a PaymentIntent and moves no
 * money, the second confirms it, and a PaymentIntent takes money once. So after any silence there is
 * an id to ask about: Stripe cannot look up an idempotency key, and its search is a minute late.
 */
export function createStripeGateway({ paymentMethod, ...options }: StripeGatewayOptions): Gateway {
  const open = () => gatewayOf(stripeClient(options), paymentMethod)
  return {
    charge: (charge) => open().charge(charge),
    authorise: (charge) => open().authorise(charge),
    capture: (capture) => open().capture(capture),
    void: (voiding) => open().void(voiding),
    refund: (refund) => open().refund(refund),
    find: (charge) => open().find(charge),
    findRefund: (refund) => open().findRefund(refund),
  }
}

function gatewayOf(client: StripeClient, paymentMethod: string | undefined): Gateway {
  async function read(id: string): Promise<Intent | Unknown> {
    const answer = await client.get(`${INTENTS}/${encodeURIComponent(id)}`)
    if (!isAnswer(answer) || answer.status !== 200) return unknownOf(answer)
    return { kind: 'intent', id, body: answer.body, isNew: false }
  }

  /** The PaymentIntent of a key: a new one, or the one that the key was used for. */
  async function intentOf(charge: Charge): Promise<Intent | NoIntent | Unknown> {
    const amount = toStripe(charge.amount, charge.currency)
    if (amount === undefined) {
      return { kind: 'no-intent', error: notInStripe(charge), isCertain: true }
    }
    const answer = await client.post(INTENTS, charge.key, {
      amount,
      currency: charge.currency.toLowerCase(),
      [`metadata[${KEY}]`]: charge.key,
      [`metadata[${REFERENCE}]`]: charge.reference,
      'automatic_payment_methods[enabled]': 'true',
      // A card that wants its customer is answered in Stripe's library: nothing is left for a page.
      'automatic_payment_methods[allow_redirects]': 'never',
    })
    if (!isAnswer(answer)) return unknownOf(answer)
    if (answer.status === 200) {
      const id = idOf(answer.body)
      if (id === undefined) return unreadable()
      // What is kept under the key is how it was then.
      if (isReplay(answer)) return read(id)
      return { kind: 'intent', id, body: answer.body, isNew: true }
    }
    const isRefused = isRefusal(answer.status)
    if (codeOf(answer) === 'idempotency_error' || !(isRefused || answer.status >= 500)) {
      return unknownOf(answer)
    }
    // Without a PaymentIntent no money can have moved.
    const isCertain = isRefused || isReplay(answer)
    return { kind: 'no-intent', error: stripeErrorOf(answer), isCertain }
  }

  /** Stripe forgets keys after a day: then its search, which is late by minutes, has it. */
  async function search(key: string, except?: string): Promise<FoundCharge> {
    const query = `metadata['${KEY}']:'${key.replaceAll(/['\\]/g, String.raw`\$&`)}'`
    const answer = await client.get(`${INTENTS}/search?query=${encodeURIComponent(query)}`)
    if (!isAnswer(answer) || answer.status !== 200) return unknownOf(answer)
    const data = field(answer.body, 'data')
    if (!Array.isArray(data)) return unreadable()
    const others = data.filter((each) => idOf(each) !== except && metadataOf(each, KEY) === key)
    const states = others.map((each) => foundIn(each))
    return states.find(({ kind }) => kind !== 'none') ?? { kind: 'none' }
  }

  async function find(charge: SoughtCharge): Promise<FoundCharge> {
    if (typeof charge.ref === 'string') {
      const known = await read(charge.ref)
      return known.kind === 'intent' ? foundIn(known.body) : known
    }
    const intent = await intentOf(charge)
    if (intent.kind === 'unknown') return intent
    if (intent.kind === 'no-intent') {
      return intent.isCertain ? search(charge.key) : { kind: 'unknown', error: intent.error }
    }
    return intent.isNew ? search(charge.key, intent.id) : foundIn(intent.body)
  }

  /** After a failure: what the PaymentIntent says. One that took nothing is made unable to. */
  async function settleBroken(id: string, error: GatewayError): Promise<FoundCharge | Failed> {
    const intent = await read(id)
    if (intent.kind === 'unknown') return intent
    const found = foundIn(intent.body)
    if (found.kind !== 'none') return found
    if (field(intent.body, 'status') !== 'canceled') {
      const cancelled = await client.post(`${INTENTS}/${id}/cancel`, `${id}/cancel`, {})
      if (!isAnswer(cancelled) || cancelled.status !== 200) return unknownOf(cancelled)
    }
    return { kind: 'failed', error }
  }

  /** Has money taken or held. */
  async function place(
    charge: Charge,
    captureMethod: 'automatic' | 'manual',
  ): Promise<FoundCharge | Failed> {
    const intent = await intentOf(charge)
    if (intent.kind === 'no-intent') return { kind: 'failed', error: intent.error }
    if (intent.kind === 'unknown') return intent
    const { id, body } = intent
    const before = foundIn(body)
    if (before.kind !== 'none') return before
    if (field(body, 'status') === 'canceled') return { kind: 'failed', error: CANCELLED }
    const answer = await client.post(`${INTENTS}/${id}/confirm`, `${charge.key}/confirm`, {
      payment_method: charge.paymentMethod ?? paymentMethod,
      capture_method: captureMethod,
      ...(charge.canAuthenticate === true
        ? { use_stripe_sdk: 'true' }
        : { error_on_requires_action: 'true' }),
    })
    if (!isAnswer(answer)) return unknownOf(answer)
    if (answer.status === 200) return foundIn(answer.body)
    const error = stripeErrorOf(answer)
    if (answer.status === 402) return { kind: 'declined', ref: id, error }
    const isUndecided = codeOf(answer) === 'payment_intent_unexpected_state'
    if (answer.status >= 500 || isUndecided) return settleBroken(id, error)
    if (codeOf(answer) === 'idempotency_error' || !isRefusal(answer.status))
      return unknownOf(answer)
    return { kind: 'failed', error }
  }

  /** Changes a PaymentIntent that holds money; where the answer does not say, it is asked. */
  async function change(
    chargeRef: string,
    { verb, key, params }: { verb: string; key: string; params: Record<string, string | number> },
  ): Promise<Intent | Refused | Unknown> {
    const path = `${INTENTS}/${encodeURIComponent(chargeRef)}`
    const answer = await client.post(`${path}/${verb}`, key, params)
    if (!isAnswer(answer)) return unknownOf(answer)
    if (answer.status === 200) {
      return { kind: 'intent', id: chargeRef, body: answer.body, isNew: false }
    }
    if (codeOf(answer) === 'resource_missing') return refusedAs(stripeErrorOf(answer))
    if (codeOf(answer) === 'payment_intent_unexpected_state' || answer.status >= 500) {
      const intent = await read(chargeRef)
      const isHeld = intent.kind === 'intent' && foundIn(intent.body).kind === 'authorised'
      return isHeld ? refusedAs(stripeErrorOf(answer)) : intent
    }
    const isFinal = isRefusal(answer.status) && codeOf(answer) !== 'idempotency_error'
    return isFinal ? refusedAs(stripeErrorOf(answer)) : unknownOf(answer)
  }

  async function findRefund({ key, chargeRef }: SoughtRefund): Promise<FoundRefund> {
    let after = ''
    for (;;) {
      const intent = encodeURIComponent(chargeRef)
      const answer = await client.get(`${REFUNDS}?payment_intent=${intent}&limit=100${after}`)
      if (!isAnswer(answer) || answer.status !== 200) return unknownOf(answer)
      const data = field(answer.body, 'data')
      if (!Array.isArray(data)) return unreadable()
      const mine: unknown = data.find((each) => metadataOf(each, KEY) === key)
      if (mine !== undefined) return refundIn(mine)
      const last = idOf(data.at(-1))
      if (field(answer.body, 'has_more') !== true || last === undefined) return { kind: 'none' }
      after = `&starting_after=${last}`
    }
  }

  return {
    find,
    findRefund,
    async charge(charge) {
      const placed = await place(charge, 'automatic')
      if (placed.kind === 'charged') return { kind: 'charged', ref: placed.ref }
      const isOdd = placed.kind === 'authorised' || placed.kind === 'voided'
      return isOdd || placed.kind === 'none' ? unreadable() : placed
    },
    async authorise(charge) {
      const placed = await place(charge, 'manual')
      const isOdd = placed.kind === 'charged' || placed.kind === 'voided'
      return isOdd || placed.kind === 'none' ? unreadable() : placed
    },
    async capture({ key, chargeRef, amount, currency }) {
      const whole = toStripe(amount, currency)
      if (whole === undefined) return refusedAs(notInStripe({ amount, currency }))
      const params = { amount_to_capture: whole, [`metadata[${CAPTURE}]`]: key }
      const changed = await change(chargeRef, { verb: 'capture', key, params })
      if (changed.kind !== 'intent') return changed
      const isOurs = metadataOf(changed.body, CAPTURE) === key
      const { kind } = foundIn(changed.body)
      if (kind === 'charged' && isOurs) return { kind: 'captured', ref: chargeRef }
      return refusedAs({ code: 'not_authorised', message: `The payment is ${kind} at Stripe.` })
    },
    async void({ key, chargeRef }) {
      const changed = await change(chargeRef, { verb: 'cancel', key, params: {} })
      if (changed.kind !== 'intent') return changed
      const { kind } = foundIn(changed.body)
      // One that only waited for its customer has no charge.
      const isCalledOff = field(changed.body, 'status') === 'canceled'
      if (kind === 'voided' || isCalledOff) return { kind: 'voided', ref: chargeRef }
      return refusedAs({ code: 'not_authorised', message: `The payment is ${kind} at Stripe.` })
    },
    async refund({ key, chargeRef, amount, currency }) {
      const part = amount === undefined ? undefined : toStripe(amount, currency)
      if (amount !== undefined && part === undefined) {
        return refusedAs(notInStripe({ amount, currency }))
      }
      const answer = await client.post(REFUNDS, key, {
        payment_intent: chargeRef,
        amount: part,
        [`metadata[${KEY}]`]: key,
      })
      if (!isAnswer(answer)) return unknownOf(answer)
      if (answer.status === 200) return refundIn(answer.body)
      const error = stripeErrorOf(answer)
      if (codeOf(answer) === 'resource_missing') return refusedAs(error)
      if (answer.status >= 500) {
        const found = await findRefund({ key, chargeRef })
        return found.kind === 'none' ? refusedAs(error) : found
      }
      const isFinal = isRefusal(answer.status) && codeOf(answer) !== 'idempotency_error'
      return isFinal ? refusedAs(error) : unknownOf(answer)
    },
  }
}

function refundIn(refund: unknown): RefundOutcome {
  const ref = idOf(refund)
  const status = field(refund, 'status')
  if (ref === undefined) return unreadable()
  if (status === 'succeeded') return { kind: 'refunded', ref }
  if (status === 'pending' || status === 'requires_action') return { kind: 'pending', ref }
  if (status !== 'failed' && status !== 'canceled') return unreadable()
  const reason = field(refund, 'failure_reason')
  const code = typeof reason === 'string' ? reason.slice(0, 100) : `refund_${status}`
  return refusedAs({ code, message: `The refund ${status} at Stripe.` })
}

const CANCELLED: GatewayError = {
  code: 'canceled',
  message: 'The payment was cancelled at Stripe before any money was asked for.',
}

function refusedAs(error: GatewayError): Refused {
  return { kind: 'refused', error }
}

function notInStripe({ amount, currency }: Pick<Charge, 'amount' | 'currency'>): GatewayError {
  const message = `Stripe takes no ${amount} ${currency} (in minor units): see its rules for currencies.`
  return { code: 'amount_not_supported', message }
}
