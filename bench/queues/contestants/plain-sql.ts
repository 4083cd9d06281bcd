import { randomUUID } from 'node:crypto'
import { Pool } from 'pg'
import { commitEach, type Contestant, type EnqueueContestant, type Queue } from '../contestant.ts'
import {
  BATCH,
  benchOutbox,
  createOutbox,
  fillOutbox,
  insertMany,
  insertOne,
  type OutboxForm,
} from '../../kit/outbox.ts'
import { packageVersion } from '../../kit/harness.ts'
import type { Database } from '../../kit/postgres.ts'
import { drainByLoops, type Step, type Tally } from '../../kit/tally.ts'

const VERSION = `pg ${packageVersion('pg')}`

export interface PlainForm {
  readonly connections: number
  /** `all`: a row per transition is written in the transaction that marks. */
  readonly record: OutboxForm['record']
}

/** The limit of claiming by row: claim a batch with a write, mark it sent with another. */
export function plainClaimAndMark(form: PlainForm): Contestant {
  return contestant('plain SQL claim + mark', form, claimAndMark)
}

/**
 * The limit of claiming by key: rows locked while a batch is under way, one write a message. It
 * takes them in the order in which they lie in the table, which is as cheap as it gets.
 */
export function plainMarkOnly(form: PlainForm): Contestant {
  return contestant('plain SQL mark only', form, markOnly)
}

/**
 * The limit of a log: buckets of keys read in order, a page at a time, with one cursor write a page and no
 * lease, no snapshot, no late commit.
 */
export function plainLog(form: PlainForm): Contestant {
  return {
    name: 'plain SQL log',
    version: VERSION,
    settings: `pages of ${BATCH}, connections ${form.connections}`,
    open: (database) => openLog(database, form),
  }
}

type Record = PlainForm['record']

function contestant(name: string, form: PlainForm, stepOf: (record: Record) => Step): Contestant {
  return {
    name: form.record === 'all' ? `${name} recorded` : name,
    version: VERSION,
    settings: `batches of ${BATCH}, connections ${form.connections}`,
    open: (database) => open(database, form, stepOf(form.record)),
  }
}

async function open({ url }: Database, form: PlainForm, step: Step): Promise<Queue> {
  const { connections, record } = form
  const pool = new Pool({ connectionString: url, max: connections })
  await createOutbox(pool, benchOutbox({ claims: 'by row', record, inHand: connections }))
  return {
    enqueue: (count) => fillOutbox(pool, count),
    drain: (count, limitMs) => drainByLoops(pool, step, { connections, count, limitMs }),
    close: () => pool.end(),
  }
}

const LOG_BUCKETS = 64

async function openLog({ url }: Database, { connections }: PlainForm): Promise<Queue> {
  const pool = new Pool({ connectionString: url, max: connections })
  const outbox = benchOutbox({ claims: 'log', record: 'none', inHand: connections })
  await createOutbox(pool, outbox)
  await pool.query(`
    create table bench.cursor (bucket smallint primary key, done bigint not null default 0) with (fillfactor = 20);
    insert into bench.cursor select generate_series(0, ${LOG_BUCKETS - 1})`)
  return {
    enqueue: (count) => fillOutbox(pool, count, outbox.log),
    drain(count, limitMs) {
      const step = drainBuckets(connections)
      return drainByLoops(pool, step, { connections, count, limitMs })
    },
    close: () => pool.end(),
  }
}

const PAGE = `
  select m.*
    from bench.cursor as c
   cross join lateral (
         select *
           from bench.outbox_log
          where bucket = c.bucket and seq > c.done
          order by seq
          limit $2) as m
   where c.bucket = $1`

const MOVE_CURSOR = 'update bench.cursor set done = $2 where bucket = $1'

/** Each connection has buckets of its own, and reads a page of all of them. */
function drainBuckets(connections: number): Step {
  return async (client, counter, n) => {
    let found = 0
    for (let bucket = n; bucket < LOG_BUCKETS; bucket += connections) {
      const page = { name: 'page', text: PAGE, values: [bucket, BATCH] }
      const { rows } = await client.query<Row & { seq: string }>(page)
      if (rows.length === 0) continue
      found += deliver(rows, counter).length
      const done = [bucket, rows.at(-1)?.seq]
      await client.query({ name: 'move', text: MOVE_CURSOR, values: done })
    }
    return found
  }
}

interface Row {
  readonly id: string
  readonly payload: unknown
}

const CLAIM = `
  with due as (
    select id
      from bench.outbox
     where status in ('pending', 'failed')
       and next_attempt_at <= now()
       and (claimed_until is null or claimed_until < now())
     order by next_attempt_at, id
     limit $1
       for update skip locked
  )
  update bench.outbox as m
     set claim_token = $2,
         claimed_until = now() + interval '30 seconds'
    from due
   where m.id = due.id
  returning m.*`

const MARK_CLAIMED = `
  update bench.outbox
     set status = 'sent', sent_at = now(), claim_token = null, claimed_until = null
   where id = any($1) and claim_token = $2`

function claimAndMark(record: Record): Step {
  const text = markWithRecord(MARK_CLAIMED, record)
  return async (client, counter) => {
    const token = randomUUID()
    const { rows } = await client.query<Row>({ name: 'claim', text: CLAIM, values: [BATCH, token] })
    if (rows.length === 0) return 0
    await client.query({ name: 'mark', text, values: [deliver(rows, counter), token] })
    return rows.length
  }
}

const LOCK = `
  select *
    from bench.outbox
   where status in ('pending', 'failed')
     and next_attempt_at <= now()
   order by next_attempt_at, id
   limit $1
     for update skip locked`

const MARK_LOCKED = `
  update bench.outbox
     set status = 'sent', sent_at = now()
   where id = any($1)`

function markOnly(record: Record): Step {
  const text = markWithRecord(MARK_LOCKED, record)
  return async (client, counter) => {
    await client.query('begin')
    const { rows } = await client.query<Row>({ name: 'lock', text: LOCK, values: [BATCH] })
    if (rows.length > 0) {
      await client.query({ name: 'mark', text, values: [deliver(rows, counter)] })
    }
    await client.query('commit')
    return rows.length
  }
}

/** With records: what the engine writes for a message that was sent. */
function markWithRecord(mark: string, record: Record): string {
  if (record === 'none') return mark
  return `
  with marked as (${mark} returning id, attempts)
  insert into posthorn.transition (outbox, message_id, from_state, to_state, attempt, actor)
  select 'bench.outbox', id::text, 'pending', 'sent', attempts, 'RELAY'
    from marked`
}

function deliver(rows: readonly Row[], counter: Tally): string[] {
  return rows.map(({ id, payload }) => {
    counter.count(payload)
    return id
  })
}

/** Inserts as an application would write them. */
export function plainEnqueue(single: 'in a transaction' | 'autocommit'): EnqueueContestant {
  return {
    name: single === 'autocommit' ? 'plain SQL autocommit' : 'plain SQL',
    version: VERSION,
    settings: single === 'autocommit' ? 'one statement' : 'unnest; begin, insert, commit',
    async open({ url }) {
      const pool = new Pool({ connectionString: url, max: 1 })
      await createOutbox(pool, benchOutbox({ claims: 'by row', record: 'none', inHand: 1 }))
      const close = () => pool.end()
      if (single === 'autocommit') return { single: (index) => insertOne(pool, index), close }
      return {
        bulk: (indexes) => insertMany(pool, indexes),
        async single(index) {
          await commitEach(pool, (client) => insertOne(client, index))
        },
        close,
      }
    },
  }
}
