import { readHistory } from '@posthorn/operate/internal'
import { testDatabase } from '@posthorn/engine/testing'
import { describe, expect, test } from 'vitest'
import { greetings } from '../testing/greetings/index.ts'
import { letterSystem } from '../testing/letters.ts'
import { testServer } from '../testing/test-server.ts'

const database = await testDatabase()
const { pool } = database
const letters = letterSystem()
const server = await testServer(database, { systems: [greetings, letters.system] })
const production = await testServer(await testDatabase(), {
  env: { NODE_ENV: 'production', POSTHORN_ENCRYPTION_KEYS: 'k'.repeat(32) },
})
const base = '/api/v1/outboxes/test.letters'

type Item = Record<string, unknown>

const soon = { timeout: 20_000 }

async function lettersNow(): Promise<Item> {
  const { body } = await server.call('/api/v1/overview')
  const found = (body['outboxes'] as Item[]).find(({ name }) => name === 'test.letters')
  return found ?? {}
}

async function dead(reader: string): Promise<string> {
  letters.refusing.add(reader)
  const id = await letters.write(pool, { reader })
  const state = async () => (await server.call(`${base}/messages/${id}`)).body['state']
  await expect.poll(state, soon).toBe('lost')
  return id
}

describe('the overview', () => {
  test('says of every outbox what waits, who works and what is wrong', async () => {
    const id = await dead('mallory')
    await server.call(`${base}/pause`, { body: { reason: 'strike' } })
    await letters.write(pool, { reader: 'ada' })
    await expect.poll(lettersNow, soon).toMatchObject({
      name: 'test.letters',
      counts: { written: 1, lost: 1 },
      roles: { ready: 'written', retry: 'written', sent: 'posted', dead: 'lost', claimed: null },
      approximate: false,
      due: 1,
      openAlerts: 1,
      blockedKeys: 1,
      paused: true,
      pausedBy: 'root',
      pauseReason: 'strike',
      relays: 1,
      alive: [{ name: expect.any(String), startedAt: expect.any(String) }],
      breakers: [],
    })
    expect(await lettersNow()).toMatchObject({ deadSince: expect.any(String), retrying: 0 })
    const { body } = await server.call('/api/v1/overview')
    expect(body).toMatchObject({
      clock: { aheadSeconds: 0 },
      alerts: { open: 1, since: expect.any(String), bySource: { 'test.letters': 1 } },
      outboxes: [{ name: 'example.greetings' }, { name: 'test.letters' }],
    })
    const keys = await server.call(`${base}/keys`)
    expect(keys.body).toMatchObject({
      items: [{ key: 'mallory', blocked: true, dueAt: null, heldBy: id }],
    })
    await server.call(`${base}/resume`, { method: 'POST' })
  })

  test('names the breakers that relays have open, and since when', async () => {
    await pool.query(`
      insert into posthorn.session (relay, outboxes, breakers)
      values ('elsewhere', '{test.letters}',
              '{"test.letters": [{"destination": "post:letters", "openMs": 60000,
                "probeMs": 9000, "cause": {"code": "HTTP_503", "message": "closed"}}]}'),
             ('gone', '{test.letters}', '{"test.letters": [{"destination": "post:other", "openMs": 1}]}')`)
    await pool.query(
      `update posthorn.session set seen_at = now() - interval '1 minute' where relay = 'gone'`,
    )
    const breakers = async () => (await lettersNow())['breakers'] as Item[]
    await expect.poll(breakers, soon).toMatchObject([
      {
        destination: 'post:letters',
        relay: 'elsewhere',
        nextProbeAt: expect.any(String),
        cause: { code: 'HTTP_503', message: 'closed' },
      },
    ])
    const [breaker] = await breakers()
    const openMs = Date.now() - Date.parse(String(breaker?.['openSince']))
    expect(openMs).toBeGreaterThan(50_000)
    expect(openMs).toBeLessThan(120_000)
  })

  test('has a history by the minute, for one outbox or all', async () => {
    await pool.query(`
      insert into posthorn.pulse (outbox, relay, at, delivered, failed)
      select 'test.letters', relay, date_trunc('minute', now()) - n * interval '1 minute', 10, n
        from generate_series(5, 6) as n, unnest(array['a', 'b']) as relay;
      insert into posthorn.sample (outbox, at, waiting, due, oldest_due_seconds)
      values ('test.letters', date_trunc('minute', now()) - interval '5 minutes', 7, 3, 1.5)`)
    const { body } = await server.call('/api/v1/overview/history?outbox=test.letters')
    expect(body['stretchSeconds']).toBe(60)
    const points = (body['outboxes'] as Record<string, Item[]>)['test.letters'] ?? []
    expect(points).toHaveLength(60)
    // The server counts too, in this minute.
    const counted = points.find(({ oldestDueSeconds }) => oldestDueSeconds === 1.5)
    expect(counted).toMatchObject({
      delivered: 20,
      failed: 10,
      waiting: 7,
      due: 3,
      oldestDueSeconds: 1.5,
    })
    expect(points.filter(({ delivered }) => Number(delivered) >= 20)).toHaveLength(2)
    const all = await server.call('/api/v1/overview/history?minutes=600')
    expect(all.body['stretchSeconds']).toBe(600)
    expect(Object.keys(all.body['outboxes'] as object)).toEqual([
      'example.greetings',
      'test.letters',
    ])
    const { outboxes } = await readHistory(pool, ['test.letters'], { minutes: 600 })
    expect(outboxes['test.letters']).toHaveLength(60)
    expect((await server.call('/api/v1/overview/history?minutes=0')).status).toBe(400)
    expect((await server.call('/api/v1/overview/history?outbox=nope')).status).toBe(404)
  })
})

test('the graph has every way of a message, with what goes along it', async () => {
  const { body } = await server.call(`${base}/graph`)
  expect(body).toMatchObject({ record: 'all', approximate: false })
  expect(body['nodes']).toContainEqual({
    state: 'written',
    roles: ['ready', 'retry'],
    count: expect.any(Number),
  })
  const edges = body['edges'] as Item[]
  expect(edges).toContainEqual({ from: null, to: 'written', moves: ['enqueue'], perMinute: null })
  const died = edges.find(({ from, to }) => from === 'written' && to === 'lost')
  expect(died).toMatchObject({ moves: ['die'] })
  expect(died?.['perMinute']).toBeGreaterThan(0)
  expect(edges.find(({ to }) => to === 'torn')).toMatchObject({ moves: ['cancel'], perMinute: 0 })
})

test('a message is found by id, code, the words of its failure and its time', async () => {
  const before = new Date(Date.now() - 60_000).toISOString()
  const id = await dead('trent')
  const findOutboxes = async (query: string) => {
    const { status, body } = await server.call(`${base}/messages?key=trent&${query}`)
    expect(status).toBe(200)
    return (body['items'] as Item[]).map((item) => item['id'])
  }
  expect(await findOutboxes(`id=${id}`)).toEqual([id])
  expect(await findOutboxes('id=none')).toEqual([])
  expect(await findOutboxes('code=NO_SUCH_READER')).toEqual([id])
  expect(await findOutboxes('code=OTHER')).toEqual([])
  expect(await findOutboxes('error=MOVED%20away')).toEqual([id])
  expect(await findOutboxes('error=stayed')).toEqual([])
  expect(await findOutboxes(`since=${before}`)).toEqual([id])
  expect(await findOutboxes(`until=${before}`)).toEqual([])
  expect((await server.call(`${base}/messages?since=yesterday`)).status).toBe(400)
  const nothing = await server.call('/api/v1/outboxes/example.greetings/messages?code=X')
  expect(nothing.status).toBe(400)
})

test('dead letters are replayed by selection or time, counted first and spread out', async () => {
  const ids = [await dead('r1'), await dead('r2'), await dead('r3')]
  letters.refusing.clear()
  const replay = (body: object) => server.call(`${base}/replay`, { body })
  const chosen = { ids: ids.slice(0, 2) }
  const dry = await replay({ filter: chosen, dryRun: true })
  expect(dry.body).toEqual({ count: 2, dryRun: true })
  const none = await replay({ filter: { until: '2020-01-01T00:00:00Z' }, dryRun: true })
  expect(none.body).toEqual({ count: 0, dryRun: true })
  const taken = await replay({ filter: chosen, perSecond: 0.001, reason: 'moved back' })
  expect(taken).toMatchObject({ status: 202, body: { count: 2 } })
  const due = async (id: string | undefined) => (await server.call(`${base}/messages/${id}`)).body
  const [first, second] = [await due(ids[0]), await due(ids[1])]
  const apartMs = Date.parse(String(second['dueAt'])) - Date.parse(String(first['dueAt']))
  expect(Math.abs(apartMs)).toBeGreaterThan(900_000)
  expect(await due(ids[2])).toMatchObject({ state: 'lost' })
  expect(second['transitions']).toContainEqual(
    expect.objectContaining({ code: 'REPLAYED', actor: 'root', reason: 'moved back' }),
  )
  const bad = await replay({ filter: { ids: ['no id'] }, dryRun: true })
  expect(bad).toMatchObject({ status: 202, body: { count: 0 } })
})

test('the journey of a message goes on to the consumers that have had it', async () => {
  const { body: made } = await server.call('/api/v1/greetings', { body: { name: 'journey' } })
  const path = `/api/v1/outboxes/example.greetings/messages/${String(made['id'])}/journey`
  // The consumer may have had it before the relay has written down that it was sent.
  const kinds = async () =>
    ((await server.call(path)).body['steps'] as Item[]).map(({ kind }) => String(kind)).toSorted()
  await expect.poll(kinds, soon).toEqual(['created', 'received', 'transition'])
  const { body } = await server.call(path)
  expect(body).toMatchObject({
    outbox: 'example.greetings',
    messageId: made['id'],
    eventId: made['id'],
    isComplete: true,
    steps: expect.arrayContaining([
      expect.objectContaining({ from: 'waiting', to: 'sent' }),
      expect.objectContaining({ inbox: 'example.inbox', consumer: 'greeter' }),
    ]),
  })
  const unknown = '/api/v1/outboxes/example.greetings/messages/none/journey'
  expect((await server.call(unknown)).status).toBe(404)
})

test('the database says what the tables weigh', async () => {
  const { status, body } = await server.call('/api/v1/database')
  expect(status).toBe(200)
  const tables = body['tables'] as Item[]
  expect(tables.map(({ table }) => table)).toEqual(
    expect.arrayContaining(['letters.letter', 'posthorn.transition']),
  )
  expect(tables.find(({ table }) => table === 'letters.letter')).toMatchObject({
    outbox: 'test.letters',
    indexBytes: expect.any(Number),
  })
  expect(Array.isArray(body['horizons'])).toBe(true)
})

test('every user may ask who they are', async () => {
  const token = await server.tokenFor({ sub: 'ada', org: 'acme' })
  const { body } = await server.call('/api/v1/me', { token })
  expect(body).toMatchObject({ sub: 'ada', org: 'acme', role: 'member' })
  const permissions = body['permissions'] as { name: string; allowed: boolean }[]
  const allowed = permissions.filter((each) => each.allowed).map(({ name }) => name)
  expect(allowed).toEqual(['read', 'write'])
  expect(Date.parse(String(body['expiresAt']))).toBeGreaterThan(Date.now())
})

test('development says who plays the outside world, and what its clock says', async () => {
  const token = await server.tokenFor({})
  const { body } = await server.call('/api/v1/sim', { token })
  expect(body).toMatchObject({ clock: { aheadSeconds: 0, movable: true }, simulators: [] })
})

test('production knows no simulators', async () => {
  expect((await production.call('/api/v1/sim')).status).toBe(404)
  expect((await production.call('/api/v1/overview')).status).toBe(200)
})

test('operators of the platform get an AsyncAPI document of the definitions, and no others', async () => {
  const { status, body } = await server.call('/asyncapi.json')
  expect({ status, version: body['asyncapi'] }).toEqual({ status: 200, version: '3.0.0' })
  expect(Object.keys(body['operations'] as object)).toContainEqual(
    expect.stringMatching(/^send\.test\.letters\./),
  )
  const anonymous = await fetch(`${server.url}/asyncapi.json`)
  expect(anonymous.status).toBe(401)
})
