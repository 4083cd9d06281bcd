import { silentLog } from '@posthorn/engine'
import { testDatabase } from '@posthorn/engine/testing'
import { expect, test, vi } from 'vitest'
import { loadSystems } from '../systems.ts'
import { testServer } from '../testing/test-server.ts'
import { createDemo } from './demo.ts'
import type { Step } from './step.ts'

// The whole story, on a machine that may be busy with other tests.
vi.setConfig({ testTimeout: 240_000 })

const systems = await loadSystems({})
const server = await testServer(await testDatabase(), { systems })
const PATH = '/api/v1/demo'

interface StepProgress {
  readonly id: string
  readonly status: string
  readonly says: readonly string[]
}

async function story() {
  const { body } = await server.call(PATH)
  return body as unknown as { status: string; error: string | null; steps: readonly StepProgress[] }
}

async function whole() {
  expect((await server.call(PATH, { method: 'POST' })).status).toBe(202)
  await expect
    .poll(async () => (await story()).status, { timeout: 200_000, interval: 500 })
    .not.toBe('running')
  return story()
}

const PLAIN: Omit<Step, 'play'> = { id: 'one', title: 'One', about: 'A step.', look: [] }

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

test('is described before it is played', async () => {
  const { status, steps } = await story()
  expect(status).toBe('idle')
  expect(steps.length).toBeGreaterThan(5)
  expect(steps.map((step) => step.status)).toEqual(steps.map(() => 'waiting'))
})

test('goes through all systems, twice, and leaves a webhook that is mended as it says', async () => {
  const first = await whole()
  expect(first).toMatchObject({ status: 'completed', error: null })
  expect(first.steps.map(({ status }) => status)).toEqual(first.steps.map(() => 'done'))
  const said = first.steps.flatMap(({ says }) => says)
  expect(said).toContain(
    'First notification: Initial Results: 25 success, 3 pending retry, 2 errors.',
  )
  expect(said).toContain('Second notification: Final Results: 27 success, 3 errors.')
  expect(said).toContain(
    'Why: exact_match 2, no_match 1, duplicate 1, amount_mismatch 1, currency_mismatch 1.',
  )

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

  const second = await whole()
  expect(second).toMatchObject({ status: 'completed', error: null })
  // Other webhooks to the closed merchant may be given up as well.
  expect((await listAbandoned()).length).toBeGreaterThan(0)
  const { body: endpoints } = await server.call('/api/v1/webhook-endpoints')
  expect(endpoints['items'], 'those of the first run serve again').toHaveLength(2)
})

test('one that is played is joined, and can be ended; every simulator works again', async () => {
  expect((await server.call(PATH, { method: 'POST' })).body).toMatchObject({ status: 'running' })
  const isDown = async () => (await story()).steps.find(({ id }) => id === 'outage')?.status
  await expect.poll(isDown, { timeout: 90_000, interval: 100 }).toBe('running')
  const joined = await server.call(PATH, { method: 'POST' })
  expect(joined.status).toBe(202)
  const began = (joined.body['steps'] as StepProgress[]).filter(
    ({ status }) => status !== 'waiting',
  )
  expect(began.length, 'it did not begin again').toBeGreaterThan(2)

  const { body } = await server.call(PATH, { method: 'DELETE' })
  expect(body).toMatchObject({ status: 'cancelled', error: null })
  expect(await faultOf('merchant')).toBe('ok')
  expect((await server.call(PATH, { method: 'DELETE' })).body).toMatchObject({
    status: 'cancelled',
  })
})

test('what is not as the story says ends it with the reason, and is mended', async () => {
  const broken: Step[] = [
    {
      ...PLAIN,
      play: async ({ api, tell }) => {
        tell('It begins well.')
        await api.post('/sim/merchant/faults', { json: { mode: 'error' } })
        await api.get('/api/v1/payments/01890a5d-ac96-774b-bcce-b302099a8057')
      },
    },
    { ...PLAIN, id: 'after', play: async () => undefined },
  ]
  const demo = createDemo({ log: silentLog, story: broken })
  const authorization = `Bearer ${await server.tokenFor({})}`
  demo.start({ authorization, url: server.url, hooks: server.url })
  await expect.poll(() => demo.progress().status).toBe('failed')
  const { error, steps } = demo.progress()
  expect(error).toContain('answered 404')
  expect(steps).toMatchObject([
    { status: 'failed', says: ['It begins well.'] },
    { status: 'waiting', says: [] },
  ])
  expect(await faultOf('merchant')).toBe('ok')
})

test('a server that stops ends it at once, and makes no further request', async () => {
  const begun = Promise.withResolvers<void>()
  const play: Step['play'] = async ({ api }) => {
    await api.post('/sim/merchant/faults', { json: { mode: 'error' } })
    begun.resolve()
    await api.until('/api/v1/payments', () => false)
  }
  const demo = createDemo({ log: silentLog, story: [{ ...PLAIN, play }] })
  const authorization = `Bearer ${await server.tokenFor({})}`
  demo.start({ authorization, url: server.url, hooks: server.url })
  await begun.promise
  await demo.close()
  expect(demo.progress()).toMatchObject({ status: 'cancelled', steps: [{ status: 'cancelled' }] })
  expect(await faultOf('merchant')).toBe('error')
})

test('is for operators', async () => {
  const token = await server.tokenFor({})
  for (const method of ['GET', 'POST', 'DELETE']) {
    expect((await server.call(PATH, { token, method })).status).toBe(403)
  }
})

test('is not played where a real recipient would be written to', async () => {
  const real = await testServer(await testDatabase(), {
    systems,
    env: { GATEWAY_URL: 'http://127.0.0.1:1', GATEWAY_API_KEY: 'real' },
  })
  const { status, body } = await real.call(PATH, { method: 'POST' })
  expect({ status, code: body['code'] }).toEqual({ status: 409, code: 'CONFLICT' })
  expect(body['detail']).toContain('gateway')
  expect((await real.call(PATH)).body).toMatchObject({ status: 'idle' })
})

test('is not there in production', async () => {
  const production = await testServer(await testDatabase(), {
    env: { NODE_ENV: 'production', POSTHORN_ENCRYPTION_KEYS: 'k'.repeat(32) },
  })
  expect((await production.call(PATH)).status).toBe(404)
  expect((await production.call(PATH, { method: 'POST' })).status).toBe(404)
})
