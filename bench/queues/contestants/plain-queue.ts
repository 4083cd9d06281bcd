import { Pool } from 'pg'
import type { Contestant } from '../contestant.ts'
import { BATCH } from '../../kit/outbox.ts'
import { packageVersion } from '../../kit/harness.ts'
import { chunks, payload } from '../../kit/payload.ts'
import type { Database } from '../../kit/postgres.ts'
import { drainByLoops, type Step } from '../../kit/tally.ts'

const VERSION = `pg ${packageVersion('pg')}`

/*
 * Queues as people write them by hand: a table of their own with nothing but what the loop needs. What
 * was delivered is gone: no history, no attempts, no order.
 */

const DELETE_TABLE = `
  create schema bench;
  create table bench.queue (id bigint generated always as identity primary key, payload jsonb not null)`

const TAKE = `
  delete from bench.queue
   where id in (select id from bench.queue order by id limit $1 for update skip locked)
  returning payload`

/** `DELETE … SKIP LOCKED RETURNING`, handled before the commit. */
export function plainDelete(connections: number): Contestant {
  return contestant('plain SQL skip locked delete', connections, {
    table: DELETE_TABLE,
    async step(client, counter) {
      await client.query('begin')
      const { rows } = await client.query<Row>({ name: 'take', text: TAKE, values: [BATCH] })
      rows.forEach((row) => counter.count(row.payload))
      await client.query('commit')
      return rows.length
    },
  })
}

// The columns and the index of a queue of pgmq 1.x, under other names.
const PGMQ_TABLE = `
  create schema bench;
  create table bench.queue (
    id bigint primary key generated always as identity,
    read_ct integer not null default 0,
    enqueued_at timestamptz not null default now(),
    vt timestamptz not null default clock_timestamp(),
    payload jsonb
  );
  create index queue_vt on bench.queue (vt asc)`

const READ = `
  with cte as (
    select id
      from bench.queue
     where vt <= clock_timestamp()
     order by id asc
     limit $1
       for update skip locked
  )
  update bench.queue as m
     set vt = clock_timestamp() + interval '30 seconds', read_ct = read_ct + 1
    from cte
   where m.id = cte.id
  returning m.id, m.payload`

const DELETE_READ = `delete from bench.queue where id = any($1) returning id`

/** What pgmq's `read` and `delete` run, without the extension: a visibility timeout, then a delete. */
export function pgmqStatements(connections: number): Contestant {
  return contestant("pgmq's statements", connections, {
    table: PGMQ_TABLE,
    async step(client, counter) {
      const { rows } = await client.query<Row>({ name: 'read', text: READ, values: [BATCH] })
      rows.forEach((row) => counter.count(row.payload))
      const ids = rows.map(({ id }) => id)
      if (ids.length > 0) {
        await client.query({ name: 'delete', text: DELETE_READ, values: [ids] })
      }
      return rows.length
    },
  })
}

interface Row {
  readonly id: string
  readonly payload: unknown
}

interface Kind {
  readonly table: string
  readonly step: Step
}

const INSERT = 'insert into bench.queue (payload) select unnest($1::jsonb[])'
const CHUNK = 5_000

function contestant(name: string, connections: number, { table, step }: Kind): Contestant {
  return {
    name,
    version: VERSION,
    settings: `batches of ${BATCH}, connections ${connections}`,
    async open({ url }: Database) {
      const pool = new Pool({ connectionString: url, max: connections })
      await pool.query(table)
      return {
        async enqueue(count) {
          for (const chunk of chunks(count, CHUNK)) {
            await pool.query(INSERT, [chunk.map((index) => JSON.stringify(payload(index)))])
          }
        },
        drain: (count, limitMs) => drainByLoops(pool, step, { connections, count, limitMs }),
        close: () => pool.end(),
      }
    },
  }
}
