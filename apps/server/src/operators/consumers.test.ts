import { fixed, toMessage, uuid } from '@posthorn/engine'
import { testDatabase } from '@posthorn/engine/testing'
import { defineSystem } from '@posthorn/system'
import { postgresTransport } from '@posthorn/transports/postgres'
import { Type } from 'typebox'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { testServer } from '../testing/test-server.ts'

const database = await testDatabase()
const { pool } = database
const failing = new Set<unknown>()
const handled: unknown[] = []

const readers = defineSystem({
  name: 'readers',
  settings: Type.Object({}),
  migrations: async () => ({ name: 'readers', migrations: [] }),
  open: () => ({
    outboxes: [],
    consumers: [
      {
        ...{ transport: 'topics', topic: 'test.events', group: 'test.readers' },
        ...{ retry: fixed('10ms', { attempts: 2 }), dead: 'block' as const },
        async handle({ payload }) {
          const { n } = payload as { n: number }
          if (failing.has(n)) throw Object.assign(new Error(`no ${n}`), { code: 'TEST_FAILED' })
          handled.push(n)
        },
      },
    ],
  }),
})

const server = await testServer(database, { systems: [readers] })
const topics = postgresTransport({ pool })
afterAll(() => topics.close())

const base = '/api/v1/consumers/dead-letters'
const wait = { timeout: 15_000, interval: 50 }

type Item = Record<string, unknown> & { readonly id: string }

const itemsOf = async (path: string) => (await server.call(path)).body['items'] as Item[]
const post = (path: string, body: object) => server.call(path, { method: 'POST', body })

async function send(...numbers: number[]): Promise<void> {
  const destination = { transport: 'topics', topic: 'test.events' }
  const batch = numbers.map((n) => ({
    message: toMessage({
      id: uuid(),
      type: 'test',
      key: 'k',
      tenant: 'acme',
      payload: { n, token: 's3' },
    }),
    destination,
  }))
  const outcomes = await topics.deliver(batch, {
    ordered: true,
    signal: AbortSignal.timeout(9_000),
  })
  expect(outcomes.map(({ kind }) => kind)).toEqual(numbers.map(() => 'delivered'))
}

beforeEach(async () => {
  await post(`${base}/drop`, {})
  failing.clear()
  handled.length = 0
})

describe('dead letters of consumers', () => {
  test('are listed, shown without secrets, and replayed in order', async () => {
    failing.add(1)
    await send(1, 2)
    await expect.poll(() => itemsOf(base), wait).toHaveLength(2)
    const [parked, dead] = await itemsOf(base)
    expect(parked).toMatchObject({ status: 'parked', key: 'k', attempts: 0 })
    expect(dead).toMatchObject({
      ...{ status: 'dead', topic: 'test.events', group: 'test.readers', key: 'k', tenant: 'acme' },
      ...{ attempts: 2, code: 'TEST_FAILED', error: 'no 1', diedAt: expect.any(String) },
    })
    const { body } = await server.call(`${base}/${dead?.id}`)
    expect(body).toMatchObject({ payload: { n: 1, token: '(redacted)' }, headers: {}, body: null })
    const source = 'test.events/test.readers'
    expect(await itemsOf(`/api/v1/alerts?status=open&source=${source}`)).toMatchObject([
      { subject: dead?.id, code: 'TEST_FAILED', tenant: 'acme' },
    ])

    failing.clear()
    const filter = { group: 'test.readers', code: 'TEST_FAILED' }
    const counted = await post(`${base}/replay`, { filter, dryRun: true })
    expect(counted).toMatchObject({ status: 202, body: { count: 1, dryRun: true } })
    expect(handled).toEqual([])
    const replayed = await post(`${base}/replay`, { filter, reason: 'mended' })
    expect(replayed).toMatchObject({ status: 202, body: { count: 1, dryRun: false } })
    await expect.poll(() => handled, wait).toEqual([1, 2])
    await expect.poll(() => itemsOf(base), wait).toEqual([])
    expect(await itemsOf(`/api/v1/alerts?status=open&source=${source}`)).toEqual([])
    expect(await itemsOf('/api/v1/audit?kind=operation&search=mended')).toMatchObject([
      { operation: 'replay', outbox: source, subject: dead?.id, reason: 'mended' },
    ])
  })

  test('are dropped for ever, and what waits behind goes on', async () => {
    failing.add(3)
    await send(3, 4)
    await expect.poll(() => itemsOf(`${base}?status=dead`), wait).toHaveLength(1)
    await expect.poll(() => itemsOf(`${base}?status=parked`), wait).toHaveLength(1)
    const [dead] = await itemsOf(`${base}?status=dead`)
    const dropped = await post(`${base}/drop`, { filter: { ids: [dead?.id] } })
    expect(dropped.body).toEqual({ count: 1, dryRun: false })
    await expect.poll(() => handled, wait).toEqual([4])
    expect(await server.call(`${base}/${dead?.id}`)).toMatchObject({ status: 404 })
  })

  test('are in the overview and the metrics, with the lag of their group', async () => {
    failing.add(5)
    await send(5)
    const group = async () => (await server.call('/api/v1/overview')).body['consumers']
    await expect.poll(group, { timeout: 30_000, interval: 250 }).toMatchObject([
      {
        topic: 'test.events',
        group: 'test.readers',
        dead: 1,
        transport: 'topics',
        lag: expect.any(Number),
      },
    ])
    expect(await itemsOf('/api/v1/consumers')).toMatchObject([{ dead: 1, parked: 0, retrying: 0 }])
    const metrics = async () => (await fetch(`${server.url}/metrics`)).text()
    await expect
      .poll(metrics, { interval: 500 })
      .toContain(
        'posthorn_consumer_messages{topic="test.events",group="test.readers",state="dead"} 1',
      )
    expect(await metrics()).toContain(
      'posthorn_consumer_lag{topic="test.events",group="test.readers"}',
    )
  })
})
