import { beforeEach, describe, expect, test } from 'vitest'
import type { Outbox } from '../outbox/define.ts'
import { enqueueAll } from '../enqueue/enqueue.ts'
import { silentLog, type Log } from '../log.ts'
import { maintain } from './maintenance.ts'
import { createRelay } from '../relay/relay.ts'
import { tryLockMaintenance } from './maintenance.sql.ts'
import { everywhere, fakeTransport, testDatabase, viewTable } from '../testing/index.ts'
import {
  SAMPLES,
  clubEvents,
  hookDeliveries,
  outboxTables,
  tripEvents,
} from '../testing/outboxes.ts'
import { transaction } from '../database/transaction.ts'

const db = await testDatabase({ sql: outboxTables })
const outboxes = SAMPLES.map(({ outbox }) => outbox)
const WEEK_MS = 7 * 86_400_000

const query = async <Row extends object>(text: string, values: unknown[] = []) =>
  (await db.pool.query<Row>(text, values)).rows

async function partitions(table: string) {
  return query<{ name: string; rows: number }>(
    `select child.relname as name,
            (xpath('/row/n/text()', query_to_xml('select count(*) as n from posthorn.' || child.relname, false, true, '')))[1]::text::int as rows
       from pg_inherits join pg_class as child on child.oid = inhrelid
      where inhparent = $1::regclass
      order by child.relname`,
    [table],
  )
}

const insertTransition = (at = 'now()') =>
  query(`insert into posthorn.transition (outbox, message_id, to_state, actor, at)
         values ('o', 'm', 'X', 'test', ${at})`)

/** As a database is that was migrated and never maintained. */
beforeEach(async () => {
  for (const table of ['posthorn.transition', 'posthorn.archive']) {
    for (const { name } of await partitions(table)) await query(`drop table posthorn.${name}`)
    await query(`create table ${table}_default partition of ${table} default`)
  }
  for (const outbox of outboxes) await viewTable(db.pool, outbox).empty()
})

describe('partitions', () => {
  test('are made for the weeks to come, and a second run changes nothing', async () => {
    const first = await maintain(db.pool, outboxes)
    expect(first?.failed).toEqual([])
    expect(first?.dropped).toEqual([])
    for (const table of ['transition', 'archive']) {
      const names = (await partitions(`posthorn.${table}`)).map(({ name }) => name)
      const weeks = Array.from({ length: 4 }, (_, i) => `${table}_p${monday(i + 1)}`)
      expect(names).toEqual([`${table}_default`, ...weeks, `${table}_until_${monday(1)}`])
    }
    expect(first?.created).toHaveLength(10)
    expect(await maintain(db.pool, outboxes)).toMatchObject({ created: [], failed: [] })
  })

  test('take over what was written before there were any', async () => {
    await insertTransition()
    await insertTransition("now() - interval '20 days'")
    await maintain(db.pool, outboxes)
    await insertTransition()
    await insertTransition("now() + interval '8 days'")
    await insertTransition("now() + interval '100 days'")
    expect(await query('select * from posthorn.transition')).toHaveLength(5)
    const found = (await partitions('posthorn.transition')).map(({ rows }) => rows)
    // The default, four weeks, and what is until Monday; a week from now is the first or second.
    expect(found[0]).toBe(1)
    expect(found.at(-1)).toBe(3)
  })

  test('have the indexes of their table', async () => {
    await maintain(db.pool, outboxes)
    const plans = await query<{ 'QUERY PLAN': string }>(
      `explain select * from posthorn.transition where message_id = 'm'`,
    )
    const plan = plans.map((row) => row['QUERY PLAN']).join('\n')
    const [{ count } = { count: 0 }] = await query<{ count: number }>(
      `select count(*)::int as count from pg_inherits where inhparent = 'posthorn.transition_message'::regclass`,
    )
    expect(count).toBe(6)
    expect(plan.match(/Index Cond/g)).toHaveLength(6)
  })

  test('go when they are past their time, and the gap since is closed', async () => {
    await query(`create table posthorn.transition_p20200106 partition of posthorn.transition
                 for values from ('2020-01-06Z') to ('2020-01-13Z')`)
    await insertTransition("'2020-01-07Z'")
    await insertTransition("'2021-01-01Z'")
    const result = await maintain(db.pool, outboxes)
    expect(result).toMatchObject({ dropped: ['transition_p20200106'], failed: [] })
    expect(await query('select at from posthorn.transition')).toHaveLength(1)
  })

  test('go by the time that is set, and stay while there is a legal hold', async () => {
    await query(`create table posthorn.transition_p20200106 partition of posthorn.transition
                 for values from ('2020-01-06Z') to ('2020-01-13Z')`)
    await insertTransition("'2020-01-07Z'")
    await query(`insert into posthorn.retention (class, keep, set_by)
                 values ('engine.transitions', '100 years', 'ada')`)
    expect(await maintain(db.pool, outboxes)).toMatchObject({ dropped: [], failed: [] })
    await query('delete from posthorn.retention')
    await query(`insert into posthorn.legal_hold (id, tenant, kind, reason, placed_by)
                 values (gen_random_uuid(), 'acme', 'organisation', 'a lawsuit', 'ada')`)
    expect(await maintain(db.pool, outboxes)).toMatchObject({ dropped: [], failed: [] })
    await query('delete from posthorn.legal_hold')
    expect(await maintain(db.pool, outboxes)).toMatchObject({ dropped: ['transition_p20200106'] })
  })

  test('of the archive stay while an outbox that is not ours has rows there', async () => {
    await query(`create table posthorn.archive_p20200106 partition of posthorn.archive
                 for values from ('2020-01-06Z') to ('2020-01-13Z')`)
    const archive = (outbox: string) =>
      query(
        `insert into posthorn.archive (outbox, message_id, row_data, archived_at)
         values ($1, 'm', '{}', '2020-01-07Z')`,
        [outbox],
      )
    await archive('trips.events')
    await archive('others.events')
    expect(await maintain(db.pool, outboxes)).toMatchObject({
      dropped: [],
      outboxes: { 'trips.events': { expired: 1 } },
    })
    expect(await query('select outbox from posthorn.archive')).toEqual([
      { outbox: 'others.events' },
    ])
    await query('delete from posthorn.archive')
    await archive('trips.events')
    expect(await maintain(db.pool, outboxes)).toMatchObject({ dropped: ['archive_p20200106'] })
  })

  test('are never needed: without maintenance everything goes to the default one', async () => {
    const { outbox, sample } = SAMPLES[3]!
    await transaction(db.pool, (tx) => enqueueAll(tx, outbox, [sample(1)]))
    const relay = createRelay({
      pool: db.pool,
      outboxes: [outbox],
      transports: everywhere(fakeTransport(), ['topics']),
      mode: 'poll',
    })
    expect(await relay.runOnce()).toBe(1)
    expect(await partitions('posthorn.transition')).toEqual([
      { name: 'transition_default', rows: 1 },
    ])
  })
})

describe('one at a time', () => {
  test('while another process is at it, nothing is done', async () => {
    await transaction(db.pool, async (tx) => {
      for (const statement of tryLockMaintenance) await tx.query(statement)
      expect(await maintain(db.pool, outboxes)).toBeUndefined()
    })
    expect(await maintain(db.pool, outboxes)).toBeDefined()
  })

  test('many at once do it once', async () => {
    const pools = Array.from({ length: 6 }, () => db.connect({ max: 2 }))
    const results = await Promise.all(pools.map((pool) => maintain(pool, outboxes)))
    await Promise.all(pools.map((pool) => pool.end()))
    const created = results.flatMap((result) => result?.created ?? [])
    expect(created).toHaveLength(10)
    expect(results.flatMap((result) => result?.failed ?? [])).toEqual([])
  })

  test('the lock is free again when the work throws', async () => {
    const broken = { ...silentLog, debug: () => throws() }
    await expect(maintain(db.pool, outboxes, { log: broken })).rejects.toThrow('broken')
    expect(await maintain(db.pool, outboxes)).toBeDefined()
  })

  function throws(): never {
    throw new Error('broken')
  }
})

describe('beside others', () => {
  /** Back to a table that was never maintained, with all its rows, so that it begins anew. */
  async function forgetPartitions(table: string): Promise<void> {
    const names = (await partitions(`posthorn.${table}`)).map(({ name }) => name)
    const until = names.find((name) => name.includes('_until_'))
    await transaction(db.pool, async (tx) => {
      for (const text of [
        `alter table posthorn.${table} detach partition posthorn.${until}`,
        ...names.filter((name) => name !== until).map((name) => `drop table posthorn.${name}`),
        `alter table posthorn.${until} rename to ${table}_default`,
        `alter table posthorn.${table} attach partition posthorn.${table}_default default`,
      ]) {
        await tx.query({ text, values: [] })
      }
    })
  }

  test('goes on while relays settle, and they through it', async () => {
    const complaints: unknown[] = []
    const log: Log = { ...silentLog, warn: (...said) => complaints.push(said) }
    log.error = log.warn
    const transport = fakeTransport()
    const running = [hookDeliveries, clubEvents, tripEvents] as unknown as Outbox[]
    const pools = [db.connect(), db.connect()]
    const relays = pools.map((pool) =>
      createRelay({
        pool,
        outboxes: running,
        transports: everywhere(transport, ['topics']),
        log,
      }),
    )
    await Promise.all(relays.map((relay) => relay.start()))
    let put = 0
    const rounds = 4
    const results: Awaited<ReturnType<typeof maintain>>[] = []
    const enqueueing = (async () => {
      while (results.length < rounds) {
        for (const { outbox, sample } of SAMPLES) {
          if (!running.includes(outbox)) continue
          await transaction(db.pool, (tx) => enqueueAll(tx, outbox, [sample(put), sample(put + 1)]))
          put += 2
        }
      }
    })()
    while (results.length < rounds) {
      results.push(await maintain(db.pool, running, { log }))
      await new Promise((resolve) => setTimeout(resolve, 200))
      await forgetPartitions('transition')
    }
    await enqueueing
    await expect.poll(() => transport.arrived.length).toBe(put)
    await Promise.all(relays.map((relay) => relay.stop()))
    await Promise.all(pools.map((pool) => pool.end()))
    expect(results.flatMap((result) => result?.failed ?? [])).toEqual([])
    // Each time the default partition was taken from under the relays.
    expect(results.every((result) => Number(result?.created.length) >= 5)).toBe(true)
    expect(complaints).toEqual([])
    const [{ count } = { count: 0 }] = await query<{ count: number }>(
      'select count(distinct message_id)::int as count from posthorn.transition',
    )
    expect(count).toBe(put)
  })

  test('is skipped during a long transaction, and settles wait a second at the most', async () => {
    const warnings: unknown[] = []
    const log: Log = { ...silentLog, warn: (details) => warnings.push(details) }
    await transaction(db.pool, async (tx) => {
      const text = `insert into posthorn.transition (outbox, message_id, to_state, actor) values ('o', 'm', 'X', 'long')`
      await tx.query({ text, values: [] })
      const maintained = maintain(db.pool, outboxes, { log })
      await new Promise((resolve) => setTimeout(resolve, 100))
      const began = performance.now()
      await insertTransition()
      expect(performance.now() - began).toBeLessThan(20_000)
      const result = await maintained
      expect(result?.failed).toEqual(['posthorn.transition'])
      // The other steps were done all the same.
      expect(result?.created).toHaveLength(5)
    })
    expect(warnings).toHaveLength(1)
    expect(await maintain(db.pool, outboxes)).toMatchObject({ failed: [] })
    expect(await query('select from posthorn.transition')).toHaveLength(2)
  })

  test('goes on when one outbox cannot be pruned', async () => {
    const errors: unknown[] = []
    const log: Log = { ...silentLog, error: (details) => errors.push(details) }
    await query(`insert into trips.trip_outbox (id, topic, event_type, payload, status, sent_at)
                 values (gen_random_uuid(), 't', 'e', '{}', 'SENT', now() - interval '8 days')`)
    await query('create table trips.child as select id from trips.trip_outbox')
    await query('alter table trips.child add foreign key (id) references trips.trip_outbox')
    const result = await maintain(db.pool, outboxes, { log })
    expect(result?.failed).toEqual(['trips.events'])
    expect(Object.keys(result?.outboxes ?? {})).toHaveLength(4)
    expect(errors).toHaveLength(1)
    await query('drop table trips.child')
    const pruned = { 'trips.events': { pruned: 1, archived: 1 } }
    expect(await maintain(db.pool, outboxes)).toMatchObject({ outboxes: pruned, failed: [] })
  })

  test('stops when its signal is aborted', async () => {
    const result = await maintain(db.pool, outboxes, { signal: AbortSignal.abort() })
    expect(result).toEqual({ created: [], dropped: [], outboxes: {}, failed: [] })
  })
})

test('old heartbeats are removed', async () => {
  await query(`insert into posthorn.pulse (outbox, relay, at)
               values ('o', 'r', now() - interval '8 days'), ('o', 'r', now() - interval '6 days')`)
  await query(`insert into posthorn.session (relay, outboxes, seen_at)
               values ('gone', '{o}', now() - interval '2 hours'), ('here', '{o}', now())`)
  await maintain(db.pool, outboxes)
  expect(await query('select from posthorn.pulse')).toHaveLength(1)
  expect(await query('select relay from posthorn.relay')).toEqual([{ relay: 'here' }])
})

/** The Monday so many weeks from this one, as it stands in a partition's name. */
function monday(weeks: number): string {
  const days = (new Date().getUTCDay() + 6) % 7
  const ms = Date.now() - days * 86_400_000 + weeks * WEEK_MS
  return new Date(ms).toISOString().slice(0, 10).replaceAll('-', '')
}
