import { beforeEach, expect, test } from 'vitest'
import { advanceClock, useMovableClock } from '../database/clock.ts'
import type { Outbox } from '../outbox/define.ts'
import { enqueueAll } from '../enqueue/enqueue.ts'
import { delivered, refused } from '../outbox/outcome.ts'
import { createRelay } from '../relay/relay.ts'
import { groupDead } from './dead-groups.ts'
import { cancel, countReplay, replay } from './replay.ts'
import { fakeTransport, testDatabase, viewTable } from '../testing/index.ts'
import { outboundLetters, outboxTables, hookDeliveries } from '../testing/outboxes.ts'
import { transaction } from '../database/transaction.ts'
import { uuid } from '../uuid.ts'

const db = await testDatabase({ sql: outboxTables })
await useMovableClock(db.pool)

const view = viewTable(db.pool, outboundLetters as unknown as Outbox)
const fake = fakeTransport()
const relay = createRelay({
  pool: db.pool,
  outboxes: [outboundLetters, hookDeliveries],
  transports: { topics: fake },
  mode: 'poll',
})
const tickUntilIdle = async () => {
  for (let i = 0; i < 50 && (await relay.runOnce()) > 0; i += 1);
}

async function killMessages(count: number, org = 'acme', channel = 'whatsapp'): Promise<string[]> {
  const all = await transaction(db.pool, (tx) =>
    enqueueAll(
      tx,
      outboundLetters,
      Array.from({ length: count }, () => ({
        org_id: org,
        idempotency_key: uuid(),
        channel,
        to_recipient: '+1',
        payload_json: {},
      })),
    ),
  )
  fake.answer = () => refused({ code: 'E131047', message: 'no' })
  await tickUntilIdle()
  fake.answer = () => delivered()
  return all.map(({ id }) => id)
}

beforeEach(async () => {
  await view.empty()
  fake.arrived.length = 0
})

test('a filter takes what it names, and the dry run counts just that', async () => {
  await killMessages(3, 'acme')
  await killMessages(2, 'other')
  expect(await countReplay(db.pool, outboundLetters, {})).toBe(5)
  expect(await countReplay(db.pool, outboundLetters, { tenant: 'other' })).toBe(2)
  expect(await countReplay(db.pool, outboundLetters, { code: 'E131047', tenant: 'acme' })).toBe(3)
  expect(
    await countReplay(db.pool, outboundLetters, { since: new Date(Date.now() + 60_000) }),
  ).toBe(0)
  const ids = await transaction(db.pool, (tx) =>
    replay(tx, outboundLetters, { filter: { tenant: 'other' }, by: 'ops' }),
  )
  expect(ids).toHaveLength(2)
  await tickUntilIdle()
  expect(fake.arrived).toHaveLength(2)
  expect(await countReplay(db.pool, outboundLetters, {})).toBe(3)
})

test('a filter on a column the outbox does not have is refused, not ignored', async () => {
  await expect(countReplay(db.pool, hookDeliveries, { tenant: 'acme' })).rejects.toMatchObject({
    field: 'filter.tenant',
  })
})

test('a rate spreads the messages out over time', async () => {
  await killMessages(6)
  await transaction(db.pool, (tx) =>
    replay(tx, outboundLetters, { filter: {}, perSecond: 2, by: 'ops' }),
  )
  await tickUntilIdle()
  const atOnce = fake.arrived.length
  expect(atOnce).toBeLessThanOrEqual(2)
  await advanceClock(db.pool, '1s')
  await tickUntilIdle()
  expect(fake.arrived.length - atOnce).toBeLessThanOrEqual(3)
  await advanceClock(db.pool, '3s')
  await tickUntilIdle()
  expect(fake.arrived).toHaveLength(6)
})

test('a limit takes the oldest first, and calling again takes the rest', async () => {
  const ids = await killMessages(5)
  const some = () =>
    transaction(db.pool, (tx) =>
      replay(tx, outboundLetters, { filter: { ids }, limit: 3, by: 'ops' }),
    )
  expect([(await some()).length, (await some()).length, (await some()).length]).toEqual([3, 2, 0])
})

test('who did it and why is on record', async () => {
  const [id] = (await killMessages(1)) as [string]
  await transaction(db.pool, (tx) =>
    replay(tx, outboundLetters, { filter: { ids: [id] }, by: 'ops@acme', reason: 'number fixed' }),
  )
  const { rows } = await db.pool.query<{ actor: string; reason: string; code: string }>(
    'select actor, reason, code from posthorn.transition where message_id = $1 order by id desc limit 1',
    [id],
  )
  expect(rows[0]).toEqual({ actor: 'ops@acme', reason: 'number fixed', code: 'REPLAYED' })
})

test('two operators at once take each message once', async () => {
  await killMessages(20)
  const both = await Promise.all(
    [1, 2].map(() =>
      transaction(db.pool, (tx) => replay(tx, outboundLetters, { filter: {}, by: 'ops' })),
    ),
  )
  expect(new Set(both.flat()).size).toBe(20)
  expect(both.flat()).toHaveLength(20)
})

test('what waits or is dead can be cancelled; what is sent cannot', async () => {
  const dead = await killMessages(1)
  const waiting = await transaction(db.pool, (tx) =>
    enqueueAll(
      tx,
      outboundLetters,
      [
        {
          org_id: 'a',
          idempotency_key: uuid(),
          channel: 'c',
          to_recipient: '+1',
          payload_json: {},
        },
      ],
      { delay: '1h' },
    ),
  )
  const ids = [...dead, ...waiting.map(({ id }) => id)]
  const gone = await transaction(db.pool, (tx) => cancel(tx, outboundLetters, { ids, by: 'ops' }))
  expect(new Set(gone)).toEqual(new Set(ids))
  expect(
    await transaction(db.pool, (tx) => cancel(tx, outboundLetters, { ids, by: 'ops' })),
  ).toEqual([])
  await advanceClock(db.pool, '2h')
  await tickUntilIdle()
  expect(fake.arrived).toHaveLength(0)
})

test('the dead are counted by what they died of, the most frequent first', async () => {
  await killMessages(2, 'acme')
  await killMessages(1, 'other')
  const [odd] = await killMessages(1, 'acme')
  await db.pool.query(`update ${outboundLetters.table} set error_code = null where id = $1`, [odd])
  expect(await groupDead(db.pool, outboundLetters, {})).toMatchObject([
    { code: 'E131047', count: 3, error: 'no', firstDiedAt: expect.any(Date) },
    { code: undefined, count: 1 },
  ])
  const narrowed = await groupDead(db.pool, outboundLetters, { tenant: 'other' })
  expect(narrowed).toMatchObject([{ code: 'E131047', count: 1 }])
  await expect(groupDead(db.pool, outboundLetters, { key: 'k' })).rejects.toThrow(/filter\.key/)
})

test('the dead are dated by their death and counted by where they were to go', async () => {
  await killMessages(2, 'acme')
  await killMessages(3, 'other', 'sms')
  await killMessages(1, 'acme', 'sms')
  const { table } = outboundLetters
  await db.pool.query(`update ${table} set created_at = created_at - interval '3 days'`)
  const { rows } = await db.pool.query<{ first: Date; last: Date }>(
    `select min(a.raised_at) as first, max(a.raised_at) as last
       from ${table} as m join posthorn.alert as a on a.source = $1 and a.subject = m.id::text`,
    [outboundLetters.name],
  )
  const { rows: places } = await db.pool.query(
    `select 'topics:' || channel as destination, count(*)::int as count
       from ${table} where status = 'FAILED' group by 1 order by 2 desc`,
  )
  expect(places).toHaveLength(2)
  expect(await groupDead(db.pool, outboundLetters, {})).toMatchObject([
    { count: 6, firstDiedAt: rows[0]?.first, lastDiedAt: rows[0]?.last, destinations: places },
  ])
  const destination = (row: { channel: string; org_id: string; id: string }) => ({
    transport: 'topics',
    topic: row.channel === 'sms' ? row.org_id : 'letters',
  })
  const odd = { ...outboundLetters, destination }
  const read = async (to: typeof destination) => {
    const [group] = await groupDead(db.pool, { ...odd, destination: to }, {})
    return group?.destinations
  }
  expect(await read(destination), 'columns that only some rows are asked for').toEqual([
    { destination: 'topics:other', count: 3 },
    { destination: 'topics:letters', count: 2 },
    { destination: 'topics:acme', count: 1 },
  ])
  const unknown = 'nowhere' as 'id'
  expect(await read((row) => ({ transport: 't', topic: row[unknown] })), 'no column').toEqual([])
})
