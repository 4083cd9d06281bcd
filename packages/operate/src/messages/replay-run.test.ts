import { beforeEach, expect, test } from 'vitest'
import { sql, transaction, type Outbox } from '@posthorn/engine'
import { advanceClock, useMovableClock } from '@posthorn/engine/internal'
import { testDatabase, viewTable } from '@posthorn/engine/testing'
import { outboundLetters, outboxTables } from '../../../engine/src/testing/outboxes.ts'
import {
  continueReplay,
  getReplay,
  listReplays,
  runReplay,
  startReplay,
  stopReplay,
  type ReplayRunOptions,
} from './replay-run.ts'

const { pool } = await testDatabase({ sql: outboxTables })
await useMovableClock(pool)

const outbox = outboundLetters as unknown as Outbox
const view = viewTable(pool, outbox)
const BATCH = 10_000

async function bury(count: number, org = 'acme'): Promise<void> {
  await pool.query(sql`
    insert into letters.outbound_letter (id, org_id, idempotency_key, channel, to_recipient, payload_json, status)
    select gen_random_uuid(), ${org}, gen_random_uuid()::text, 'whatsapp', '+1', '{}', 'FAILED'
      from generate_series(1, ${count})`)
}

async function dead(): Promise<number> {
  const { rows } = await pool.query(
    sql`select count(*)::int as n from letters.outbound_letter where status = 'FAILED'`,
  )
  return rows[0].n
}

const start = (options: Partial<ReplayRunOptions> = {}) =>
  transaction(pool, (tx) => startReplay(tx, outbox, { filter: {}, by: 'ops', ...options }))
const batch = () => transaction(pool, (tx) => continueReplay(tx, [outbox]))

beforeEach(async () => {
  await view.empty()
  await pool.query('truncate posthorn.replay cascade')
})

test('a replay of more than a batch is worked through and keeps who, why and how far', async () => {
  await bury(BATCH + 50)
  await bury(3, 'other')
  const progress: number[] = []
  const started = await start({ filter: { tenant: 'acme' }, reason: 'number fixed' })
  expect(started).toMatchObject({ state: 'running', matched: BATCH + 50, replayed: 0 })
  const run = await runReplay(pool, outbox, {
    run: started,
    onProgress: ({ replayed }) => void progress.push(replayed),
  })
  expect(progress).toEqual([BATCH, BATCH + 50])
  expect(run).toMatchObject({
    ...{ state: 'done', replayed: BATCH + 50, diedAgain: 0, endedAt: expect.any(Date) },
    ...{ by: 'ops', reason: 'number fixed', filter: { tenant: 'acme' } },
  })
  expect(await getReplay(pool, outbox, run.id)).toEqual(run)
  expect(await listReplays(pool, outbox)).toEqual([run])
  expect(await dead()).toBe(3)
})

test('a batch that did not commit is not counted, and any process goes on', async () => {
  await bury(BATCH + 5)
  const { id } = await start()
  const crashed = transaction(pool, async (tx) => {
    await continueReplay(tx, [outbox])
    throw new Error('the process dies')
  })
  await expect(crashed).rejects.toThrow('dies')
  expect(await getReplay(pool, outbox, id)).toMatchObject({ state: 'running', replayed: 0 })
  expect(await batch()).toMatchObject({ id, replayed: BATCH })
  expect(await batch()).toMatchObject({ id, replayed: BATCH + 5, state: 'done' })
  expect(await batch()).toBeUndefined()
  expect(await dead()).toBe(0)
})

test('two processes at one replay never count a message twice', async () => {
  await bury(2 * BATCH + 10)
  const started = await start()
  await Promise.all([1, 2].map(() => runReplay(pool, outbox, { run: started })))
  const run = await getReplay(pool, outbox, started.id)
  expect(run).toMatchObject({ state: 'done', replayed: 2 * BATCH + 10, diedAgain: 0 })
})

test('a limit takes only so many, and nothing to do is done at once', async () => {
  expect(await start()).toMatchObject({ state: 'done', matched: 0 })
  await bury(5)
  const run = await runReplay(pool, outbox, { run: await start({ limit: 2 }) })
  expect(run).toMatchObject({ state: 'done', matched: 5, wanted: 2, replayed: 2 })
  expect(await dead()).toBe(3)
})

test('what dies again ends the replay, since its cause is not gone', async () => {
  await bury(BATCH + 5)
  await start()
  await batch()
  await pool.query(sql`update letters.outbound_letter set status = 'FAILED', created_at = '2001-01-01'
    where status <> 'FAILED'`)
  expect(await batch()).toMatchObject({ state: 'done', replayed: BATCH, diedAgain: 5 })
  const { rows } = await pool.query('select 1 from posthorn.replayed_message')
  expect(rows).toEqual([])
})

test('a replay whose batch fails waits, and does not hold up the others', async () => {
  await bury(3)
  await bury(2, 'other')
  await pool.query(`
    create function letters.refuse() returns trigger language plpgsql as
      $$begin raise exception 'no more of these'; end$$;
    create trigger refuse before update on letters.outbound_letter
      for each row when (new.org_id = 'acme') execute function letters.refuse()`)
  const failing = await start({ filter: { tenant: 'acme' } })
  await start({ filter: { tenant: 'other' } })
  const failed = await batch()
  expect(failed).toMatchObject({ id: failing.id, state: 'running', replayed: 0 })
  expect(String(failed?.failure)).toContain('no more of these')
  expect(await batch()).toMatchObject({ state: 'done', replayed: 2 })
  expect(await batch()).toBeUndefined()
  await expect(
    advanceClock(pool, '30s').then(() => runReplay(pool, outbox, { run: failing })),
  ).rejects.toThrow('no more of these')
  await pool.query('drop function letters.refuse cascade')
  await advanceClock(pool, '30s')
  expect(await batch()).toMatchObject({ id: failing.id, state: 'done', replayed: 3 })
})

test('a rate holds over batches', async () => {
  await bury(BATCH + 5)
  // So slow that no machine is slower: the clock goes on while a batch is replayed.
  await start({ perSecond: 10 })
  await batch()
  expect(await batch()).toBeUndefined()
  await advanceClock(pool, '1000s')
  expect(await batch()).toMatchObject({ state: 'done' })
})

test('an operator stops a replay once; it takes no more and stands in the audit', async () => {
  await bury(BATCH + 5)
  const { id } = await start()
  await batch()
  const stop = () =>
    transaction(pool, (tx) => stopReplay(tx, outbox, { id, by: 'eve', reason: 'enough' }))
  expect(await stop()).toMatchObject({ state: 'stopped', replayed: BATCH })
  expect(await stop()).toBeUndefined()
  expect(await batch()).toBeUndefined()
  expect(await dead()).toBe(5)
  const { rows } = await pool.query(
    sql`select operation, subject, actor, reason from posthorn.operation where subject = ${id}`,
  )
  expect(rows).toEqual([{ operation: 'stop-replay', subject: id, actor: 'eve', reason: 'enough' }])
})

test('an id that is none is no replay', async () => {
  expect(await getReplay(pool, outbox, 'nonsense')).toBeUndefined()
  expect(
    await transaction(pool, (tx) => stopReplay(tx, outbox, { id: 'x', by: 'eve' })),
  ).toBeUndefined()
})
