import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Value } from 'typebox/value'
import { expect, test } from 'vitest'
import { openReceiver } from '../../testing/webhook-receiver.ts'
import { runWebhooks, webhookDatabase } from '../../testing/running-webhooks.ts'
import { EVENT_TYPES, sampleOf, schemaOf } from '../event-types/catalogue.ts'
import { Filter, matchesFilter } from './filter.ts'

const db = await webhookDatabase()
const open = await runWebhooks(db, { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' })
const receiver = await openReceiver((response) => void response.end())
const PATH = '/api/v1/webhook-endpoints'

const BODY = {
  type: 'payment.succeeded',
  data: { amount: 500, currency: 'EUR', note: null, 'a/b': 1, list: ['x'], paid: true },
}

test.each([
  [{ path: '/data/amount', atLeast: 500 }, true],
  [{ path: '/data/amount', moreThan: 500 }, false],
  [{ path: '/data/amount', atMost: 500 }, true],
  [{ path: '/data/amount', lessThan: 500 }, false],
  [{ path: '/data/currency', lessThan: 500 }, false],
  [{ path: '/data/currency', equals: 'EUR' }, true],
  [{ path: '/data/currency', notEquals: 'EUR' }, false],
  [{ path: '/data/currency', in: ['USD', 'EUR'] }, true],
  [{ path: '/data/note', equals: null }, true],
  [{ path: '/data/note', exists: true }, true],
  [{ path: '/data/none', exists: false }, true],
  [{ path: '/data/none', equals: null }, false],
  [{ path: '/data/a~1b', equals: 1 }, true],
  [{ path: '/data/list/0', equals: 'x' }, true],
  [{ path: '/data/paid', equals: true }, true],
  [{ path: '/data/__proto__', exists: true }, false],
  [{ path: '/data/amount/toFixed', exists: true }, false],
])('%j holds: %s', (condition, isTrue) => {
  const filter = { match: 'all', conditions: [condition] }
  expect(Value.Check(Filter, filter)).toBe(true)
  expect(matchesFilter(filter as Filter, BODY)).toBe(isTrue)
})

test('all or one of the conditions', () => {
  const conditions = [
    { path: '/data/amount', atLeast: 1_000 },
    { path: '/data/currency', equals: 'EUR' },
  ]
  expect(matchesFilter({ match: 'all', conditions }, BODY)).toBe(false)
  expect(matchesFilter({ match: 'any', conditions }, BODY)).toBe(true)
})

test('what a filter does not let through is counted and nowhere else', async () => {
  const client = await open.as({ org: 'choosy' })
  const filter = { match: 'all', conditions: [{ path: '/data/amount', atLeast: 100 }] }
  const { id } = await client.endpoint(`${receiver.url}/choosy`, { filter })
  expect((await client.get(`${PATH}/${id}`)).body).toMatchObject({ filter })
  await open.announce({ org: 'choosy', data: { amount: 99 } })
  await open.announce({ org: 'choosy', data: { amount: 100 } })
  // As it came from elsewhere, too.
  const body = '{"id":"e","type":"payment.succeeded","data":{"amount":7}}'
  await open.announce({ org: 'choosy', id: 'e', body })
  await client.send('POST', `${PATH}/${id}/ping`)
  await open.settle()
  expect(receiver.bodies('/choosy').map(({ type, data }) => [type, data.amount])).toEqual([
    ['payment.succeeded', 100],
    ['webhook.ping', undefined],
  ])
  const { body: list } = await client.get('/api/v1/webhook-deliveries')
  expect(list.items).toHaveLength(2)
  const { body: health } = await client.get(`${PATH}/health`)
  expect(health.items).toMatchObject([{ endpointId: id, filtered: 2, delivered: 2 }])
  await client.send('PATCH', `${PATH}/${id}`, { filter: null })
  expect(await open.announce({ org: 'choosy', data: { amount: 1 } })).toHaveLength(1)
  for (const bad of [
    { match: 'all', conditions: [] },
    { match: 'all', conditions: [{ path: 'data', equals: 1 }] },
    { match: 'all', conditions: [{ path: '/data', equals: 1, in: [1] }] },
    { match: 'all', conditions: [{ path: '/data', matches: '.*' }] },
    { match: 'some', conditions: [{ path: '/data', equals: 1 }] },
  ]) {
    const { status } = await client.send('PATCH', `${PATH}/${id}`, { filter: bad })
    expect(status, JSON.stringify(bad)).toBe(400)
  }
})

test('a filter is tried on a sample before it is set', async () => {
  const client = await open.as({ org: 'careful' })
  const filter = { match: 'all', conditions: [{ path: '/data/amount', moreThan: 1_000_000 }] }
  const attempt = (body: object) =>
    client.send('POST', '/api/v1/webhook-filters/test', { filter, ...body })
  expect(await attempt({ eventType: 'payment.succeeded' })).toMatchObject({
    status: 200,
    body: { matches: false, conditions: [{ holds: false, found: 4_990 }] },
  })
  const event = { data: { amount: 1_000_001 } }
  expect((await attempt({ event })).body).toMatchObject({ matches: true, event })
  expect((await attempt({ eventType: 'no.such' })).status).toBe(400)
})

test('the catalogue has a schema for every type, which its sample satisfies', async () => {
  const client = await open.as({ org: 'reader' })
  const { body } = await client.get('/api/v1/event-types')
  expect(body.items.map(({ type }: { type: string }) => type)).toEqual(
    EVENT_TYPES.map(({ type }) => type),
  )
  for (const eventType of EVENT_TYPES) {
    const found = [...Value.Errors(schemaOf(eventType), sampleOf(eventType))]
    expect(found, eventType.type).toEqual([])
    const { body: one } = await client.get(`/api/v1/event-types/${eventType.type}`)
    expect(one).toMatchObject({
      type: eventType.type,
      version: 1,
      sample: { id: expect.any(String) },
    })
    expect(one.schema.properties.type).toMatchObject({ const: eventType.type })
  }
  expect((await client.get('/api/v1/event-types/no.such')).status).toBe(404)
})

test('every type that the sources announce is in the catalogue and in the documentation', () => {
  const root = fileURLToPath(new URL('../../../', import.meta.url))
  const known = new Set(EVENT_TYPES.map(({ type }) => type))
  const announced = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .filter((text) => /enqueueEvent|enqueueFor|tellOthers/.test(text))
    .flatMap((text) => [...text.matchAll(/type: '([a-z_]+\.[a-z_]+)'/g)].map(([, type]) => type))
  expect(announced.length).toBeGreaterThanOrEqual(6)
  expect(announced.filter((type) => !known.has(type ?? ''))).toEqual([])
  const page = readFileSync(join(root, 'payments/webhooks/README.md'), 'utf8')
  expect([...known].filter((type) => !page.includes(`\`${type}\``))).toEqual([])
})
