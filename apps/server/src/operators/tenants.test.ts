import { testDatabase } from '@posthorn/engine/testing'
import { expect, test, vi } from 'vitest'
import { letterSystem } from '../testing/letters.ts'
import { testServer } from '../testing/test-server.ts'

const database = await testDatabase()
const { pool } = database
const letters = letterSystem()
const server = await testServer(database, { systems: [letters.system] })
const base = '/api/v1/outboxes/test.letters'

type Item = Record<string, unknown>

const token = await server.tokenFor({ sub: 'olga', org: 'ours', role: 'operator' })
const ask = (path: string, body?: unknown) =>
  server.call(path, { token, ...(body !== undefined && { body, method: 'POST' }) })
const itemsOf = async (path: string) => (await ask(path)).body['items'] as Item[]

letters.refusing.add('ann').add('bob')
const ours = await letters.write(pool, { reader: 'ann', org: 'ours' })
const theirs = await letters.write(pool, { reader: 'bob', org: 'theirs' })
const platform = async (path: string) => (await server.call(path)).body['items'] as Item[]
await vi.waitFor(
  async () => expect(await platform(`${base}/messages?status=lost`)).toHaveLength(2),
  { timeout: 10_000 },
)

test('an operator sees the messages of the own organisation, by every filter and cursor', async () => {
  const { body: all } = await server.call(`${base}/messages?limit=1`)
  const cursor = encodeURIComponent(String(all['nextCursor']))
  for (const query of [
    '',
    '?search=bob',
    `?id=${theirs}`,
    '?key=bob',
    '?tenant=ours',
    '?type=note',
  ]) {
    const found = await itemsOf(`${base}/messages${query}`)
    expect(
      found.map(({ tenant }) => tenant),
      query,
    ).not.toContain('theirs')
  }
  expect(await itemsOf(`${base}/messages`)).toMatchObject([{ id: ours }])
  // The next page of a list of everything has what is older: nothing of theirs in it.
  for (const { id } of await itemsOf(`${base}/messages?cursor=${cursor}`)) expect(id).toBe(ours)
  expect(await itemsOf('/api/v1/outboxes')).toMatchObject([
    { name: 'test.letters', counts: { lost: 1, posted: 0 }, perSecond: null, blockedKeys: null },
  ])
  expect(await itemsOf(`${base}/dead-letters`)).toMatchObject([{ count: 1 }])
})

test('a filter that names another organisation is refused', async () => {
  const filter = { tenant: 'theirs' }
  for (const answer of [
    await ask(`${base}/messages?tenant=theirs`),
    await ask(`${base}/dead-letters?tenant=theirs`),
    await ask('/api/v1/alerts?tenant=theirs'),
    await ask('/api/v1/audit?tenant=theirs'),
    await ask('/api/v1/consumers/dead-letters?tenant=theirs'),
    await ask(`${base}/replay`, { filter, dryRun: true }),
    await ask(`${base}/replays`, { filter }),
    await ask('/api/v1/consumers/dead-letters/drop', { filter }),
  ]) {
    expect(answer).toMatchObject({ status: 403, body: { code: 'ORG_MISMATCH' } })
  }
})

test("another organisation's message is none, and stays as it is", async () => {
  const unknown = '01890a5d-ac96-774b-bcce-b302099a8057'
  for (const [suffix, body] of [
    ['', undefined],
    ['/journey', undefined],
    ['/replay', {}],
    ['/reveal', { reason: 'a look' }],
    ['/cancel', {}],
  ] as const) {
    const asked = await ask(`${base}/messages/${theirs}${suffix}`, body)
    expect(asked).toMatchObject({ status: 404 })
    expect(asked.body).toEqual((await ask(`${base}/messages/${unknown}${suffix}`, body)).body)
  }
  const everything = await ask(`${base}/replay`, { filter: { ids: [theirs] } })
  expect(everything).toMatchObject({ status: 202, body: { count: 0 } })
  expect(await platform(`${base}/messages?tenant=theirs`)).toMatchObject([{ state: 'lost' }])
})

test("replays take the own organisation's messages, and others' replays are not shown", async () => {
  letters.refusing.delete('ann')
  const { body: run } = await ask(`${base}/replays`, { reason: 'moved back' })
  expect(run).toMatchObject({ filter: { tenant: 'ours' }, matched: 1 })
  const { body: foreign } = await server.call(`${base}/replays`, {
    body: { filter: { tenant: 'theirs', type: 'none' } },
  })
  const { body: ofAll } = await server.call(`${base}/replays`, {
    body: { filter: { type: 'none' } },
  })
  for (const id of [foreign['id'], ofAll['id']]) {
    expect((await ask(`${base}/replays/${String(id)}`)).status).toBe(404)
    expect((await ask(`${base}/replays/${String(id)}/stop`, {})).status).toBe(404)
  }
  expect(await itemsOf(`${base}/replays`)).toMatchObject([{ id: run['id'] }])
  const states = () => platform(`${base}/messages`)
  await expect.poll(states).toMatchObject([
    { id: theirs, state: 'lost' },
    { id: ours, state: 'posted' },
  ])
})

test('alerts and audit are those of the own organisation', async () => {
  const [alert] = await platform('/api/v1/alerts?tenant=theirs')
  expect(alert).toMatchObject({ subject: theirs, status: 'open' })
  expect((await itemsOf('/api/v1/alerts')).map(({ tenant }) => tenant)).toEqual(['ours'])
  const seen = await ask(`/api/v1/alerts/${String(alert?.['id'])}/acknowledge`, {})
  expect(seen.status).toBe(404)
  expect(await platform('/api/v1/alerts?tenant=theirs')).toMatchObject([{ status: 'open' }])
  const entries = await itemsOf('/api/v1/audit')
  expect(entries.length).toBeGreaterThan(1)
  expect(new Set(entries.map(({ tenant }) => tenant))).toEqual(new Set(['ours']))
  expect(await itemsOf(`/api/v1/audit?messageId=${theirs}`)).toEqual([])
})

test('what is done to a whole outbox, and figures over all, are for the platform', async () => {
  for (const [path, body] of [
    [`${base}/pause`, {}],
    [`${base}/resume`, {}],
    [`${base}/keys`, undefined],
    [`${base}/keys/bob/unblock`, {}],
    [`${base}/graph`, undefined],
    [`${base}/recurring`, undefined],
    [`${base}/recurring/digest/run`, {}],
    ['/api/v1/overview', undefined],
    ['/api/v1/overview/history', undefined],
    ['/api/v1/consumers', undefined],
    ['/api/v1/database', undefined],
  ] as const) {
    const answer = await ask(path, body)
    expect(answer, path).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } })
    expect(answer.body['detail'], path).toContain('it takes platform')
  }
})
