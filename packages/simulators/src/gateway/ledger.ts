import { randomBytes } from 'node:crypto'
import { fateOf, type Charge, type ChargeOrder, type Refund } from './charge.ts'

export type Charging =
  | { readonly kind: 'new' | 'repeated'; readonly charge: Charge }
  /** The key stands for another charge. */
  | { readonly kind: 'reused' }

export type Refunding =
  | { readonly kind: 'new' | 'repeated'; readonly refund: Refund; readonly charge: Charge }
  | { readonly kind: 'reused' | 'no-charge' | 'not-charged' | 'refunded-before' | 'too-much' }

/** All charges and refunds of one gateway. Nothing in it waits, so that one key is one charge. */
export class Ledger {
  readonly #charges = new Map<string, Charge>()
  readonly #refunds = new Map<string, Refund>()
  readonly #chargesById = new Map<string, Charge>()
  /** What each charge gave back, in minor units. */
  readonly #givenBack = new Map<string, number>()

  charge(idempotencyKey: string, order: ChargeOrder): Charging {
    const { amount, currency, reference } = order
    const known = this.#charges.get(idempotencyKey)
    if (known) {
      const isSame =
        known.amount === amount && known.currency === currency && known.reference === reference
      return isSame ? { kind: 'repeated', charge: known } : { kind: 'reused' }
    }
    const charge: Charge = {
      id: `ch_${randomBytes(12).toString('hex')}`,
      idempotencyKey,
      status: fateOf(amount).declines ? 'declined' : 'succeeded',
      amount,
      currency,
      reference,
      createdAt: new Date().toISOString(),
    }
    this.#charges.set(idempotencyKey, charge)
    this.#chargesById.set(charge.id, charge)
    return { kind: 'new', charge }
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
    const left = charge.amount - givenBack
    if (left === 0) return { kind: 'refunded-before' }
    const amount = wanted ?? left
    if (amount > left) return { kind: 'too-much' }
    const refund: Refund = {
      id: `re_${randomBytes(12).toString('hex')}`,
      idempotencyKey,
      chargeId,
      amount,
      currency: charge.currency,
      createdAt: new Date().toISOString(),
    }
    this.#refunds.set(idempotencyKey, refund)
    this.#givenBack.set(chargeId, givenBack + amount)
    return { kind: 'new', refund, charge }
  }

  /** Newest first; with a key, the one charge that has it, if any. */
  charges(idempotencyKey?: string): Charge[] {
    if (idempotencyKey === undefined) return [...this.#charges.values()].reverse()
    const charge = this.#charges.get(idempotencyKey)
    return charge ? [charge] : []
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
    this.#givenBack.clear()
  }
}
