import { beforeEach, describe, expect, test } from 'vitest'
import type { Outbox } from '../outbox/define.ts'
import { enqueueAll } from '../enqueue/enqueue.ts'
import { prune } from './prune.ts'
import { pruneFinished } from './maintenance.sql.ts'
import { testDatabase, viewTable } from '../testing/index.ts'
import { SAMPLES, SHAPES, outboxTables, tripEvents } from '../testing/outboxes.ts'
import { transaction } from '../database/transaction.ts'
import { inSql } from '../outbox/resolved-definition.ts'

const db = await testDatabase({ sql: outboxTables })
const trips = tripEvents as unknown as Outbox

const archive = async (outbox: Outbox) =>
  (
    await db.pool.query<{ message_id: string; row_data: Record<string, unknown> }>(
      'select message_id, row_data from posthorn.archive where outbox = $1 order by message_id',
      [outbox.name],
    )
  ).rows

async function insertSent(count: number): Promise<void> {
  await db.pool.query(
    `insert into trips.trip_outbox (id, topic, event_type, payload, status, sent_at)
     select gen_random_uuid(), 't', 'e', '{}', 'SENT', now() - interval '8 days'
       from generate_series(1, $1)`,
    [count],
  )
}

beforeEach(async () => {
  await db.pool.query('delete from posthorn.archive')
  for (const { outbox } of SAMPLES) await viewTable(db.pool, outbox).empty()
})

describe.each(SHAPES)('pruning $name', ({ outbox, sample }) => {
  const { states, columns } = outbox
  // Not every table keeps the time; any will do to see which rows go.
  const finishedAt = columns.finishedAt ?? columns.sentAt ?? columns.createdAt!
  const kept: Outbox = {
    ...outbox,
    columns: { ...columns, finishedAt },
    retention: { after: '7d', archive: '90d' },
  }
  const put = async (state: string | number, age: string) => {
    const [enqueued] = await transaction(db.pool, (tx) => enqueueAll(tx, outbox, [sample(1)]))
    await db.pool.query(
      `update ${outbox.table} set ${columns.status} = $2, ${finishedAt} = now() - $3::interval
        where ${columns.id} = $1`,
      [enqueued!.id, state, age],
    )
    return enqueued!.id
  }
  const last = states.confirmed ?? states.sent

  test('takes what is finished and old enough, and nothing else', async () => {
    const old = [await put(last, '8 days')]
    if (states.cancelled !== undefined) old.push(await put(states.cancelled, '8 days'))
    const young = [await put(last, '6 days'), await put(states.ready, '8 days')]
    if (states.dead !== undefined) young.push(await put(states.dead, '8 days'))
    if (states.confirmed !== undefined) young.push(await put(states.sent, '8 days'))
    const before = await viewTable(db.pool, outbox).rows()
    const count = old.length
    expect(await prune(db.pool, kept)).toEqual({
      pruned: count,
      archived: count,
      expired: 0,
      done: true,
    })
    const states2 = await viewTable(db.pool, outbox).states()
    expect([...states2.keys()].toSorted()).toEqual(young.toSorted())
    const archived = await archive(outbox)
    expect(archived.map((row) => row.message_id)).toEqual(old.toSorted())
    const columnNames = Object.keys(before[0]!).toSorted()
    expect(Object.keys(archived[0]!.row_data).toSorted()).toEqual(columnNames)
  })

  test('without an archive deletes', async () => {
    await put(last, '8 days')
    const deleted = { ...kept, retention: { after: '7d', archive: '0d' } } as const
    expect(await prune(db.pool, deleted)).toMatchObject({ pruned: 1, archived: 0 })
    expect(await archive(outbox)).toEqual([])
  })

  test('without a retention does nothing', async () => {
    await put(last, '8 days')
    const result = await prune(db.pool, { ...kept, retention: undefined })
    expect(result).toEqual({ pruned: 0, archived: 0, expired: 0, done: true })
  })
})

test('many are pruned in batches, by two at once, each row once', async () => {
  await insertSent(12_000)
  const [one, other] = await Promise.all([prune(db.pool, trips), prune(db.pool, trips)])
  expect(one.pruned + other.pruned).toBe(12_000)
  const { rows } = await db.pool.query(
    'select count(*)::int as count, count(distinct message_id)::int as ids from posthorn.archive',
  )
  expect(rows).toEqual([{ count: 12_000, ids: 12_000 }])
})

test('rows that another session has locked are skipped', async () => {
  await insertSent(3)
  await transaction(db.pool, async (tx) => {
    await tx.query({ text: 'select from trips.trip_outbox limit 1 for update', values: [] })
    expect(await prune(db.pool, trips)).toMatchObject({ pruned: 2, done: true })
  })
  expect(await prune(db.pool, trips)).toMatchObject({ pruned: 1, done: true })
})

test('when its time is up or its signal is aborted, the rest waits', async () => {
  await insertSent(1)
  const waits = { pruned: 0, archived: 0, expired: 0, done: false }
  expect(await prune(db.pool, trips, { budget: '0ms' })).toEqual(waits)
  expect(await prune(db.pool, trips, { signal: AbortSignal.abort() })).toEqual(waits)
  expect(await prune(db.pool, trips)).toMatchObject({ pruned: 1, done: true })
})

test('archived rows go by the week, each outbox after its own time', async () => {
  await db.pool.query(`
    insert into posthorn.archive (outbox, message_id, row_data, archived_at)
    select outbox, n, '{}', now() - n * interval '1 day'
      from unnest(array['trips.events', 'clubs.events']) as outbox, generate_series(0, 200) as n`)
  const { expired } = await prune(db.pool, trips)
  const left = await archive(trips)
  expect(expired + left.length).toBe(201)
  // Ninety days and what is missing to the Monday before.
  expect(left.length).toBeGreaterThan(90)
  expect(left.length).toBeLessThanOrEqual(98)
  const { rows } = await db.pool.query<{ all_there: boolean }>(
    "select count(*) = 201 as all_there from posthorn.archive where outbox = 'clubs.events'",
  )
  expect(rows[0]?.all_there).toBe(true)
})

test('the statement goes by its index past what is not old enough', async () => {
  await db.pool.query(`
    insert into trips.trip_outbox (id, topic, event_type, payload, status, sent_at)
    select gen_random_uuid(), 't', 'e', '{}', 'SENT', now() from generate_series(1, 20000)`)
  await db.pool.query('analyze trips.trip_outbox')
  const { text } = pruneFinished(inSql(trips), { archived: true })
  const { rows } = await db.pool.query<{ 'QUERY PLAN': string }>(`explain ${text}`, [1e9, 5_000])
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
  expect(plan).toContain('trip_outbox_finished')
  expect(plan).not.toContain('Seq Scan on trip_outbox')
})
