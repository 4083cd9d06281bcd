import { randomBytes } from 'node:crypto'
import { AUTHENTICATED_CARD, fateOf, type Charge, type ChargeOrder, type Refund } from './charge.ts'

export type Charging =
  | { readonly kind: 'new' | 'repeated'; readonly charge: Charge }
  /** The key stands for another charge. */
  | { readonly kind: 'reused' }

export type Refunding =
  | { readonly kind: 'new' | 'repeated'; readonly refund: Refund; readonly charge: Charge }
  | { readonly kind: 'reused' | 'no-charge' | 'not-charged' | 'refunded-before' | 'too-much' }

export type Changing =
  | { readonly kind: 'new' | 'repeated'; readonly charge: Charge }
  | { readonly kind: 'reused' | 'no-charge' | 'not-authorised' | 'too-much' }

/** A capture or a void, as its key remembers it. */
interface Change {
  readonly verb: 'capture' | 'void'
  readonly chargeId: string
  readonly wanted: number | undefined
}

/** All charges and refunds of one gateway. Nothing in it waits, so that one key is one charge. */
export class Ledger {
  readonly #charges = new Map<string, Charge>()
  readonly #refunds = new Map<string, Refund>()
  readonly #chargesById = new Map<string, Charge>()
  readonly #changes = new Map<string, Change>()
  /** What each charge gave back, in minor units. */
  readonly #givenBack = new Map<string, number>()

  charge(idempotencyKey: string, order: ChargeOrder): Charging {
    const { amount, currency, reference, capture = 'automatic' } = order
    const known = this.#charges.get(idempotencyKey)
    if (known) {
      const isSame =
        known.amount === amount && known.currency === currency && known.reference === reference
      return isSame ? { kind: 'repeated', charge: known } : { kind: 'reused' }
    }
    const charge: Charge = {
      id: `ch_${randomBytes(12).toString('hex')}`,
      ...{ idempotencyKey, status: 'requires_action', capture, amount, capturedAmount: 0 },
      ...{ currency, reference, createdAt: new Date().toISOString() },
    }
    if (order.paymentMethod !== AUTHENTICATED_CARD) {
      return { kind: 'new', charge: this.#take(charge) }
    }
    const status = order.canAuthenticate === true ? 'requires_action' : 'declined'
    return { kind: 'new', charge: this.#keep({ ...charge, status }) }
  }

  /** The customer has authenticated, or failed to; undefined if nothing waits for that. */
  authenticate(chargeId: string, outcome: 'succeeds' | 'fails'): Charge | undefined {
    const charge = this.#chargesById.get(chargeId)
    if (charge?.status !== 'requires_action') return undefined
    return outcome === 'succeeds'
      ? this.#take(charge)
      : this.#keep({ ...charge, status: 'declined' })
  }

  #take(charge: Charge): Charge {
    const granted = charge.capture === 'manual' ? 'authorised' : 'succeeded'
    const status = fateOf(charge.amount).declines ? 'declined' : granted
    return this.#keep({
      ...charge,
      status,
      capturedAmount: status === 'succeeded' ? charge.amount : 0,
    })
  }

  /** Takes what is held, or less of it; once. */
  capture(idempotencyKey: string, chargeId: string, wanted?: number): Changing {
    return this.#change(idempotencyKey, { verb: 'capture', chargeId, wanted })
  }

  /** Sets free what is held, or calls off what waits for the customer. */
  void(idempotencyKey: string, chargeId: string): Changing {
    return this.#change(idempotencyKey, { verb: 'void', chargeId, wanted: undefined })
  }

  /** As time does to what is held and not captured; undefined if nothing is. */
  expire(chargeId: string): Charge | undefined {
    const charge = this.#chargesById.get(chargeId)
    return charge?.status === 'authorised'
      ? this.#keep({ ...charge, status: 'expired' })
      : undefined
  }

  #change(idempotencyKey: string, change: Change): Changing {
    const { verb, chargeId, wanted } = change
    const charge = this.#chargesById.get(chargeId)
    if (!charge) return { kind: 'no-charge' }
    const known = this.#changes.get(idempotencyKey)
    if (known) {
      const isSame = known.verb === verb && known.chargeId === chargeId && known.wanted === wanted
      return isSame ? { kind: 'repeated', charge } : { kind: 'reused' }
    }
    const isCalledOff = verb === 'void' && charge.status === 'requires_action'
    if (charge.status !== 'authorised' && !isCalledOff) return { kind: 'not-authorised' }
    const amount = wanted ?? charge.amount
    if (amount > charge.amount) return { kind: 'too-much' }
    this.#changes.set(idempotencyKey, change)
    const changed: Charge =
      verb === 'void'
        ? { ...charge, status: isCalledOff ? 'declined' : 'voided' }
        : { ...charge, status: 'succeeded', capturedAmount: amount }
    return { kind: 'new', charge: this.#keep(changed) }
  }

  #keep(charge: Charge): Charge {
    this.#charges.set(charge.idempotencyKey, charge)
    this.#chargesById.set(charge.id, charge)
    return charge
  }

  /** Gives an amount back, or all that is left. */
  refund(idempotencyKey: string, chargeId: string, wanted?: number): Refunding {
    const charge = this.#chargesById.get(chargeId)
    const known = this.#refunds.get(idempotencyKey)
    if (known && charge) {
      const isSame = wanted === undefined || wanted === known.amount
      return known.chargeId === chargeId && isSame
        ? { kind: 'repeated', refund: known, charge }
        : { kind: 'reused' }
    }
    if (!charge) return { kind: 'no-charge' }
    if (charge.status !== 'succeeded') return { kind: 'not-charged' }
    const givenBack = this.#givenBack.get(chargeId) ?? 0
    const left = charge.capturedAmount - givenBack
    if (left === 0) return { kind: 'refunded-before' }
    const amount = wanted ?? left
    if (amount > left) return { kind: 'too-much' }
    const refund: Refund = {
      id: `re_${randomBytes(12).toString('hex')}`,
      ...{ idempotencyKey, chargeId, status: 'succeeded', amount, currency: charge.currency },
      createdAt: new Date().toISOString(),
    }
    this.#refunds.set(idempotencyKey, refund)
    this.#givenBack.set(chargeId, givenBack + amount)
    return { kind: 'new', refund, charge }
  }

  /** As banks do to a refund, perhaps days later; undefined if there is none that was made. */
  failRefund(refundId: string): Refund | undefined {
    const refund = [...this.#refunds.values()].find(({ id }) => id === refundId)
    if (refund?.status !== 'succeeded') return undefined
    const failed: Refund = { ...refund, status: 'failed' }
    this.#refunds.set(refund.idempotencyKey, failed)
    const givenBack = this.#givenBack.get(refund.chargeId) ?? 0
    this.#givenBack.set(refund.chargeId, givenBack - refund.amount)
    return failed
  }

  /** Newest first; with a key, the one charge that has it, if any. */
  charges(idempotencyKey?: string): Charge[] {
    if (idempotencyKey === undefined) return [...this.#charges.values()].reverse()
    const charge = this.#charges.get(idempotencyKey)
    return charge ? [charge] : []
  }

  find(chargeId: string): Charge | undefined {
    return this.#chargesById.get(chargeId)
  }

  refunds(idempotencyKey?: string): Refund[] {
    if (idempotencyKey === undefined) return [...this.#refunds.values()].reverse()
    const refund = this.#refunds.get(idempotencyKey)
    return refund ? [refund] : []
  }

  forget(): void {
    this.#charges.clear()
    this.#refunds.clear()
    this.#chargesById.clear()
    this.#changes.clear()
    this.#givenBack.clear()
  }
}
