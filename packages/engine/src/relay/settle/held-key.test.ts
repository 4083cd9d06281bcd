import { beforeEach, expect, test } from 'vitest'
import { clubEvents, outboxTables } from '../../testing/outboxes.ts'
import type { Outbox } from '../../outbox/define.ts'
import { nextKey, type HeldKey, type KeyEvent } from '../../testing/held-key-model.ts'
import { run } from '../../database/pool-handle.ts'
import { transaction, type Transaction } from '../../database/transaction.ts'
import { testDatabase } from '../../testing/index.ts'
import { keyStatements } from '../key/claim.sql.ts'
import { freeCancelledCte, heldStatements, holdReplayedCte, unblockKey } from './held.sql.ts'
import { inSql } from '../../outbox/resolved-definition.ts'

/* Every pair of state and event, once by the table and once by the statements. */

const db = await testDatabase({ sql: outboxTables })
const box = clubEvents as unknown as Outbox
const byKey = { ...heldStatements(box), ...keyStatements(box) }
const KEY = '00000000-0000-4000-8000-000000000001'
const [A, B, C] = ['a', 'b', 'c'].map((n) => `00000000-0000-4000-8000-00000000000${n}`) as [
  string,
  string,
  string,
]

const states: HeldKey[] = [
  { state: 'free' },
  { state: 'waiting', until: 100, by: A },
  { state: 'blocked', by: [A] },
  { state: 'blocked', by: [A, B] },
  { state: 'parked', by: [A] },
]

const events: KeyEvent[] = [
  { event: 'wait', id: C, until: 50, isOwner: false },
  { event: 'wait', id: C, until: 500, isOwner: false },
  { event: 'wait', id: C, until: 500, isOwner: true },
  { event: 'die', id: C, to: 'blocked' },
  { event: 'die', id: C, to: 'parked' },
  { event: 'set aside', now: 0 },
  { event: 'replay', ids: [A], until: 20 },
  { event: 'replay', ids: [A, B], until: 20 },
  { event: 'replay', ids: [C], until: 200 },
  { event: 'cancel', ids: [A], now: 0 },
  { event: 'cancel', ids: [B, C], now: 0 },
  { event: 'unblock', now: 0 },
  { event: 'lose', now: 0 },
  { event: 'miss', ids: [A], now: 0 },
  { event: 'miss', ids: [A, B], now: 0 },
  { event: 'end' },
]

const cases = states.flatMap((state) => events.map((event) => ({ state, event })))

beforeEach(async () => {
  await db.pool.query('truncate posthorn.held_key, posthorn.bucket, clubs.outbox_events')
})

test.each(cases)(
  'a $state.state key has the right next state after the event $event.event',
  async ({ state, event }) => {
    await write(state)
    await transaction(db.pool, (tx) => happen(tx, event))
    expect(await read()).toEqual(nextKey(state, event))
  },
)

const BUCKET = 7

async function write(key: HeldKey): Promise<void> {
  if (key.state === 'free') return
  const until = key.state === 'waiting' ? key.until : null
  const by = key.state === 'waiting' ? [key.by] : key.by
  await db.pool.query(
    `insert into posthorn.held_key (outbox, key, bucket, due_at, tail, held_by, blocked_by)
     values ($1, $2, ${BUCKET}, posthorn.now() + $3 * interval '1 s', $4, $5, $6)`,
    [
      box.name,
      KEY,
      until,
      key.state === 'parked' ? 'park' : 'wait',
      by[0],
      key.state === 'waiting' ? [] : by,
    ],
  )
}

async function read(): Promise<HeldKey> {
  const { rows } = await db.pool.query<{
    until: string | null
    tail: string
    held_by: string
    blocked_by: string[]
  }>(
    `select round(extract(epoch from due_at - posthorn.now()) / 10) * 10 as until, tail, held_by, blocked_by
       from posthorn.held_key`,
  )
  const [row] = rows
  if (!row) return { state: 'free' }
  if (row.until !== null) {
    expect(row).toMatchObject({ tail: 'wait', blocked_by: [] })
    return { state: 'waiting', until: Math.abs(Number(row.until)), by: row.held_by }
  }
  expect(row.held_by).toBe(row.blocked_by[0])
  return { state: row.tail === 'park' ? 'parked' : 'blocked', by: row.blocked_by }
}

/** A message of the key, dead or not, for what looks at the table. */
const insertEvent = (tx: Transaction, id: string, quarantined: boolean) =>
  tx.query({
    text: `insert into clubs.outbox_events (event_id, event_type, aggregate_type, aggregate_id, payload, held, quarantined_at)
           values ($1, 't', 'f', $2, '{}', true, case when $3 then now() end)`,
    values: [id, KEY, quarantined],
  })

async function happen(tx: Transaction, event: KeyEvent): Promise<void> {
  const hold = (more: object) =>
    run(tx, byKey.holdKeys, {
      keys: [KEY],
      buckets: [BUCKET],
      tails: ['wait'],
      suspects: [false],
      versions: [null],
      ...more,
    })
  switch (event.event) {
    case 'wait':
      return void (await hold({
        delays: [event.until * 1_000],
        heldBy: [event.id],
        versions: [event.isOwner ? 1 : null],
      }))
    case 'die': {
      const tails = [event.to === 'parked' ? 'park' : 'wait']
      return void (await hold({ delays: [null], heldBy: [event.id], tails }))
    }
    case 'set aside':
      return void (await run(tx, byKey.setAside, { ids: [], keys: [KEY], buckets: [BUCKET] }))
    case 'replay': {
      const replayed = `with replayed as (
        select unnest($1::uuid[]) as id, '${KEY}' as key, ${BUCKET}::smallint as bucket,
               posthorn.now() + ${event.until} * interval '1 s' as due_at)${holdReplayedCte(inSql(box))} select`
      return void (await tx.query({ text: replayed, values: [event.ids] }))
    }
    case 'cancel': {
      const cancelled = `with cancelled as (
        select unnest($1::uuid[]) as id, '${KEY}' as key)${freeCancelledCte(inSql(box))} select`
      return void (await tx.query({ text: cancelled, values: [event.ids] }))
    }
    case 'unblock':
      return void (await run(tx, unblockKey(inSql(box)), { key: KEY, actor: 'ops', reason: null }))
    case 'lose': {
      const token = crypto.randomUUID()
      await tx.query({
        text: `insert into posthorn.bucket (outbox, bucket, token, run_upto, run_size)
               select $1, posthorn.bucket_of($2), $3, 9223372036854775807, 1`,
        values: [box.name, KEY, token],
      })
      await insertEvent(tx, C, false)
      await tx.query({ text: 'update clubs.outbox_events set held = false', values: [] })
      const { rows } = await tx.query<{ bucket: number }>({
        text: 'select bucket from posthorn.bucket',
        values: [],
      })
      const buckets = rows.map(({ bucket }) => bucket)
      return void (await run(tx, byKey.suspectRun, { buckets, token }))
    }
    case 'miss': {
      for (const id of [A, B]) if (!event.ids.includes(id)) await insertEvent(tx, id, true)
      const blocked = await run<{ key: string; version: string; blockers: string[] }>(
        tx,
        byKey.blockedKeys,
        { buckets: [BUCKET] },
      )
      const asked = blocked.flatMap((each) => each.blockers.map((id) => ({ ...each, id })))
      return void (await run(tx, byKey.liftKeys, {
        keys: asked.map(({ key }) => key),
        versions: asked.map(({ version }) => version),
        ids: asked.map(({ id }) => id),
      }))
    }
    case 'end':
      return void (await run(tx, byKey.freeKeys, { keys: [KEY], versions: [1] }))
  }
}
