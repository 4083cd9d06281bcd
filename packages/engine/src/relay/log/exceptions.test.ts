import { afterEach, beforeEach, expect, test } from 'vitest'
import { replay } from '../../control/replay.ts'
import { prune } from '../../maintain/prune.ts'
import { outboxStats } from '../../maintain/stats.ts'
import { defineOutbox, type Outbox } from '../../outbox/define.ts'
import { enqueueAll } from '../../enqueue/enqueue.ts'
import { transaction } from '../../database/transaction.ts'
import { delivered, refused, retryLater } from '../../outbox/outcome.ts'
import { fixed } from '../../outbox/retry.ts'
import { outboxTableSql } from '../../outbox/table.sql.ts'
import {
  fakeTransport,
  testDatabase,
  viewTable,
  type FakeTransport,
  testSession,
} from '../../testing/index.ts'
import { uuid } from '../../uuid.ts'
import { createRelay, type Relay } from '../relay.ts'
import { poolHandle } from '../../database/pool-handle.ts'
import type { Claim } from '../settle/claim.ts'
import { settlementOf } from '../settle/settlement.ts'
import { LogSource } from './log-source.ts'

interface Event {
  id: string
  key: string
  n: number
  owner: string
  state: string
  tries: number
  due_at: Date
  ended_at: Date | null
}

const outbox = defineOutbox<Event>({
  name: 'kept.events',
  table: 'kept.events',
  storage: 'log',
  states: { ready: 'ready', sent: 'sent', dead: 'dead' },
  columns: { status: 'state', dueAt: 'due_at', finishedAt: 'ended_at' },
  counter: { column: 'tries', bumps: 'on-failure' },
  order: { key: 'key', dead: 'skip' },
  retry: fixed('0s', { attempts: 2 }),
  retention: { after: '1d', archive: '0d' },
  destination: { transport: 'fake', topic: 't' },
  message: (row) => ({ id: row.id, type: 'e', key: row.key, payload: row.n }),
})
const box = outbox as unknown as Outbox

const db = await testDatabase({
  sql: `create schema kept;
    create type kept.state as enum ('ready', 'sent', 'dead');
    create table kept.events (id uuid primary key, key text not null, n int not null, owner text unique,
      state kept.state not null default 'ready', tries int not null default 0,
      due_at timestamptz not null default posthorn.now(), ended_at timestamptz);
    ${outboxTableSql(outbox)}`,
})

const relays: Relay[] = []
const relayTo = (fake: FakeTransport) => {
  const relay = createRelay({
    pool: db.pool,
    outboxes: [outbox],
    transports: { fake },
    mode: 'poll',
  })
  relays.push(relay)
  return relay
}
const drain = async (relay: Relay) => {
  for (let i = 0; i < 100 && (await relay.runOnce()) > 0; i += 1);
}
const put = (...rows: Partial<Event>[]) =>
  transaction(db.pool, (tx) =>
    enqueueAll(
      tx,
      outbox,
      rows.map((row, n) => ({ key: 'k', n, ...row })),
    ),
  )
const arrived = (fake: FakeTransport) => fake.arrived.map(({ payload }) => payload as number)
/** Whatever their order. */
const arrivedAtAll = (fake: FakeTransport) => arrived(fake).toSorted((one, other) => one - other)
const kept = async () => {
  const { rows } = await db.pool.query<{ n: number; state: string; tries: number }>(
    'select n, state, tries from kept.events_exceptions order by seq',
  )
  return rows
}

beforeEach(async () => viewTable(db.pool, box).empty())
afterEach(async () => {
  await Promise.all(relays.splice(0).map((relay) => relay.stop()))
})

test('messages that fail are kept, whatever is unique in the table of the outbox', async () => {
  await put(...['a', 'b', 'c'].map((key) => ({ key, owner: 'the same' })))
  const fake = fakeTransport(() => retryLater('no'))
  const relay = relayTo(fake)
  await relay.runOnce()
  expect(await kept()).toHaveLength(3)
  expect(await outboxStats(db.pool, box)).toMatchObject({ counts: { ready: 3 } })
  fake.answer = () => delivered()
  await drain(relay)
  expect(arrivedAtAll(fake)).toEqual([0, 1, 2])
})

test('messages of one id are delivered each, with a failure and without', async () => {
  const id = uuid()
  await put({ id }, { id }, { id, key: 'other' })
  const straight = fakeTransport()
  await drain(relayTo(straight))
  expect(arrivedAtAll(straight)).toEqual([0, 1, 2])

  await put({ id, n: 3 }, { id, n: 4 }, { id, n: 5, key: 'other' })
  const failing = fakeTransport(() => retryLater('no'))
  const relay = relayTo(failing)
  await relay.runOnce()
  failing.answer = () => delivered()
  await drain(relay)
  expect(arrivedAtAll(failing)).toEqual([3, 4, 5])
  expect(await kept()).toEqual([3, 4, 5].map((n) => expect.objectContaining({ n, state: 'sent' })))
})

test('of messages of one id each has a state and attempts of its own', async () => {
  const id = uuid()
  await put({ id, n: 1 }, { id, n: 2 }, { id, n: 3, key: 'other' })
  const fake = fakeTransport(({ payload }) => (payload === 1 ? refused('never') : delivered()))
  const relay = relayTo(fake)
  await drain(relay)
  fake.answer = ({ payload }) => (payload === 3 ? retryLater('later') : delivered())
  await put({ id, n: 3, key: 'other' })
  await drain(relay)
  expect(await kept()).toEqual([
    expect.objectContaining({ n: 1, state: 'dead' }),
    expect.objectContaining({ n: 2, state: 'sent', tries: 0 }),
    expect.objectContaining({ n: 3, state: 'dead', tries: 2 }),
  ])
  fake.answer = () => delivered()
  const ids = await transaction(db.pool, (tx) => replay(tx, outbox, { filter: {}, by: 'ops' }))
  expect(ids).toEqual([id, id])
  await drain(relay)
  expect(arrivedAtAll(fake)).toEqual([1, 2, 3, 3])

  await db.pool.query(`update kept.events_exceptions set ended_at = now() - interval '2 days'`)
  // What was sent before the outbox was kept in a log.
  await db.pool.query(`insert into kept.events (id, key, n, state, ended_at)
                       values ('${id}', 'k', 0, 'sent', now() - interval '2 days')`)
  await put({ id, n: 4 })
  fake.answer = () => retryLater('no')
  await relay.runOnce()
  expect(await prune(db.pool, box)).toMatchObject({ pruned: 4 })
  expect(await kept()).toEqual([expect.objectContaining({ n: 4, state: 'ready' })])
})

test('what cannot be kept stays in the log until it can be', async () => {
  await db.pool.query('alter table kept.events_exceptions add constraint small check (n < 100)')
  await put({ n: 100 }, { n: 101 }, { n: 1, key: 'other' })
  const session = await testSession(db.pool, box, 'by hand')
  const source = new LogSource(poolHandle(db.pool, { prepare: true }), box, { session })
  await source.maintain()
  const claim = (await source.claim('batch')) as Claim
  const outcome = { outcome: retryLater('no'), backoffMs: 0 }
  const settlements = claim.rows.map((row) => settlementOf(box, row, outcome))
  await expect(source.settle(claim, settlements)).rejects.toThrow('violates check constraint')
  await expect(source.settle(claim, settlements, { isApart: true })).rejects.toThrow(
    'violates check constraint',
  )
  const { rows } = await db.pool.query('select n from kept.events_log order by n')
  expect(rows.slice(-2)).toEqual([{ n: 100 }, { n: 101 }])
  expect(await outboxStats(db.pool, box)).toMatchObject({ counts: { ready: 3 } })
  await db.pool.query('alter table kept.events_exceptions drop constraint small')
  await viewTable(db.pool, box).expireLeases()
  const fake = fakeTransport()
  await drain(relayTo(fake))
  expect(arrivedAtAll(fake)).toEqual([1, 100, 101])
})

test('a relay does not start where whole rows could not move', async () => {
  await db.pool.query('alter table kept.events add a int, add b int')
  await db.pool.query('alter table kept.events_log add a int, add b int')
  await db.pool.query('alter table kept.events_exceptions add b int, add a int')
  const start = () => relayTo(fakeTransport()).start()
  await expect(start()).rejects.toMatchObject({ code: 'TABLE_MISMATCH' })
  await expect(start()).rejects.toThrow('has not the columns of kept.events_log, in their order')
  await db.pool.query('alter table kept.events_exceptions drop b')
  await db.pool.query('alter table kept.events_exceptions add b int')
  await start()
})

test('after a restart of the sequence what waited before goes first', async () => {
  await put({ n: 1 }, { n: 2 })
  const fake = fakeTransport(() => retryLater('no', { after: '1s' }))
  const relay = relayTo(fake)
  await relay.runOnce()
  await db.pool.query('truncate kept.events_log restart identity')
  await put({ n: 3 }, { n: 4 })
  fake.answer = () => delivered()
  await expect
    .poll(async () => (await drain(relay), arrived(fake)), { timeout: 20_000 })
    .toEqual([1, 2, 3, 4])
})
