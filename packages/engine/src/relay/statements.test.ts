import type { PoolClient } from 'pg'
import { describe, expect, test } from 'vitest'
import type { Outbox } from '../outbox/define.ts'
import { keyStatements } from './key/claim.sql.ts'
import { logStatements } from './log/log.sql.ts'
import { claimBatch, rowStatements } from './row/claim.sql.ts'
import { replayDead } from '../control/replay.sql.ts'
import type { Prepared } from '../database/prepared.ts'
import { settle, settleStatements } from './settle/settle.sql.ts'
import { testDatabase } from '../testing/index.ts'
import {
  LOGGED,
  SHAPES,
  clubEvents,
  hookDeliveries,
  outboundLetters,
  outboxTables,
  parcelRows,
} from '../testing/outboxes.ts'
import { inSql } from '../outbox/resolved-definition.ts'

const db = await testDatabase({ sql: outboxTables })

/** Enough for the planner to see what reading the table would cost. */
const FINISHED_ROWS = 200_000

/** Ids that grow: random ones would take most of the test's time. */
const ID = `('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`

/** Fills a table with messages that are over. */
const finished: Record<string, string> = {
  'parcels.rows': `insert into parcels.parcel_row (id, tour_id, address_id, status, published_at)
    select ${ID}, ${ID}, 'c', 'SUCCESS', now()
      from generate_series(1, ${FINISHED_ROWS}) as n`,
  'letters.outbound': `insert into letters.outbound_letter
      (id, org_id, idempotency_key, channel, to_recipient, payload_json, status)
    select ${ID}, 'o', n, 'c', 't', '{}', 'DELIVERED' from generate_series(1, ${FINISHED_ROWS}) as n`,
  'clubs.events': `insert into clubs.outbox_events
      (event_id, event_type, aggregate_type, aggregate_id, payload, status, processed_at)
    select ${ID}, 't', 'f', ${ID}, '{}', 1, now()
      from generate_series(1, ${FINISHED_ROWS}) as n`,
  'clubs.log-events': `insert into clubs.logged_events_log
      (event_id, event_type, aggregate_type, aggregate_id, payload)
    select ${ID}, 't', 'f', ${ID}, '{}' from generate_series(1, ${FINISHED_ROWS / 4}) as n`,
}

/** Which partial index each claim must go by. */
function claims(outbox: Outbox): [name: string, index: string, Prepared][] {
  const byRow = rowStatements(outbox)
  if (outbox.log !== undefined) {
    const { claimLog } = logStatements(outbox)
    const partition = 'logged_events_log_default'
    return [
      ['claimFresh', `_log_default_bucket_seq_idx on ${partition} m\n`, claimLog],
      ['claimLate', `_log_default_xid_bucket_seq_idx on ${partition} m_1`, claimLog],
    ]
  }
  const byKey = outbox.order && keyStatements(outbox)
  const found: [string, string, Prepared | undefined][] = byKey
    ? [
        ['claimFlow', '_flow', byKey.claimFlow],
        ['claimHeld', '_held', byKey.claimHeld],
        ['suspectRun', '_flow', byKey.suspectRun],
      ]
    : [
        ['claimBatch', '_due', byRow.claimBatch],
        ['claimSuspect', '_suspect', byRow.claimSuspect],
        ['takeExpired', '_claimed', byRow.takeExpired],
        ['nextDue', '_due', byRow.nextDue],
      ]
  found.push(['claimUnconfirmed', '_sent', byRow.claimUnconfirmed])
  return found.flatMap(([name, index, prepared]) => (prepared ? [[name, index, prepared]] : []))
}

describe.each([...SHAPES, LOGGED])('$name', ({ outbox }) => {
  test('every claim uses its partial index and reads no finished rows', async () => {
    const table = outbox.log ?? outbox.table
    await db.pool.query(finished[outbox.name] as string)
    // Before the first statistics, too: a table may fill faster than they come.
    await expectIndexes(outbox)
    await db.pool.query(`analyze ${table}`)
    await expectIndexes(outbox)
  })
})

async function expectIndexes(outbox: Outbox): Promise<void> {
  const client = await db.pool.connect()
  try {
    // The plan that a prepared statement ends up with: it has not seen the values.
    await client.query('set plan_cache_mode = force_generic_plan')
    for (const [name, index, { text, params }] of claims(outbox)) {
      await client.query(`prepare ${name} as ${text}`)
      const args = params.length > 0 ? `(${params.map(() => 'null').join(', ')})` : ''
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(
        `explain (costs off) execute ${name}${args}`,
      )
      const plan = rows.map((row) => `${row['QUERY PLAN']}\n`).join('')
      const table = outbox.table.split('.')[1]
      expect(plan, `${name}\n${plan}`).toContain(`${table}${index}`)
      expect(plan, `${name}\n${plan}`).not.toContain(`Seq Scan on ${table}`)
    }
  } finally {
    await client.query('deallocate all; reset plan_cache_mode')
    client.release()
  }
}

test('a thousand are claimed and settled by their ids, not by reading a table of some ten thousand', async () => {
  const { settle: settleOf } = settleStatements(parcelRows)
  const client = await db.pool.connect()
  try {
    await client.query('begin; truncate parcels.parcel_row')
    await client.query(`
      insert into parcels.parcel_row (id, tour_id, address_id)
      select ${ID}, ${ID}, 'c' from generate_series(1, 30000) as n`)
    await client.query('analyze parcels.parcel_row')
    const token = crypto.randomUUID()
    // Planned with the values in sight, as for clients that cannot prepare statements.
    const claim = await planOf(client, rowStatements(parcelRows).claimBatch, {
      ...{ batch: 1_000, token, leaseMs: 1_000 },
      ...{ floorDue: '-infinity', floorId: '00000000-0000-0000-0000-000000000000' },
    })
    expect(claim).not.toContain('Seq Scan on parcel_row')
    const { rows } = await client.query<{ id: string }>(
      'select id from parcels.parcel_row limit 1000',
    )
    const [ids, nulls] = [rows.map(({ id }) => id), rows.map(() => null)]
    const settled = await planOf(client, settleOf('sent', 'claim'), {
      ...{ ids, token, actor: 'RELAY', reason: null },
      ...{
        ref_kafka_partition: nulls,
        ref_kafka_offset: nulls,
        from_state: rows.map(() => 'PENDING'),
      },
    })
    expect(settled).not.toContain('Seq Scan on parcel_row')
  } finally {
    await client.query('rollback')
    client.release()
  }
})

test('a replay looks its messages up, also where the statistics are of an empty table', async () => {
  const { table } = outboundLetters
  const client = await db.pool.connect()
  try {
    await client.query(`begin; truncate ${table} cascade`)
    const fill = `insert into ${table} (id, org_id, idempotency_key, channel, to_recipient, payload_json, status)
      select ${ID}, 'acme', n::text, 'whatsapp', '+1', '{}', 'FAILED' from generate_series(1, 2000) as n`
    await client.query(`${fill}; delete from ${table}; analyze ${table}; ${fill}`)
    const args = { limit: 1_000, spacing_ms: 0, actor: 'ops' }
    const plan = await planOf(client, replayDead(inSql(outboundLetters)), args)
    expect(plan).toContain('outbound_letter_pkey')
    expect(plan).not.toContain('Join Filter')
  } finally {
    await client.query('rollback')
    client.release()
  }
})

test('a claim of held keys costs the same however many are due', async () => {
  const claim = keyStatements(clubEvents).claimHeld
  const few = await blocksTouched(claim, 1_000)
  const many = await blocksTouched(claim, 20_000)
  expect(few).toBeGreaterThan(100)
  // Twenty times as many keys cost a level of each index, and lie on pages farther apart.
  expect(many).toBeLessThan(3 * few)
})

/** Blocks that a claim of a hundred touches with so many keys due, each with one message. */
async function blocksTouched({ text, params }: Prepared, keys: number): Promise<number> {
  const client = await db.pool.connect()
  const { name, table } = clubEvents
  try {
    await client.query(`begin; truncate ${table}`)
    await client.query(`
      insert into ${table} (event_id, event_type, aggregate_type, aggregate_id, payload, held)
      select ${ID}, 't', 'f', ${ID}, '{}', true from generate_series(1, ${keys}) as n`)
    await client.query(`
      insert into posthorn.held_key (outbox, key, bucket, due_at, held_by)
      select '${name}', aggregate_id::text, bucket, posthorn.now() - interval '1 s', event_id::text
        from ${table}`)
    const { rows: leases } = await client.query<{ bucket: number; token: string }>(`
      insert into posthorn.bucket (outbox, bucket, token)
      select '${name}', n, gen_random_uuid() from generate_series(0, 63) as n
      returning bucket, token`)
    const { rows: sessions } = await client.query<{ id: string }>(
      `insert into posthorn.session (relay, outboxes) values ('one', '{${name}}') returning id`,
    )
    await client.query(`analyze ${table}, posthorn.held_key, posthorn.bucket`)
    const args: Record<string, unknown> = {
      session: sessions[0]?.id,
      buckets: leases.map(({ bucket }) => bucket),
      tokens: leases.map(({ token }) => token),
      ...{ share: 2, keys: 100, limit: 100, batch: 100, late: [] },
    }
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
      `explain (analyze, buffers, format json) ${text}`,
      params.map((param) => args[param]),
    )
    const plan = rows[0]?.['QUERY PLAN'][0].Plan
    expect(plan?.['Actual Rows']).toBe(100)
    return Number(plan?.['Shared Hit Blocks']) + Number(plan?.['Shared Read Blocks'])
  } finally {
    await client.query('rollback')
    client.release()
  }
}

test('a definition may say what it reads of a row', () => {
  const { bell: _, ...definition } = parcelRows
  const { text } = claimBatch(inSql({ ...definition, reads: ['address_id', 'retry_count'] }))
  const listed = ['id', 'status', 'next_retry_at', 'created_at', 'published_at', 'event_id']
  const refs = ['retry_count', 'kafka_partition', 'kafka_offset', 'lost_claims', 'address_id']
  const names = [...listed, ...refs].map((name) => `m.${name}`).join(', ')
  expect(text).toContain(`returning ${names}, m.claimed_until is null`)
})

test('a field of a reference may have any name: the SQL knows its column only', () => {
  const { bell: _, ...definition } = parcelRows
  const columns = { ...definition.columns, ref: { 'Delivery-Tag': 'kafka_offset' } }
  const { text, params } = settle(inSql({ ...definition, columns }), 'sent', 'claim')
  expect(text).toContain('kafka_offset = u.ref_kafka_offset')
  expect([text, ...params].join(' ')).not.toMatch(/delivery-tag/i)
})

async function planOf(
  client: PoolClient,
  { text, params }: Prepared,
  args: Readonly<Record<string, unknown>>,
): Promise<string> {
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(
    `explain ${text}`,
    params.map((name) => args[name] ?? null),
  )
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}

test('a relay that lost its claim or lease cannot settle', () => {
  const byClaim = settleStatements(hookDeliveries).settle('retry', 'claim').text
  expect(byClaim).toMatch(
    /where m\.id = u\.id\s+and m\.claim_token = \$\d+::uuid\s+and \(select now from patience\) is not null\s+returning/,
  )
  const byLease = settleStatements(clubEvents).settle('sent', 'lease').text
  expect(byLease).toMatch(
    /b\.run = l\.run and b\.token = l\.token and l\.run <= l\.runs\s+returning b\.bucket/,
  )
  expect(byLease).toContain('and m.bucket = any(array(select bucket from lease)) and m.status = 0')
})
