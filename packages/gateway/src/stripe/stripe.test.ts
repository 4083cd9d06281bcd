import { createRequire } from 'node:module'
import { stripe as simulator } from '../simulators/stripe/index.ts'
import { beforeEach, describe, expect, test } from 'vitest'
import { exponentOf } from '@posthorn/system'
import { createGateway } from '../index.ts'
import { gatewayConformance, type Entry } from '../testing/conformance.ts'
import { simulate } from '@posthorn/system/testing/simulate'
import { fromStripe, toStripe } from './intent.ts'

const { url, fault, reset, read, control } = await simulate(simulator())

interface Books {
  readonly paymentIntents: readonly {
    id: string
    currency: string
    amount_capturable: number
    amount_received: number
    status: string
    metadata: Record<string, string>
  }[]
  readonly refunds: readonly { payment_intent: string; amount: number }[]
}

const make = (timeoutMs: number) =>
  createGateway({
    settings: {
      ...{ GATEWAY: 'stripe', STRIPE_API_URL: 'simulated', STRIPE_API_KEY: 'sk_test_x' },
      ...{ GATEWAY_URL: '', GATEWAY_API_KEY: '', GATEWAY_TIMEOUT_MS: timeoutMs },
    },
    baseUrl: () => url,
  })
const gateway = make(20_000)

/** How Stripe writes amounts, apart from what the adapter believes. */
const DIGITS: Readonly<Record<string, number>> = {
  ...{ EUR: 2, JPY: 0, KWD: 3, ISK: 2, UGX: 2, MGA: 0, HUF: 2, TWD: 2 },
}

async function books(): Promise<Entry[]> {
  const { paymentIntents, refunds } = await read<Books>('/books')
  // One that was never confirmed is no charge.
  const asked = paymentIntents.filter(({ status }) => !UNASKED.has(status))
  return asked.map((intent) => {
    const major = (minor: number) => minor / 10 ** (DIGITS[intent.currency.toUpperCase()] ?? 0)
    const given = refunds.filter((refund) => refund.payment_intent === intent.id)
    return {
      reference: intent.metadata['posthorn_reference'] ?? '',
      taken: major(intent.amount_received),
      held: major(intent.amount_capturable),
      givenBack: major(given.reduce((sum, { amount }) => sum + amount, 0)),
    }
  })
}
const UNASKED = new Set(['requires_payment_method', 'requires_confirmation'])

async function authenticate(paymentIntent: string, outcome: 'succeeds' | 'fails') {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ paymentIntent, outcome })
  await fetch(`${url}/sim/stripe/authenticate`, { method: 'POST', headers, body })
}

gatewayConformance({
  ...{ gateway, impatient: make(300), requestsBefore: 1 },
  ...{ fault, reset, authenticate, books },
})

const charge = { key: 'k1', amount: 1_000, currency: 'EUR', reference: 'payment-1' }

describe('as Stripe has it', () => {
  beforeEach(reset)

  test('a key that Stripe has forgotten is found by its metadata, and not charged again', async () => {
    const charged = await gateway.charge(charge)
    await control('/day', {})
    expect(await gateway.find(charge)).toEqual({ ...charged, amount: 1_000 })
    expect(await books()).toMatchObject([{ taken: 10 }])
  })

  test('a capture that Stripe has forgotten is known by its metadata', async () => {
    const held = await gateway.authorise(charge)
    const chargeRef = held.kind === 'authorised' ? held.ref : ''
    const order = { key: 'c1', chargeRef, amount: 700, currency: 'EUR' }
    expect(await gateway.capture(order)).toMatchObject({ kind: 'captured' })
    await control('/day', {})
    expect(await gateway.capture(order)).toMatchObject({ kind: 'captured' })
    expect(await gateway.capture({ ...order, key: 'c2' })).toMatchObject({ kind: 'refused' })
  })

  test('a failure that Stripe keeps under the key leaves nothing that could still be charged', async () => {
    expect(await gateway.charge({ ...charge, amount: 1_050 })).toMatchObject({ kind: 'failed' })
    expect(await gateway.charge({ ...charge, amount: 1_050 })).toMatchObject({ kind: 'failed' })
    const { paymentIntents } = await read<Books>('/books')
    expect(paymentIntents.map(({ status }) => status)).toEqual(['canceled'])
  })

  test.each([
    ['pm_card_visa', { kind: 'charged' }],
    [
      'pm_card_chargeDeclinedInsufficientFunds',
      {
        error: {
          code: 'card_declined',
          message: expect.stringContaining('insufficient_funds') as string,
        },
      },
    ],
    ['pm_card_chargeDeclinedExpiredCard', { kind: 'declined', error: { code: 'expired_card' } }],
    [
      'pm_card_authenticationRequired',
      { kind: 'declined', error: { code: 'authentication_required' } },
    ],
    ['pm_usBankAccount_success', { kind: 'pending' }],
    ['pm_nonsense', { kind: 'failed', error: { code: 'resource_missing' } }],
  ])('%s', async (paymentMethod, outcome) => {
    expect(await gateway.charge({ ...charge, paymentMethod })).toMatchObject(outcome)
  })

  test('a bank that takes its time decides later, either way', async () => {
    const good = { ...charge, paymentMethod: 'pm_usBankAccount_success' }
    const bad = { ...good, key: 'k2', paymentMethod: 'pm_usBankAccount_insufficientFunds' }
    await gateway.charge(good)
    await gateway.charge(bad)
    await expect.poll(() => gateway.find(good)).toMatchObject({ kind: 'charged' })
    await expect.poll(() => gateway.find(bad)).toMatchObject({ kind: 'declined' })
  })

  test.each([
    ['pm_card_pendingRefund', 'pending', 'refunded'],
    ['pm_card_refundFail', 'refunded', 'refused'],
  ])('%s: a refund is %s at first, and then %s', async (paymentMethod, first, last) => {
    const charged = await gateway.charge({ ...charge, paymentMethod })
    const chargeRef = charged.kind === 'charged' ? charged.ref : ''
    const refund = { key: 'r1', chargeRef, currency: 'EUR', amount: 400 }
    expect(await gateway.refund(refund)).toMatchObject({ kind: first })
    await expect.poll(() => gateway.findRefund(refund)).toMatchObject({ kind: last })
  })

  test.each([
    ['KWD', 5_124],
    ['MGA', 1_250],
    ['EUR', 100_000_000],
    ['XXX', 100],
  ])('%s: Stripe takes no %d', async (currency, amount) => {
    const order = { ...charge, currency, amount }
    expect(await gateway.charge(order)).toMatchObject({ kind: 'failed' })
    expect(await gateway.find(order)).toEqual({ kind: 'none' })
  })
})

test('an amount comes back from Stripe as it went, in every currency that it can say', () => {
  for (const [currency, ours, theirs] of [
    ['USD', 1_234, 1_234],
    ['JPY', 500, 500],
    ['MGA', 1_300, 13],
    ['ISK', 5, 500],
    ['UGX', 5, 500],
    ['HUF', 1_045, 1_045],
    ['TWD', 80_045, 80_045],
    ['KWD', 5_120, 5_120],
  ] as const) {
    expect(toStripe(ours, currency), currency).toBe(theirs)
    expect(fromStripe(theirs, currency), currency).toBe(ours)
    expect(exponentOf(currency)).toBeDefined()
  }
  expect(toStripe(5_124, 'KWD')).toBeUndefined()
  expect(fromStripe(5_50, 'ISK')).toBeUndefined()
  expect(fromStripe('12', 'EUR')).toBeUndefined()
})

/** The parts of the official package that are used here: its own types are some megabytes. */
interface OfficialStripe {
  new (key: string, options: object): OfficialClient
  createFetchHttpClient(fetchFn: typeof fetch): unknown
}
type Thing = Readonly<Record<string, unknown>> & { readonly id: string; readonly status: string }
interface OfficialClient {
  paymentIntents: {
    create(params: object, options?: { idempotencyKey: string }): Promise<Thing>
    retrieve(id: string): Promise<Thing>
    confirm(id: string, params?: object): Promise<Thing>
    capture(id: string, params?: object): Promise<Thing>
    cancel(id: string): Promise<Thing>
    search(params: object): Promise<{ data: Thing[] }>
    list(params?: object): AsyncIterable<Thing>
  }
  refunds: {
    create(params: object, options?: object): Promise<Thing>
    list(params: object): AsyncIterable<Thing>
  }
}

test('an answer that is kept under a key is marked as one', async () => {
  const headers = {
    ...{ authorization: 'Bearer sk_test_x', 'idempotency-key': 'marked' },
    'content-type': 'application/x-www-form-urlencoded',
  }
  const init = { method: 'POST', headers, body: 'amount=1000&currency=eur' }
  const first = await fetch(`${url}/sim/stripe/v1/payment_intents`, init)
  const again = await fetch(`${url}/sim/stripe/v1/payment_intents`, init)
  expect(await again.json()).toEqual(await first.json())
  expect(first.headers.get('idempotent-replayed')).toBeNull()
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(again.headers.get('original-request')).toBe(first.headers.get('request-id'))
})

describe('the official client against the simulator', () => {
  const Official = createRequire(import.meta.url)('stripe') as OfficialStripe
  const below = (from: string | URL | Request, init?: RequestInit) => {
    const { pathname, search } = new URL(from instanceof Request ? from.url : from)
    return fetch(`${url}/sim/stripe${pathname}${search}`, init)
  }
  const client = new Official('sk_test_x', {
    httpClient: Official.createFetchHttpClient(below),
    maxNetworkRetries: 0,
    telemetry: false,
  })
  const order = { amount: 1_000, currency: 'eur', payment_method: 'pm_card_visa', confirm: true }

  beforeEach(reset)

  test('charges, finds, refunds and lists', async () => {
    const created = await client.paymentIntents.create({ ...order, metadata: { order: 'a b&c' } })
    expect(created).toMatchObject({ status: 'succeeded', amount_received: 1_000, currency: 'eur' })
    expect(await client.paymentIntents.retrieve(created.id)).toMatchObject({
      metadata: { order: 'a b&c' },
      lastResponse: { requestId: expect.stringMatching(/^req_/) as string },
    })
    for (const amount of [300, 250]) {
      await client.refunds.create({ payment_intent: created.id, amount })
    }
    const refunds = []
    for await (const refund of client.refunds.list({ payment_intent: created.id, limit: 1 })) {
      refunds.push(refund['amount'])
    }
    expect(refunds).toEqual([250, 300])
    await expect(
      client.refunds.create({ payment_intent: created.id, amount: 451 }),
    ).rejects.toMatchObject({ type: 'StripeInvalidRequestError', statusCode: 400 })
  })

  test('authorises, captures less, cancels', async () => {
    const held = await client.paymentIntents.create({ ...order, capture_method: 'manual' })
    expect(held).toMatchObject({ status: 'requires_capture', amount_capturable: 1_000 })
    const captured = await client.paymentIntents.capture(held.id, { amount_to_capture: 700 })
    expect(captured).toMatchObject({ status: 'succeeded', amount_received: 700 })
    await expect(client.paymentIntents.cancel(held.id)).rejects.toMatchObject({
      code: 'payment_intent_unexpected_state',
      payment_intent: { status: 'succeeded' },
    })
    const other = await client.paymentIntents.create({ ...order, capture_method: 'manual' })
    expect(await client.paymentIntents.cancel(other.id)).toMatchObject({ status: 'canceled' })
  })

  test('understands its errors', async () => {
    const declined = { ...order, payment_method: 'pm_card_chargeDeclinedInsufficientFunds' }
    await expect(client.paymentIntents.create(declined)).rejects.toMatchObject({
      ...{ type: 'StripeCardError', code: 'card_declined', decline_code: 'insufficient_funds' },
      ...{ statusCode: 402, payment_intent: { status: 'requires_payment_method' } },
    })
    await expect(client.paymentIntents.retrieve('pi_none')).rejects.toMatchObject({
      ...{ type: 'StripeInvalidRequestError', code: 'resource_missing', statusCode: 404 },
    })
    await expect(client.paymentIntents.create({ ...order, colour: 'red' })).rejects.toMatchObject({
      code: 'parameter_unknown',
      param: 'colour',
    })
    const wrong = { httpClient: Official.createFetchHttpClient(below), maxNetworkRetries: 0 }
    await expect(
      new Official('nonsense', wrong).paymentIntents.retrieve('pi_1'),
    ).rejects.toMatchObject({ type: 'StripeAuthenticationError' })
  })

  test('repeats by key, failures too, and refuses a key for something else', async () => {
    const key = { idempotencyKey: 'k1' }
    const first = await client.paymentIntents.create(order, key)
    const again = await client.paymentIntents.create(order, key)
    expect(again.id).toBe(first.id)
    await expect(
      client.paymentIntents.create({ ...order, amount: 2_000 }, key),
    ).rejects.toMatchObject({ type: 'StripeIdempotencyError', statusCode: 400 })
    const broken = { ...order, amount: 1_050 }
    for (const _ of [1, 2]) {
      await expect(
        client.paymentIntents.create(broken, { idempotencyKey: 'k2' }),
      ).rejects.toMatchObject({ type: 'StripeAPIError', statusCode: 500 })
    }
    const { paymentIntents } = await read<Books>('/books')
    expect(paymentIntents.filter(({ status }) => status === 'succeeded')).toHaveLength(1)
  })
})
