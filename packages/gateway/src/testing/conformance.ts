import { beforeEach, describe, expect, test } from 'vitest'
import type { Charge, Gateway } from '../gateway.ts'

/** A gateway to be tested, with the one who plays it. */
export interface GatewayUnderTest {
  readonly gateway: Gateway
  /** The same with little patience, 300 ms. */
  readonly impatient: Gateway
  /** How many requests of a charge come before the one that takes the money. */
  readonly requestsBefore: number
  fault(order: object): Promise<void>
  /** Forgets all that was charged, and every fault. */
  reset(): Promise<void>
  /** The customer of a charge answers the bank. */
  authenticate(chargeRef: string, outcome: 'succeeds' | 'fails'): Promise<void>
  /** What the gateway's own books say. */
  books(): Promise<readonly Entry[]>
}

/** Of the books: a charge, in the currency's major unit. */
export interface Entry {
  readonly reference: string
  readonly taken: number
  readonly held: number
  readonly givenBack: number
}

/** ISO 4217's minor units beside the amount that people write. */
const AMOUNTS = [
  ['EUR', 1_234, 12.34],
  ['JPY', 500, 500],
  ['KWD', 5_120, 5.12],
  ['ISK', 5, 5],
  ['UGX', 700, 700],
  ['MGA', 1_300, 13],
  ['HUF', 10_045, 100.45],
  ['TWD', 80_045, 800.45],
] as const

/** What every adapter keeps, in any protocol of a gateway. */
export function gatewayConformance(under: GatewayUnderTest): void {
  const { gateway, impatient, fault, books } = under
  const after = under.requestsBefore
  const charge: Charge = { key: 'k1', amount: 1_000, currency: 'EUR', reference: 'payment-1' }
  const refund = (key: string, chargeRef: string, amount?: number) =>
    gateway.refund({ key, chargeRef, currency: 'EUR', ...(amount !== undefined && { amount }) })
  const capture = (key: string, chargeRef: string, amount: number) =>
    gateway.capture({ key, chargeRef, amount, currency: 'EUR' })

  async function charged(order: Partial<Charge> = {}): Promise<string> {
    const outcome = await gateway.charge({ ...charge, ...order })
    expect(outcome).toMatchObject({ kind: 'charged' })
    return outcome.kind === 'charged' ? outcome.ref : ''
  }

  async function authorised(order: Partial<Charge> = {}): Promise<string> {
    const outcome = await gateway.authorise({ ...charge, ...order })
    expect(outcome).toMatchObject({ kind: 'authorised' })
    return outcome.kind === 'authorised' ? outcome.ref : ''
  }

  describe('conformance', () => {
    beforeEach(() => under.reset())

    test('a key is charged once, also by ten at the same time, and found as it is', async () => {
      const outcomes = await Promise.all(Array.from({ length: 10 }, () => gateway.charge(charge)))
      const ref = await charged()
      // A call beside another one may be answered with `unknown`, never with something else.
      for (const outcome of outcomes) {
        if (outcome.kind !== 'unknown') expect(outcome).toEqual({ kind: 'charged', ref })
      }
      expect(await books()).toEqual([{ reference: 'payment-1', taken: 10, held: 0, givenBack: 0 }])
      const found = { kind: 'charged', ref, amount: 1_000 }
      expect(await gateway.find(charge)).toEqual(found)
      expect(await gateway.find({ ...charge, ref })).toEqual(found)
      expect(await gateway.find({ ...charge, key: 'k2', reference: 'payment-2' })).toEqual({
        kind: 'none',
      })
    })

    test('a key stands for one request', async () => {
      await charged()
      const other = await gateway.charge({ ...charge, amount: 2_000 })
      expect(other).toMatchObject({ kind: 'unknown' })
      expect(await books()).toMatchObject([{ taken: 10 }])
    })

    test('a decline is final, and remembered under its key', async () => {
      const declined = await gateway.charge({ ...charge, amount: 1_002 })
      expect(declined).toMatchObject({ kind: 'declined', error: { code: 'card_declined' } })
      expect(await gateway.charge({ ...charge, amount: 1_002 })).toEqual(declined)
      const found = await gateway.find({ ...charge, amount: 1_002 })
      expect(found).toMatchObject({ kind: 'declined', error: { code: 'card_declined' } })
      expect((await books()).every(({ taken }) => taken === 0)).toBe(true)
    })

    test('a gateway that breaks before the charge took nothing, and says so', async () => {
      const broken = { ...charge, amount: 1_050 }
      expect(await gateway.charge(broken)).toMatchObject({ kind: 'failed' })
      expect(await gateway.find(broken)).toEqual({ kind: 'none' })
      expect((await books()).every(({ taken }) => taken === 0)).toBe(true)
    })

    test('what was charged without an answer is found by its key, and not charged again', async () => {
      const silent = { ...charge, amount: 1_008 }
      expect(await impatient.charge(silent)).toMatchObject({ kind: 'unknown' })
      expect(await gateway.find(silent)).toMatchObject({ kind: 'charged', amount: 1_008 })
      expect(await books()).toMatchObject([{ taken: 10.08 }])
    })

    test.each([
      { mode: 'error', status: 500, effect: true, kind: 'charged' },
      { mode: 'error', status: 503, effect: true, kind: 'charged' },
      { mode: 'error', status: 401, kind: 'unknown' },
      { mode: 'error', status: 429, kind: 'unknown' },
      { mode: 'drop', effect: true, kind: 'unknown' },
      { mode: 'timeout', kind: 'unknown' },
    ])('$mode $status of the request that takes money is $kind', async ({ kind, ...order }) => {
      await fault({ ...order, after, times: 1 })
      const asked = order.mode === 'timeout' ? impatient : gateway
      expect(await asked.charge(charge)).toMatchObject({ kind })
      // Asked again with the same key, there is one charge in any case.
      await charged()
      expect(await books()).toMatchObject([{ taken: 10 }])
    })

    test('a gateway that is down for longer leaves the outcome open', async () => {
      await fault({ mode: 'error', status: 503, after })
      expect(await gateway.charge(charge)).toMatchObject({ kind: 'unknown' })
      await fault({ mode: 'error', status: 503 })
      expect(await gateway.find(charge)).toMatchObject({ kind: 'unknown' })
      const sought = { key: 'r1', chargeRef: 'pi_1' }
      expect(await gateway.findRefund(sought)).toMatchObject({ kind: 'unknown' })
      expect(await capture('c1', 'pi_1', 1)).toMatchObject({ kind: 'unknown' })
    })

    test('parts are refunded once each, and never more than was taken', async () => {
      const ref = await charged()
      const first = await refund('r1', ref, 300)
      expect(first).toMatchObject({ kind: 'refunded' })
      expect(await refund('r1', ref, 300)).toEqual(first)
      expect(await gateway.findRefund({ key: 'r1', chargeRef: ref })).toEqual(first)
      expect(await refund('r2', ref, 701)).toMatchObject({ kind: 'refused' })
      expect(await refund('r3', ref, 250)).toMatchObject({ kind: 'refunded' })
      // All that is left.
      expect(await refund('r4', ref)).toMatchObject({ kind: 'refunded' })
      expect(await refund('r5', ref, 1)).toMatchObject({ kind: 'refused' })
      expect(await gateway.findRefund({ key: 'r5', chargeRef: ref })).toEqual({ kind: 'none' })
      expect(await books()).toMatchObject([{ taken: 10, givenBack: 10 }])
    })

    test('a refund whose answer is lost is found, and not given again', async () => {
      const ref = await charged()
      await fault({ mode: 'drop', effect: true, times: 1 })
      expect(await refund('r1', ref, 300)).toMatchObject({ kind: 'unknown' })
      const found = await gateway.findRefund({ key: 'r1', chargeRef: ref })
      expect(found).toMatchObject({ kind: 'refunded' })
      expect(await refund('r1', ref, 300)).toEqual(found)
      expect(await books()).toMatchObject([{ givenBack: 3 }])
    })

    test('a reference that the gateway does not know is refused', async () => {
      const refused = { kind: 'refused' }
      expect(await refund('r1', 'pi_none')).toMatchObject(refused)
      expect(await capture('c1', 'pi_none', 100)).toMatchObject(refused)
      expect(await gateway.void({ key: 'v1', chargeRef: 'pi_none' })).toMatchObject(refused)
    })

    test('what is authorised is held, not taken, and captured once, less if wanted', async () => {
      const ref = await authorised()
      expect(await gateway.authorise(charge)).toEqual({ kind: 'authorised', ref })
      expect(await gateway.find(charge)).toEqual({ kind: 'authorised', ref })
      expect(await books()).toMatchObject([{ taken: 0, held: 10 }])
      expect(await refund('r0', ref, 100)).toMatchObject({ kind: 'refused' })
      expect(await capture('c0', ref, 1_001)).toMatchObject({ kind: 'refused' })
      const captured = await capture('c1', ref, 700)
      expect(captured).toEqual({ kind: 'captured', ref })
      expect(await capture('c1', ref, 700)).toEqual(captured)
      expect(await capture('c2', ref, 300)).toMatchObject({ kind: 'refused' })
      expect(await gateway.void({ key: 'v1', chargeRef: ref })).toMatchObject({ kind: 'refused' })
      expect(await gateway.find(charge)).toEqual({ kind: 'charged', ref, amount: 700 })
      expect(await refund('r1', ref, 701)).toMatchObject({ kind: 'refused' })
      expect(await refund('r2', ref, 700)).toMatchObject({ kind: 'refunded' })
      expect(await books()).toMatchObject([{ taken: 7, held: 0, givenBack: 7 }])
    })

    test('an authorisation that is declined or lost is as for charges', async () => {
      expect(await gateway.authorise({ ...charge, amount: 1_002 })).toMatchObject({
        kind: 'declined',
      })
      const silent = { ...charge, key: 'k2', reference: 'payment-2', amount: 1_008 }
      expect(await impatient.authorise(silent)).toMatchObject({ kind: 'unknown' })
      expect(await gateway.find(silent)).toMatchObject({ kind: 'authorised' })
      const broken = { ...charge, key: 'k3', reference: 'payment-3', amount: 1_050 }
      expect(await gateway.authorise(broken)).toMatchObject({ kind: 'failed' })
    })

    test('a capture or a void whose answer is lost is done once', async () => {
      const one = await authorised()
      await fault({ mode: 'drop', effect: true, times: 1 })
      expect(await capture('c1', one, 700)).toMatchObject({ kind: 'unknown' })
      expect(await capture('c1', one, 700)).toEqual({ kind: 'captured', ref: one })
      const second = { ...charge, key: 'k2', reference: 'payment-2' }
      const two = await authorised(second)
      await fault({ mode: 'drop', effect: true, times: 1 })
      const voiding = { key: 'v1', chargeRef: two }
      expect(await gateway.void(voiding)).toMatchObject({ kind: 'unknown' })
      expect(await gateway.void(voiding)).toEqual({ kind: 'voided', ref: two })
      expect(await capture('c2', two, 700)).toMatchObject({ kind: 'refused' })
      expect(await gateway.find(second)).toEqual({ kind: 'voided', ref: two })
      expect((await books()).map(({ taken, held }) => [taken, held])).toEqual(
        expect.arrayContaining([
          [7, 0],
          [0, 0],
        ]),
      )
    })

    test('a charge waits for a customer who can answer the bank, and ends with the answer', async () => {
      const asked = { ...charge, paymentMethod: 'pm_card_authenticationRequired' }
      const away = { ...asked, key: 'k0', reference: 'payment-0' }
      expect(await gateway.charge(away)).toMatchObject({ kind: 'declined' })
      async function wait(key: string, way: 'charge' | 'authorise' = 'charge') {
        const order = { ...asked, key, reference: `payment of ${key}`, canAuthenticate: true }
        const outcome = await gateway[way](order)
        const action = { type: expect.stringMatching(/^(redirect|sdk)$/) as string }
        expect(outcome).toMatchObject({ kind: 'pending', nextAction: action })
        // The same, as often as it is asked for.
        expect(await gateway[way](order)).toEqual(outcome)
        expect(await gateway.find(order)).toEqual(outcome)
        return { order, ref: outcome.kind === 'pending' ? outcome.ref : '' }
      }
      const [paid, refused, left, held] = [
        await wait('k1'),
        await wait('k2'),
        await wait('k3'),
        await wait('k4', 'authorise'),
      ]
      expect((await books()).every(({ taken, held: kept }) => taken + kept === 0)).toBe(true)
      await under.authenticate(paid.ref, 'succeeds')
      await under.authenticate(refused.ref, 'fails')
      await under.authenticate(held.ref, 'succeeds')
      const voiding = { key: 'v1', chargeRef: left.ref }
      expect(await gateway.void(voiding)).toEqual({ kind: 'voided', ref: left.ref })
      expect(await gateway.void(voiding)).toEqual({ kind: 'voided', ref: left.ref })
      expect(await gateway.find(paid.order)).toMatchObject({ kind: 'charged', amount: 1_000 })
      expect(await gateway.find(refused.order)).toMatchObject({ kind: 'declined' })
      expect(['none', 'declined']).toContain((await gateway.find(left.order)).kind)
      expect(await gateway.find(held.order)).toEqual({ kind: 'authorised', ref: held.ref })
      // Who was faster than the calling off has paid.
      const late = await gateway.void({ key: 'v2', chargeRef: paid.ref })
      expect(late).toMatchObject({ kind: 'refused' })
      const taken = (await books()).map((each) => each.taken + each.held)
      expect(taken.reduce((sum, each) => sum + each, 0)).toBe(20)
    })

    test.each(AMOUNTS)('%s: %d in minor units is %d', async (currency, amount, major) => {
      const order = { ...charge, currency, amount }
      const ref = await charged(order)
      expect(await books()).toMatchObject([{ taken: major }])
      expect(await gateway.find(order)).toEqual({ kind: 'charged', ref, amount })
      const given = await gateway.refund({ key: 'r1', chargeRef: ref, currency, amount })
      expect(given).toMatchObject({ kind: 'refunded' })
      expect(await books()).toMatchObject([{ givenBack: major }])
    })
  })
}
