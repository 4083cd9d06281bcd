import { testDatabase } from '@posthorn/engine/testing'
import { testServer } from '@posthorn/server/testing'
import { expect, test, vi } from 'vitest'
import { payments } from '../index.ts'

vi.setConfig({ testTimeout: 240_000 })

const server = await testServer(await testDatabase(), { systems: [payments] })
const PATH = '/api/v1/demo'

async function play() {
  expect((await server.call(PATH, { method: 'POST' })).status).toBe(202)
  const status = async () => (await server.call(PATH)).body['status']
  await expect.poll(status, { timeout: 200_000, interval: 500 }).not.toBe('running')
  expect((await server.call(PATH)).body).toMatchObject({ status: 'completed', error: null })
}

interface Delivery {
  readonly id: string
  readonly status: string
  readonly createdAt: string
}

async function listAbandoned(): Promise<readonly Delivery[]> {
  const { body } = await server.call('/api/v1/webhook-deliveries?status=abandoned')
  return body['items'] as Delivery[]
}

async function openAlerts(): Promise<number> {
  const { body } = await server.call('/api/v1/alerts?status=open&code=ATTEMPTS_EXHAUSTED')
  return (body['items'] as unknown[]).length
}

const faultOf = async (name: string) => (await server.call(`/sim/${name}/faults`)).body['mode']

test('leaves a webhook that is mended as it says, and serves its endpoints again', async () => {
  await play()

  // Customers' endpoints have no names of their own in the metrics, which need no token.
  const { body: listed } = await server.call('/api/v1/webhook-endpoints')
  const metrics = await (await fetch(`${server.url}/metrics`)).text()
  expect(metrics).toContain('destination="webhooks"')
  for (const { id } of listed['items'] as { id: string }[]) expect(metrics).not.toContain(id)

  // See why.
  const [given] = await listAbandoned()
  const { body: attempts } = await server.call(`/api/v1/webhook-deliveries/${given?.id}/attempts`)
  expect(attempts['items']).toHaveLength(5)
  expect(attempts['items']).toMatchObject([
    { response: { status: 503, body: expect.stringContaining('DOWN_FOR_MAINTENANCE') } },
    ...Array.from({ length: 4 }, () => ({})),
  ])
  // Fix it, replay it.
  expect(await faultOf('merchant')).toBe('error')
  await server.call('/sim/merchant/faults', { body: { mode: 'ok' } })
  const replayed = await server.call(`/api/v1/webhook-deliveries/${given?.id}/replay`, {
    method: 'POST',
  })
  expect(replayed.status).toBe(202)
  const delivery = async () =>
    (await server.call(`/api/v1/webhook-deliveries/${given?.id}`)).body['status']
  await expect.poll(delivery).toBe('delivered')
  await expect.poll(openAlerts).toBe(0)

  await play()
  // Other webhooks to the closed merchant may be given up as well.
  expect((await listAbandoned()).length).toBeGreaterThan(0)
  const { body: endpoints } = await server.call('/api/v1/webhook-endpoints')
  expect(endpoints['items'], 'those of the first run serve again').toHaveLength(2)
})

test('is not played where a real recipient would be written to', async () => {
  const real = await testServer(await testDatabase(), {
    systems: [payments],
    env: { GATEWAY_URL: 'http://127.0.0.1:1', GATEWAY_API_KEY: 'real' },
  })
  const { status, body } = await real.call(PATH, { method: 'POST' })
  expect({ status, code: body['code'] }).toEqual({ status: 409, code: 'CONFLICT' })
  expect(body['detail']).toContain('gateway')
  expect((await real.call(PATH)).body).toMatchObject({ status: 'idle' })
})
