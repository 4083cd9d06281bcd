import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { ensurePsql } from '../../../../scripts/services/index.mjs'
import { silentLog } from '../log.ts'
import { defineOutbox } from '../outbox/define.ts'
import { delivered } from '../outbox/outcome.ts'
import { fixed } from '../outbox/retry.ts'
import { outboxTableSql } from '../outbox/table.sql.ts'
import { testDatabase } from '../testing/index.ts'
import { posthorn } from './posthorn.ts'
import { outbox } from './standard-outbox.ts'

/* `posthorn.enqueue`, the function in the database, as those use it who have no library. */

const retry = fixed('1h', { attempts: 3 })
// Ten minutes: what arrives within seconds was woken, not found by the poll.
const claim = { every: '10m' } as const
const list = { transport: 'list', topic: 'x' }
const events = outbox<{ 'order.placed': { order: number } }>('shop.outbox', {
  ...{ order: 'key', retry, claim },
})
const urgent = outbox('shop.urgent', { priority: true, destination: list })
const serial = outbox('shop.serial', { order: 'key', serialise: true, destination: list })
const own = defineOutbox<{ id: string; body: string; state: string; tries: number; due: Date }>({
  name: 'shop.own',
  table: 'shop.own',
  states: { ready: 'ready', sent: 'sent', dead: 'dead' },
  columns: { dueAt: 'due', status: 'state' },
  counter: { column: 'tries', bumps: 'on-failure' },
  retry,
  destination: list,
  message: ({ id, body }) => ({ id, type: 'own', payload: body }),
})

const { pool, url } = await testDatabase()
let seen: number[] = []
const placed = events.handle({ 'order.placed': async ({ payload }) => seen.push(payload.order) })
const transports = {
  list: { deliver: async (batch: readonly object[]) => batch.map(() => delivered()) },
}
const app = posthorn({
  ...{ pool, handlers: placed, outboxes: [urgent, serial, own] },
  ...{ transports, log: silentLog },
})
await pool.query('create schema shop')
await app.setUp()
await pool.query(`
  create table shop.own (id uuid primary key, body text, state text not null default 'ready',
    tries int not null default 0, due timestamptz not null default posthorn.now());
  ${outboxTableSql(own)}
  create table shop.orders (id int primary key);
  create function shop.announce() returns trigger language plpgsql as $$
    begin
      perform posthorn.enqueue('shop.outbox', 'order.placed', jsonb_build_object('order', new.id),
        key => new.id::text);
      return new;
    end $$;
  create trigger announce after insert on shop.orders for each row execute function shop.announce()`)
const psql = await ensurePsql({ log: () => undefined })

beforeEach(async () => {
  seen = []
  await pool.query('truncate shop.outbox, shop.urgent, shop.serial, shop.orders, posthorn.handled')
})

/** What psql prints for a script; it ends with the first error. */
async function script(text: string): Promise<string> {
  const options = [
    '--no-psqlrc',
    '--quiet',
    '--tuples-only',
    '--no-align',
    '--set',
    'ON_ERROR_STOP=1',
  ]
  const { stdout } = await promisify(execFile)(psql.path, [url, ...options, '--command', text], {
    env: { ...process.env, ...psql.env },
  })
  return stdout.trim()
}

async function start(): Promise<void> {
  await app.start()
  onTestFinished(() => app.stop())
  // The first looks are over: from here on only a wake-up finds something.
  await new Promise((resolve) => setTimeout(resolve, 500))
}

describe('from psql', () => {
  test('a message is written, and the relay is woken by the commit', async () => {
    await start()
    const id = await script(
      `select posthorn.enqueue('shop.outbox', 'order.placed', '{"order": 7}', key => '7')`,
    )
    expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7/)
    await expect.poll(() => seen, { timeout: 5_000 }).toEqual([7])
  })

  test('a trigger writes it with the row, and neither where that is rolled back', async () => {
    await start()
    await script('insert into shop.orders values (1), (2)')
    await expect.poll(() => seen.toSorted((a, b) => a - b), { timeout: 5_000 }).toEqual([1, 2])
    await script('begin; insert into shop.orders values (3); rollback')
    const { rows } = await pool.query('select count(*)::int from shop.outbox')
    expect(rows).toEqual([{ count: 2 }])
  })

  test('a dedupe word is stored once', async () => {
    const ids = await script(
      `select distinct posthorn.enqueue('shop.outbox', 'order.placed', '{}', key => '1', dedupe => 'once')
         from generate_series(1, 3)`,
    )
    expect(ids.split('\n')).toHaveLength(1)
  })

  test('a trace context and a priority go along', async () => {
    const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    await script(
      `select posthorn.enqueue('shop.urgent', 'x', '{}', priority => -1, traceparent => '${trace}')`,
    )
    const { rows } = await pool.query('select priority, traceparent from shop.urgent')
    expect(rows).toEqual([{ priority: -1, traceparent: trace }])
  })
})

test('writers wait for each other where the definition says so, unless the call says otherwise', async () => {
  const locks = async (call: string) => {
    const client = await pool.connect()
    try {
      await client.query('begin')
      await client.query(`select posthorn.enqueue(${call})`)
      const { rows } = await client.query(
        `select count(*)::int from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()`,
      )
      return rows[0].count
    } finally {
      await client.query('rollback')
      client.release()
    }
  }
  expect(await locks(`'shop.serial', 'x', '{}', key => '1'`)).toBe(1)
  expect(await locks(`'shop.serial', 'x', '{}', key => '1', serialise => false`)).toBe(0)
  expect(await locks(`'shop.outbox', 'x', '{}', key => '1'`)).toBe(0)
  expect(await locks(`'shop.outbox', 'x', '{}', key => '1', serialise => true`)).toBe(1)
  // A relay that starts with another definition says so to the writers.
  const changed = outbox('shop.serial', { order: 'key', destination: list })
  const other = posthorn({ pool, outboxes: [changed], transports, log: silentLog })
  await other.start()
  await other.stop()
  expect(await locks(`'shop.serial', 'x', '{}', key => '1'`)).toBe(0)
})

test.each([
  [`'shop.outbax', 'x', '{}'`, 'there is no outbox "shop.outbax"'],
  [`'shop.outbox', 'x', '{}'`, 'outbox "shop.outbox" is ordered: a message needs a key'],
  [`'shop.urgent', 'x', '{}', key => '1', priority => 1, dedupe => null`, undefined],
  [`'shop.outbox', 'x', '{}', key => '1', priority => 1`, 'outbox "shop.outbox" has no priorities'],
  [
    `'shop.own', 'x', '{}'`,
    'outbox "shop.own" has a table of its own, shop.own has no column type, payload',
  ],
])('says what is wrong with %s', async (call, problem) => {
  await app.start()
  await app.stop()
  const written = pool.query(`select posthorn.enqueue(${call})`)
  if (problem === undefined) await written
  else await expect(written).rejects.toThrow(problem)
})
