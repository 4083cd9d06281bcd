import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createApp, createVerifier } from '@posthorn/http'
import { gateway as simulator, simulators } from '@posthorn/simulators'
import { Pool } from 'pg'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { createGateway } from './index.ts'

const app = await createApp({
  title: 'test',
  version: '1',
  log: false,
  production: false,
  rateLimit: false,
  verify: createVerifier({ secret: 'a secret of at least thirty-two bytes' }),
})
await app.register(simulators, {
  pool: new Pool({ max: 1 }),
  simulators: [simulator({ secret: 'secret' })],
})
const url = await app.listen({ host: '127.0.0.1', port: 0 })
afterAll(() => app.close())

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

const charge = { key: 'k1', amount: 1_000, currency: 'EUR', reference: 'payment-1' }

beforeEach(async () => {
  await fetch(`${url}/sim/gateway`, { method: 'DELETE' })
})

async function ledger(): Promise<{ charges: { id: string }[]; refunds: unknown[] }> {
  const response = await fetch(`${url}/sim/gateway/ledger`)
  return (await response.json()) as { charges: { id: string }[]; refunds: unknown[] }
}

const fault = (order: object) =>
  fetch(`${url}/sim/gateway/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(order),
  })

test('the same key is charged once, also by fifty at the same time', async () => {
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => gateway.charge(charge)))
  const { charges } = await ledger()
  expect(charges).toHaveLength(1)
  expect(new Set(outcomes.map((each) => JSON.stringify(each)))).toEqual(
    new Set([JSON.stringify({ kind: 'charged', ref: charges[0]?.id })]),
  )
})

test('a key stands for one request', async () => {
  await gateway.charge(charge)
  expect(await gateway.charge({ ...charge, amount: 2_000 })).toMatchObject({
    kind: 'unknown',
    error: { code: 'reused' },
  })
})

test('a decline is remembered under its key', async () => {
  const declined = await gateway.charge({ ...charge, amount: 1_002 })
  expect(declined).toMatchObject({ kind: 'declined', error: { code: 'card_declined' } })
  expect(await gateway.find('k1')).toEqual(declined)
})

test('a gateway that breaks before charging says that nothing stands under the key', async () => {
  expect(await gateway.charge({ ...charge, amount: 1_050 })).toMatchObject({ kind: 'failed' })
  expect(await gateway.find('k1')).toEqual({ kind: 'none' })
})

test('an amount that ends in 08 is charged and never answered, and found by its key', async () => {
  expect(await impatient.charge({ ...charge, amount: 1_008 })).toMatchObject({
    kind: 'unknown',
    error: { code: 'timeout' },
  })
  expect(await gateway.find('k1')).toMatchObject({ kind: 'charged' })
})

test('a 5xx after the charge is settled by the lookup, and unknown where that fails too', async () => {
  await fault({ mode: 'error', status: 503, times: 1, effect: true })
  expect(await gateway.charge(charge)).toMatchObject({ kind: 'charged' })
  await fault({ mode: 'error', status: 503, times: 2 })
  expect(await gateway.charge({ ...charge, key: 'k2' })).toMatchObject({ kind: 'unknown' })
})

test.each([
  { mode: 'drop', effect: true, kind: 'unknown' },
  { mode: 'timeout', kind: 'unknown' },
  { mode: 'error', status: 401, kind: 'unknown' },
  { mode: 'error', status: 429, kind: 'unknown' },
  { mode: 'error', status: 422, kind: 'failed' },
])('$mode $status is $kind', async ({ kind, ...order }) => {
  await fault({ ...order, times: 1 })
  const asked = order.mode === 'timeout' ? impatient : gateway
  expect(await asked.charge(charge)).toMatchObject({ kind })
})

test('a refund is given once for its key, and not for what was never charged', async () => {
  const charged = await gateway.charge(charge)
  const chargeRef = charged.kind === 'charged' ? charged.ref : ''
  const first = await gateway.refund({ key: 'r1', chargeRef })
  expect(first).toMatchObject({ kind: 'refunded' })
  expect(await gateway.refund({ key: 'r1', chargeRef })).toEqual(first)
  expect(await gateway.refund({ key: 'r2', chargeRef })).toMatchObject({
    kind: 'refused',
    error: { code: 'refunded_before' },
  })
  expect((await ledger()).refunds).toHaveLength(1)
  expect(await gateway.refund({ key: 'r3', chargeRef: 'ch_none' })).toMatchObject({
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
  expect(await strange.find('k1')).toMatchObject({ kind: 'unknown' })
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
