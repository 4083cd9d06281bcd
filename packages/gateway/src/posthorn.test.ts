import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gateway as simulator } from './simulators/posthorn/index.ts'
import { beforeEach, expect, test } from 'vitest'
import { exponentOf } from '@posthorn/system'
import { createGateway } from './index.ts'
import { gatewayConformance } from './testing/conformance.ts'
import { simulate } from '@posthorn/system/testing/simulate'

interface Ledger {
  readonly charges: readonly {
    id: string
    reference: string
    status: string
    amount: number
    capturedAmount: number
    currency: string
  }[]
  readonly refunds: readonly { chargeId: string; amount: number }[]
}

const { url, fault, reset, read } = await simulate(simulator())
const ledger = () => read<Ledger>('/ledger')

const settings = {
  GATEWAY_URL: 'simulated',
  GATEWAY_API_KEY: 'key of ours',
  GATEWAY_TIMEOUT_MS: 300,
}
const impatient = createGateway({ settings, baseUrl: () => url })
const gateway = createGateway({
  settings: { ...settings, GATEWAY_TIMEOUT_MS: 20_000 },
  baseUrl: () => url,
})

gatewayConformance({
  gateway,
  impatient,
  requestsBefore: 0,
  fault,
  reset,
  async authenticate(ref, outcome) {
    await fetch(`${url}/sim/gateway/authenticate/${ref}?outcome=${outcome}`)
  },
  async books() {
    const { charges, refunds } = await ledger()
    return charges.map(({ id, reference, status, amount, capturedAmount, currency }) => {
      const major = (minor: number) => minor / 10 ** (exponentOf(currency) ?? 0)
      const given = refunds.filter(({ chargeId }) => chargeId === id)
      return {
        reference,
        taken: major(capturedAmount),
        held: status === 'authorised' ? major(amount) : 0,
        givenBack: major(given.reduce((sum, refund) => sum + refund.amount, 0)),
      }
    })
  },
})

const charge = { key: 'k1', amount: 1_000, currency: 'EUR', reference: 'payment-1' }

beforeEach(reset)

test('the same key is charged once, also by fifty at the same time', async () => {
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => gateway.charge(charge)))
  const { charges } = await ledger()
  expect(charges).toHaveLength(1)
  expect(new Set(outcomes.map((each) => JSON.stringify(each)))).toEqual(
    new Set([JSON.stringify({ kind: 'charged', ref: charges[0]?.id })]),
  )
})

test('a request that is refused took nothing', async () => {
  await fault({ mode: 'error', status: 422, times: 1 })
  expect(await gateway.charge(charge)).toMatchObject({ kind: 'failed' })
})

test('a refund is given once for its key, and not for what was never charged', async () => {
  const charged = await gateway.charge(charge)
  const chargeRef = charged.kind === 'charged' ? charged.ref : ''
  const first = await gateway.refund({ key: 'r1', chargeRef, currency: 'EUR' })
  expect(first).toMatchObject({ kind: 'refunded' })
  expect(await gateway.refund({ key: 'r1', chargeRef, currency: 'EUR' })).toEqual(first)
  expect(await gateway.refund({ key: 'r2', chargeRef, currency: 'EUR' })).toMatchObject({
    kind: 'refused',
    error: { code: 'refunded_before' },
  })
  expect((await ledger()).refunds).toHaveLength(1)
  expect(await gateway.refund({ key: 'r3', chargeRef: 'ch_none', currency: 'EUR' })).toMatchObject({
    kind: 'refused',
    error: { code: 'no_charge' },
  })
})

test.each([
  { answer: 'not JSON', status: 200 },
  { answer: '{}', status: 201 },
  {
    answer: '{"items":[{"id":"ch_1","status":"succeeded","idempotencyKey":"other"}]}',
    status: 200,
  },
  { answer: 'x'.repeat(2_000_000), status: 200 },
])('rubbish is unknown, never a charge', async ({ answer, status }) => {
  const server = createServer((_, response) => response.writeHead(status).end(answer))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const strange = createGateway({
    settings: { ...settings, GATEWAY_URL: `http://127.0.0.1:${port}/` },
    baseUrl: () => url,
  })
  expect(await strange.charge(charge)).toMatchObject({ kind: 'unknown' })
  expect(await strange.find(charge)).toMatchObject({ kind: 'unknown' })
  server.closeAllConnections()
  server.close()
})

test('an unreachable gateway means unknown', async () => {
  const unreachable = createGateway({
    settings: { ...settings, GATEWAY_URL: 'http://127.0.0.1:1' },
    baseUrl: () => url,
  })
  expect(await unreachable.charge(charge)).toMatchObject({
    kind: 'unknown',
    error: { code: 'no_answer' },
  })
})
