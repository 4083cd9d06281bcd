import { Pool } from 'pg'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { silentLog } from '../../log.ts'
import { maintain } from '../../maintain/maintenance.ts'
import { cancel } from '../../control/replay.ts'
import { defineOutbox, type Outbox } from '../../outbox/define.ts'
import { enqueueAll } from '../../enqueue/enqueue.ts'
import { poolHandle } from '../../database/pool-handle.ts'
import { transaction } from '../../database/transaction.ts'
import { delivered, retryLater } from '../../outbox/outcome.ts'
import { exponential } from '../../outbox/retry.ts'
import { outboxTableSql } from '../../outbox/table.sql.ts'
import {
  fakeTransport,
  testDatabase,
  viewTable,
  type FakeTransport,
  testSession,
} from '../../testing/index.ts'
import { flushStatistics } from '../../testing/flush-statistics.ts'
import { uuid } from '../../uuid.ts'
import type { Claim } from '../settle/claim.ts'
import { LogSource } from './log-source.ts'
import { createRelay, type Relay, type RelayOptions } from '../relay.ts'
import { settlementOf } from '../settle/settlement.ts'
import { logStatements } from './log.sql.ts'

interface Event {
  id: string
  key: string
  n: number
  status: string
  attempts: number
  due_at: Date
  created_at: Date
  finished_at: Date | null
}

const outbox = defineOutbox<Event>({
  name: 'logs.events',
  table: 'logs.events',
  storage: 'log',
  states: { ready: 'ready', sent: 'sent', dead: 'dead', cancelled: 'cancelled' },
  columns: { dueAt: 'due_at', createdAt: 'created_at', finishedAt: 'finished_at' },
  counter: { column: 'attempts', bumps: 'on-failure' },
  claim: { batch: 20, lease: '60s' },
  order: { key: 'key', dead: 'block' },
  retry: exponential('1s', { attempts: 3 }),
  retention: { after: '1d', archive: '0d' },
  destination: { transport: 'fake', topic: 't' },
  reads: ['n'],
  message: (row) => ({ id: row.id, type: 'e', key: row.key, payload: row.n }),
})
const box = outbox as unknown as Outbox

const db = await testDatabase({
  sql: `create schema logs;
    create table logs.events (id uuid primary key, key text not null, n int not null,
      status text not null default 'ready', attempts int not null default 0,
      due_at timestamptz not null default posthorn.now(), created_at timestamptz not null default now(),
      finished_at timestamptz);
    ${outboxTableSql(outbox)}`,
})

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i)
const put = (key: string, ns: readonly number[]) =>
  transaction(db.pool, (tx) =>
    enqueueAll(
      tx,
      outbox,
      ns.map((n) => ({ key, n })),
    ),
  )
const insert = (key: string, n: number, into = 'logs.events_log') => ({
  text: `insert into ${into} (id, key, n) values ($1, $2, $3)`,
  values: [uuid(), key, n],
})

const relays: Relay[] = []
const relayTo = (fake: FakeTransport, more: Partial<RelayOptions> = {}) => {
  const relay = createRelay({
    pool: db.pool,
    outboxes: [outbox],
    transports: { fake },
    mode: 'poll',
    ...more,
  })
  relays.push(relay)
  return relay
}
const drain = async (relay: Relay) => {
  for (let i = 0; i < 100 && (await relay.runOnce()) > 0; i += 1);
}
const numbers = (fake: FakeTransport, key: string) =>
  fake.arrived.filter((message) => message.key === key).map(({ payload }) => payload)
/** A writer that stays open until `end`. */
const openWriter = async () => {
  const client = await db.pool.connect()
  await client.query('begin')
  return {
    client,
    async end(how = 'commit') {
      await client.query(how)
      client.release()
    },
  }
}
const sourceOf = async (name: string, handle = poolHandle(db.pool, { prepare: true })) =>
  new LogSource(handle, box, { session: await testSession(db.pool, box, name) })
const allDelivered = ({ rows }: Claim) =>
  rows.map((row) => settlementOf(box, row, { outcome: delivered(), backoffMs: 0 }))

beforeEach(async () => viewTable(db.pool, box).empty())
afterEach(async () => {
  await Promise.all(relays.splice(0).map((relay) => relay.stop()))
})

test('a writer that stays open holds up its own messages only, however long', async () => {
  const late = await openWriter()
  await late.client.query(insert('slow', 1))
  const gone = await openWriter()
  await gone.client.query(insert('never', 1))
  const fake = fakeTransport()
  const relay = relayTo(fake)
  for (let round = 0; round < 4; round += 1) {
    await put(`quick-${round}`, range(1, 30))
    await drain(relay)
  }
  expect(fake.arrived).toHaveLength(120)
  await late.client.query(insert('slow', 2))
  await gone.end('rollback')
  await late.end()
  await drain(relay)
  expect(numbers(fake, 'slow')).toEqual([1, 2])
  await put('quick-0', [31])
  await drain(relay)
  expect(fake.arrived).toHaveLength(123)
  expect(numbers(fake, 'quick-0')).toEqual(range(1, 31))
})

test('a transaction that is beyond the end of the snapshot is found when it commits', async () => {
  const fake = fakeTransport()
  const relay = relayTo(fake)
  await put('k', [1])
  const newest = await openWriter()
  await newest.client.query(insert('late', 1))
  // No younger transaction has ended: the snapshot's end is below the open one's number.
  await drain(relay)
  expect(numbers(fake, 'k')).toEqual([1])
  await newest.end()
  await drain(relay)
  expect(numbers(fake, 'late')).toEqual([1])
})

test('writers that take turns are delivered in their turn, whatever numbers they have', async () => {
  const older = await openWriter()
  await older.client.query('select pg_current_xact_id()')
  await put('k', [1])
  await older.client.query(insert('k', 2))
  await older.end()
  await put('k', [3])
  const fake = fakeTransport()
  await drain(relayTo(fake))
  expect(numbers(fake, 'k')).toEqual([1, 2, 3])
})

test('a tick is read through page by page, with what comes meanwhile behind it', async () => {
  const keys = range(1, 7).map((n) => `k${n}`)
  for (const key of keys) await put(key, range(1, 60))
  const fake = fakeTransport()
  const relay = relayTo(fake)
  const open = await openWriter()
  await open.client.query(insert('k3', 61))
  fake.answer = async () => {
    // In the midst of the tick, between two pages of it.
    if (fake.attempted.length === 60) {
      expect(fake.arrived).toHaveLength(59)
      await open.end()
      for (const key of keys) await put(key, range(62, 70))
    }
    return delivered()
  }
  await drain(relay)
  for (const key of keys) {
    const expected = range(1, 70).filter((n) => n !== 61 || key === 'k3')
    expect(numbers(fake, key), key).toEqual(expected)
  }
  expect(fake.arrived).toHaveLength(7 * 69 + 1)
})

test('a run is settled once, by the relay that has its bucket', async () => {
  await put('k', range(1, 3))
  const zombie = await sourceOf('zombie')
  await zombie.maintain()
  const claim = (await zombie.claim('batch', 200)) as Claim
  expect(claim.rows).toHaveLength(3)
  await viewTable(db.pool, box).expireLeases()
  const fake = fakeTransport()
  const relay = relayTo(fake)
  await drain(relay)
  // From the table, as a group: the run of the one that vanished is suspect.
  expect(fake.batches).toEqual([3])
  expect(numbers(fake, 'k')).toEqual([1, 2, 3])
  const { lost } = await zombie.settle(claim, allDelivered(claim))
  expect(lost).toHaveLength(3)
  await put('k', [4])
  await drain(relay)
  expect(numbers(fake, 'k')).toEqual([1, 2, 3, 4])
  await zombie.close()
})

test('a plan that was made while the log was empty is not that of a backlog', async () => {
  await db.pool.query('vacuum analyze logs.events_log')
  const single = new Pool({ ...db.pool.options, max: 1 })
  const source = await sourceOf('planner', poolHandle(single, { prepare: true }))
  await source.maintain()
  for (let look = 0; look < 8; look += 1) expect(await source.claim('batch')).toBeUndefined()
  for (const key of range(1, 30)) await put(`k${key}`, range(1, 40))
  for (;;) {
    const claim = await source.claim('batch', 200)
    if (!claim) break
    await source.settle(claim, allDelivered(claim))
  }
  const { name, params } = logStatements(box).claimLog
  const args = params
    .map((param) => (param === 'session' ? 'null' : param.endsWith('s') ? `'{}'` : '1'))
    .join(', ')
  const { rows } = await single.query<{ 'QUERY PLAN': string }>(
    `explain execute ${name}_backlog (${args})`,
  )
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
  expect(plan).toContain('events_log_default_bucket_seq_idx')
  expect(plan).not.toContain('Seq Scan on events_log')
  await source.close()
  await single.end()
})

test('a claim reads its page of a long backlog and not what waits behind it', async () => {
  await db.pool.query(`
    insert into logs.events_log (id, key, n)
    select gen_random_uuid(), 'k' || i % 640, i from generate_series(1, 100000) as i`)
  const single = new Pool({ ...db.pool.options, max: 1 })
  // As behind a pooler: every claim is planned anew, by what the planner expects of this moment.
  const source = await sourceOf('planner', poolHandle(single, { prepare: false }))
  await source.maintain()
  const countRead = async () => {
    await flushStatistics(single)
    const { rows } = await single.query<{ read: number }>(`
      select sum(idx_tup_read)::int as read
        from pg_stat_user_indexes where relname like 'events_log%'`)
    return rows[0]?.read ?? 0
  }
  const before = await countRead()
  expect((await source.claim('batch', 200))?.rows).toHaveLength(200)
  expect((await countRead()) - before).toBeLessThan(1_000)
  await source.close()
  await single.end()
})

test('settling again after a lost answer changes nothing, and a lost note settles nothing', async () => {
  await put('k', range(1, 3))
  const source = await sourceOf('by hand')
  await source.maintain()
  const first = (await source.claim('batch', 200)) as Claim
  expect((await source.settle(first, allDelivered(first))).lost).toEqual([])
  expect((await source.settle(first, allDelivered(first))).lost).toEqual([])
  await put('k', range(4, 5))
  const second = (await source.claim('batch', 200)) as Claim
  expect(second.rows.map((row) => row['n'])).toEqual([4, 5])
  // As a crash of Postgres does that was faster than the disk.
  await db.pool.query(`update posthorn.bucket
      set run = run - 1, run_size = null, log_upto = null, log_tick = null, log_tick_by = null, log_tick_seq = null
    where outbox = 'logs.events' and log_upto is not null`)
  expect((await source.settle(second, allDelivered(second))).lost).toHaveLength(2)
  const again = (await source.claim('batch', 200)) as Claim
  expect(again.rows.map((row) => row['n'])).toEqual([4, 5])
  expect((await source.settle(again, allDelivered(again))).lost).toEqual([])
  expect(await source.claim('batch', 200)).toBeUndefined()
  await source.close()
})

test('what cannot be settled with its run is settled from the table', async () => {
  await put('good', range(1, 2))
  await put('bad', range(1, 2))
  const fake = fakeTransport(({ key }) => (key === 'bad' ? retryLater('no') : delivered()))
  await db.pool.query(`create function logs.refuse() returns trigger language plpgsql as
    $$ begin if new.attempts > 0 then raise 'no room for a failure'; end if; return new; end $$;
    create trigger refuse before update on logs.events_exceptions for each row execute function logs.refuse()`)
  const relay = relayTo(fake)
  try {
    await drain(relay)
  } finally {
    await db.pool.query('drop function logs.refuse cascade')
  }
  expect(numbers(fake, 'good')).toEqual([1, 2])
  fake.answer = () => delivered()
  await expect
    .poll(async () => (await drain(relay), numbers(fake, 'bad')), { timeout: 30_000 })
    .toEqual([1, 2])
})

test('a message that waits in the log can be cancelled, and what the table has goes first', async () => {
  await db.pool.query(insert('k', 1, 'logs.events'))
  const [, unwanted] = await put('k', range(2, 4))
  const ids = [unwanted?.id ?? '']
  const cancelled = await transaction(db.pool, (tx) => cancel(tx, outbox, { ids, by: 'ops' }))
  expect(cancelled).toEqual(ids)
  const fake = fakeTransport()
  await drain(relayTo(fake))
  expect(numbers(fake, 'k')).toEqual([1, 2, 4])
  expect((await viewTable(db.pool, box).states()).get(ids[0] ?? '')).toBe('cancelled')
})

test('a partition goes when its time is over and every bucket has gone by', async () => {
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString()
  await db.pool.query(`create table logs.events_log_until_old partition of logs.events_log
    for values from ('${day(40)}') to ('${day(20)}')`)
  await db.pool.query({
    text: `insert into logs.events_log (id, key, n, logged_at) values ($1, 'k', 1, $2)`,
    values: [uuid(), day(30)],
  })
  expect(await maintain(db.pool, [box])).toMatchObject({ dropped: [], failed: [] })
  await put('k', [2])
  const fake = fakeTransport()
  const relay = relayTo(fake)
  await drain(relay)
  expect(numbers(fake, 'k')).toEqual([1, 2])
  expect(await maintain(db.pool, [box])).toMatchObject({ dropped: ['events_log_until_old'] })
  await put('k', [3])
  await drain(relay)
  expect(numbers(fake, 'k')).toEqual([1, 2, 3])
  expect([...(await viewTable(db.pool, box).states()).values()]).toEqual(['sent', 'sent'])
})

/** Makes the log one that came from a cluster whose transactions had numbers this much higher. */
async function restoreElsewhere(by: number): Promise<void> {
  const shifted = (column: string) => `(select
        (pg_snapshot_xmin(${column})::text::bigint + ${by}) || ':' ||
        (pg_snapshot_xmax(${column})::text::bigint + ${by}) || ':' ||
        (select coalesce(string_agg((xip::text::bigint + ${by})::text, ',' order by xip), '')
           from pg_snapshot_xip(${column}) as xip))::pg_snapshot`
  const moved = (column: string) => `greatest(0, ${column}::text::bigint + ${by})::text::xid8`
  await db.pool.query(`update logs.events_log set xid = ${moved('xid')};
    update posthorn.bucket
       set log_cluster = 1, token = null, session = null,
           log_seen = case when log_seen is not null then ${shifted('log_seen')} end,
           log_seen_by = ${moved('log_seen_by')},
           log_tick = case when log_tick is not null then ${shifted('log_tick')} end,
           log_tick_by = ${moved('log_tick_by')}
     where outbox = 'logs.events';
    update posthorn.session set until = null where 'logs.events' = any(outboxes)`)
}

test.each([1_000_000_000, -3])(
  'after a restore into another cluster what waited goes, once (%i)',
  async (by) => {
    const fake = fakeTransport()
    const relay = relayTo(fake)
    const late = await openWriter()
    await late.client.query(insert('late', 1))
    await put('done', range(1, 5))
    await put('half', range(1, 100))
    fake.answer = async () => {
      if (fake.attempted.length === 40) {
        await db.pool.query(
          `insert into posthorn.pause (outbox, paused_by) values ('logs.events', 'test')`,
        )
      }
      return delivered()
    }
    await relay.runOnce()
    await db.pool.query('delete from posthorn.pause')
    await relay.stop()
    expect(numbers(fake, 'half').length).toBeGreaterThan(0)
    expect(numbers(fake, 'half').length).toBeLessThan(100)
    await late.end()
    await put('waits', range(1, 3))
    const before = fake.arrived.length
    await restoreElsewhere(by)
    // The application is there before the relay is.
    for (const key of ['done', 'half', 'waits', 'late']) await put(key, [1_000, 1_001])
    const second = relayTo(fake)
    await drain(second)
    expect(numbers(fake, 'half')).toEqual([...range(1, 100), 1_000, 1_001])
    expect(numbers(fake, 'waits')).toEqual([1, 2, 3, 1_000, 1_001])
    expect(numbers(fake, 'late')).toEqual([1, 1_000, 1_001])
    expect(numbers(fake, 'done')).toEqual([...range(1, 5), 1_000, 1_001])
    expect(fake.arrived.length).toBeGreaterThan(before)
    // And everything goes straight through again.
    await put('done', [2_000])
    await drain(second)
    expect(numbers(fake, 'done').at(-1)).toBe(2_000)
    expect(fake.arrived).toHaveLength(105 + 4 + 8 + 1)
  },
)

test('after its sequence was restarted a log is read from its first place on', async () => {
  const said: string[] = []
  const log = { ...silentLog, warn: (_: object, message: string) => void said.push(message) }
  const fake = fakeTransport()
  const relay = relayTo(fake, { log })
  await put('before', range(1, 50))
  await drain(relay)
  await db.pool.query('truncate logs.events_log restart identity')
  await put('after', range(1, 20))
  await drain(relay)
  await drain(relay)
  expect(numbers(fake, 'after')).toEqual(range(1, 20))
  expect(said).toContain('the sequence of the log was restarted; its cursors start again')
  await put('after', [21])
  await drain(relay)
  expect(fake.arrived).toHaveLength(71)
  expect(said).toHaveLength(1)
})

test('a relay that may not read the sequence of the log says so', async () => {
  const role = `log_relay_${db.name}`
  await db.pool.query(`
    create role ${role} login password 'relay';
    grant usage on schema posthorn, logs to ${role};
    grant all on all tables in schema posthorn, logs to ${role};
    grant all on all sequences in schema posthorn, logs to ${role};
    revoke all on sequence logs.events_log_seq_seq from ${role}`)
  onTestFinished(async () => {
    await db.pool.query(`drop owned by ${role}; drop role ${role}`)
  })
  const url = new URL(db.url)
  url.username = role
  url.password = 'relay'
  const pool = db.connect({ connectionString: url.href, max: 5 })
  const said: unknown[] = []
  const log = { ...silentLog, error: ({ err }: { err?: unknown }) => void said.push(err) }
  const fake = fakeTransport()
  const relay = relayTo(fake, { pool, log, maintenance: 'off' })
  await put('hidden', [1])
  const error = await relay.start().catch((cause: unknown) => cause as Error)
  expect(error).toMatchObject({ code: 'SEQUENCE_HIDDEN' })
  // What it says to do is enough.
  const [statement = ''] = /grant select .*;/.exec((error as Error).message) ?? []
  await db.pool.query(statement.replace('<role>', role))
  await relay.start()
  await expect.poll(() => numbers(fake, 'hidden')).toEqual([1])
  await db.pool.query(`revoke all on sequence logs.events_log_seq_seq from ${role}`)
  await expect
    .poll(() => said, { timeout: 15_000 })
    .toContainEqual(expect.objectContaining({ code: 'SEQUENCE_HIDDEN' }))
  await relay.stop()
  await pool.end()
})
