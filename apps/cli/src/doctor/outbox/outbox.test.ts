import {
  defineOutbox,
  fixed,
  outboxTableSql,
  schedule,
  transaction,
  type OutboxRow,
} from '@posthorn/engine'
import { pause, resume } from '@posthorn/operate'
import { testDatabase } from '@posthorn/engine/testing'
import { afterEach, describe, expect, test } from 'vitest'
import { readStatus } from '../../commands/status.ts'
import { shopEvents, shopMigrations, shopOrders } from '../../testing/shop.ts'
import { selectRelayFacts } from './queries.ts'
import { checkHotTables, checkTable, checkVacuum } from './table.ts'
import { checkLeases, checkWork } from './work.ts'

/** Never gives up: a message that cannot be read is quarantined. */
const letters = defineOutbox<OutboxRow>({
  name: 'shop.letters',
  table: 'shop.letter',
  states: { ready: 0, sent: 1 },
  columns: { dueAt: 'due_at' },
  counter: { column: 'attempts', bumps: 'on-failure' },
  retry: schedule(['1s'], { then: 'repeat-last' }),
  destination: { transport: 'topics', topic: 'shop.letters' },
  message: (row) => ({ id: String(row['id']), type: 'letter', payload: {} }),
})

const { pool } = await testDatabase({
  migrations: [await shopMigrations()],
  sql: `create table shop.letter (
          id uuid primary key, status smallint not null default 0,
          attempts integer not null default 0, due_at timestamptz not null default posthorn.now());
        ${outboxTableSql(letters)}`,
})
const outboxes = [shopEvents, shopOrders, letters]
const session = {
  pool,
  db: pool,
  where: 'here',
  outboxes: new Map(outboxes.map((outbox) => [outbox.name, outbox])),
}

afterEach(() =>
  pool.query(`truncate shop.event, shop.order_event, shop.letter, posthorn.session, posthorn.pulse,
    posthorn.bucket, posthorn.held_key, posthorn.alert, posthorn.pause`),
)

/** As if a relay had said so. */
async function alive(outbox: string, secondsAgo = 0): Promise<void> {
  await pool.query(
    `insert into posthorn.session (relay, outboxes, seen_at)
     values ('relay-' || $2::int, array[$1], now() - $2::int * interval '1 s')`,
    [outbox, secondsAgo],
  )
}

test('names relays that keep a table another way, and what another way was noted', async () => {
  await pool.query(`insert into posthorn.outbox (name, table_name, storage)
                    values ('shop.orders', 'shop.order_event', 'row')`)
  const find = async () => (await checkTable(pool, shopOrders))[0]
  expect(await find()).toMatchObject({
    level: 'warn',
    says: 'shop.order_event is kept by row, not as it is defined; the next start of a relay moves what waits',
  })
  await alive('shop.orders')
  expect(await find()).toMatchObject({
    level: 'fail',
    says: expect.stringContaining(
      'STORAGE_IN_USE: shop.order_event is kept by row by the relay relay-0',
    ),
  })
  await pool.query('delete from posthorn.outbox')
})

async function work() {
  return checkWork(await readStatus(session), await selectRelayFacts(pool))
}

describe('a table', () => {
  test.each(outboxes)('of $name as its migration makes it is fine', async (outbox) => {
    expect(await checkTable(pool, outbox)).toEqual([])
  })

  test('that hides messages from a relay is named with what mends it', async () => {
    await pool.query('alter table shop.letter alter column due_at drop not null')
    const [found, ...others] = await checkTable(pool, letters)
    expect(found).toEqual({
      check: 'shop.letters',
      level: 'fail',
      says: 'TABLE_MISMATCH: columns.dueAt: "due_at" may be null, and messages without a value would never be claimed',
      todo: 'Give those that have none a value, and add to a migration',
      run: 'alter table shop.letter alter column due_at set not null;',
    })
    expect(others).toEqual([])
    await pool.query(found?.run ?? '')
    await pool.query('create unique index letter_once on shop.letter (due_at)')
    expect(await checkTable(pool, letters)).toMatchObject([
      { level: 'warn', says: expect.stringContaining('INDEX_IN_THE_WAY') },
    ])
    await pool.query('drop index shop.letter_once')
    expect(await checkTable(pool, letters)).toEqual([])
  })

  test('that lacks an index is named with what makes it, and that mends it', async () => {
    await pool.query('drop index shop.event_due')
    const [found, ...others] = await checkTable(pool, shopEvents)
    expect(found).toEqual({
      check: 'shop.events',
      level: 'warn',
      says: 'index event_due is missing',
      todo: 'create it',
      run: "create index concurrently if not exists event_due on shop.event (due_at, id) where status in ('waiting', 'failed');",
    })
    expect(others).toEqual([])
    await pool.query(found?.run ?? '')
    expect(await checkTable(pool, shopEvents)).toEqual([])
  })

  test('may have its index under another name', async () => {
    await pool.query('alter index shop.event_due rename to other_name')
    expect(await checkTable(pool, shopEvents)).toEqual([])
    await pool.query('alter index shop.other_name rename to event_due')
  })

  test('whose index is for other states is found, and what is to be run mends it', async () => {
    await pool.query(`drop index shop.event_due;
      create index event_due on shop.event (due_at, id) where status = 'waiting'`)
    const [found] = await checkTable(pool, shopEvents)
    expect(found).toMatchObject({
      level: 'warn',
      says: "index event_due is for other states than the definition's",
    })
    for (const statement of found?.run?.split('; ') ?? []) await pool.query(statement)
    expect(await checkTable(pool, shopEvents)).toEqual([])
  })

  test('whose index is invalid is found, and what is to be run mends it', async () => {
    await pool.query(`update pg_index set indisvalid = false
      where indexrelid = 'shop.event_dead'::regclass`)
    const [found] = await checkTable(pool, shopEvents)
    expect(found).toMatchObject({
      says: 'index event_dead is invalid: it costs and does not help',
      run: 'reindex index concurrently shop.event_dead;',
    })
    await pool.query(found?.run ?? '')
    expect(await checkTable(pool, shopEvents)).toEqual([])
  })

  test('as an ORM names it is found, and so is what it lacks', async () => {
    const events = defineOutbox<Record<string, unknown>>({
      name: 'public.events',
      table: 'public.OutboxEvent',
      states: { ready: 'NEW', sent: 'SENT', dead: 'DEAD' },
      columns: { dueAt: 'dueAt', createdAt: 'createdAt' },
      counter: { column: 'tries', bumps: 'on-failure' },
      retry: fixed('1s', { attempts: 3 }),
      destination: { transport: 'topics', topic: 'events' },
      message: (row) => ({ id: String(row['id']), type: 'event', payload: {} }),
    })
    await pool.query(`create table public."OutboxEvent" (
        id uuid primary key, status text not null default 'NEW', tries integer not null default 0,
        "dueAt" timestamptz not null default now(), "createdAt" timestamptz not null default now());
      ${outboxTableSql(events)}`)
    expect(await checkTable(pool, events)).toEqual([])
    expect(await checkLeases(pool, events, { relays: 1, paused: false })).toEqual([])
    await pool.query('drop index public."OutboxEvent_due"')
    const [found] = await checkTable(pool, events)
    expect(found).toMatchObject({
      says: 'index OutboxEvent_due is missing',
      run: `create index concurrently if not exists "OutboxEvent_due" on public."OutboxEvent" ("dueAt", id) where status = 'NEW';`,
    })
    await pool.query(found?.run ?? '')
    await pool.query(`update pg_index set indisvalid = false
      where indexrelid = 'public."OutboxEvent_dead"'::regclass`)
    const [invalid] = await checkTable(pool, events)
    expect(invalid?.run).toBe('reindex index concurrently public."OutboxEvent_dead";')
    await pool.query(invalid?.run ?? '')
    expect(await checkTable(pool, events)).toEqual([])
  })

  test('that lacks a column fails', async () => {
    await pool.query('alter table shop.order_event rename column held to holds')
    const found = await checkTable(pool, shopOrders)
    await pool.query('alter table shop.order_event rename column holds to held')
    expect(found).toMatchObject([
      { level: 'fail', says: 'shop.order_event has no column held', check: 'shop.orders' },
    ])
  })

  test('that is not there fails', async () => {
    const found = await checkTable(pool, { ...shopEvents, table: 'shop.nothing' })
    expect(found).toMatchObject([{ level: 'fail', says: 'there is no table shop.nothing' }])
  })
})

describe('vacuum', () => {
  test('that is switched off for a table, and starves it', async () => {
    await pool.query('alter table shop.letter set (autovacuum_enabled = false)')
    // On one connection: the statistics of a transaction are sent on demand.
    const client = await pool.connect()
    await client.query(`insert into shop.letter (id)
      select gen_random_uuid() from generate_series(1, 12000)`)
    await client.query('update shop.letter set attempts = 1')
    await client.query('select pg_stat_force_next_flush()')
    await client.query('select 1')
    client.release()
    await expect
      .poll(() => checkVacuum(pool, 'shop.letters', 'shop.letter'))
      .toMatchObject([
        {
          says: 'autovacuum is switched off for shop.letter',
          run: 'alter table shop.letter reset (autovacuum_enabled);',
        },
        {
          says: 'shop.letter has 12,000 dead rows beside 12,000 living ones, never vacuumed',
          run: 'vacuum (analyze) shop.letter;',
        },
      ])
    for (const { run } of await checkVacuum(pool, '', 'shop.letter')) await pool.query(run ?? '')
    await expect.poll(() => checkVacuum(pool, '', 'shop.letter')).toEqual([])
  })

  test('that comes late to a large table', async () => {
    await pool.query('alter table shop.letter set (autovacuum_vacuum_scale_factor = 0.5)')
    await pool.query(`insert into shop.letter (id)
      select gen_random_uuid() from generate_series(1, 60000)`)
    await pool.query('analyze shop.letter')
    await expect
      .poll(() => checkVacuum(pool, '', 'shop.letter'))
      .toMatchObject([
        { says: expect.stringMatching(/^autovacuum runs on shop.letter only when 50 %/) },
      ])
    await pool.query((await checkVacuum(pool, '', 'shop.letter'))[0]?.run ?? '')
    expect(await checkVacuum(pool, '', 'shop.letter')).toEqual([])
  })

  test("keeps up with the engine's own tables", async () => {
    expect(await checkHotTables(pool)).toMatchObject([{ check: 'vacuum', level: 'ok' }])
  })
})

describe('work', () => {
  test('in order, with a relay for each outbox', async () => {
    for (const { name } of outboxes) await alive(name)
    expect((await work()).filter(({ level }) => level !== 'ok')).toEqual([])
  })

  test('an outbox without a relay, beside others that have one', async () => {
    await alive('shop.events')
    await alive('shop.letters')
    expect((await work()).filter(({ level }) => level !== 'ok')).toMatchObject([
      { check: 'shop.orders', says: 'no relay runs it, although other relays run' },
    ])
  })

  test('relays that vanish, and claims that are lost with them', async () => {
    for (const { name } of outboxes) await alive(name)
    await alive('shop.events', 60)
    await alive('shop.events', 600)
    await alive('shop.events', 4_000)
    await pool.query(`insert into posthorn.pulse (outbox, relay, at, lost)
      values ('shop.events', 'a', now(), 3), ('shop.events', 'a', now() - interval '2 h', 9)`)
    expect((await work()).filter(({ level }) => level !== 'ok')).toMatchObject([
      { says: '2 relays disappeared within the last hour' },
      { says: '3 claims lost within the last hour; their messages were sent again' },
    ])
  })

  test('messages in quarantine, and keys that are blocked', async () => {
    for (const { name } of outboxes) await alive(name)
    await pool.query(
      `insert into shop.letter (id, quarantined_at) values (gen_random_uuid(), now())`,
    )
    await pool.query(`insert into posthorn.held_key (outbox, key, bucket, held_by)
      values ('shop.orders', 'A', 1, 'x')`)
    expect((await work()).filter(({ level }) => level !== 'ok')).toMatchObject([
      { check: 'shop.orders', says: '1 key blocked behind a dead message' },
      { check: 'shop.letters', says: '1 message in quarantine: no relay retries them' },
    ])
  })

  test('a late message is worse without a relay', async () => {
    await pool.query(`insert into shop.letter (id, due_at)
      values (gen_random_uuid(), now() - interval '1 h')`)
    const late = async () => (await work()).find(({ check }) => check === 'shop.letters')
    expect(await late()).toMatchObject({ level: 'fail', says: 'a message has been due for 1h' })
    for (const { name } of outboxes) await alive(name)
    expect(await late()).toMatchObject({ level: 'warn' })
  })
})

describe('leases', () => {
  const running = { relays: 1, paused: false }

  test('that are held, or ran out a moment ago, are nothing to speak of', async () => {
    await pool.query(`insert into shop.event (id, type, org_id, claimed_until)
      values (gen_random_uuid(), 'x', 'o', now() + interval '9 s'),
             (gen_random_uuid(), 'x', 'o', now() - interval '9 s')`)
    expect(await checkLeases(pool, shopEvents, running)).toEqual([])
  })

  test('by row, that no relay takes back', async () => {
    await pool.query(`insert into shop.event (id, type, org_id, status, claimed_until)
      values (gen_random_uuid(), 'x', 'o', 'waiting', now() - interval '5 min'),
             (gen_random_uuid(), 'x', 'o', 'sent', now() - interval '5 min')`)
    expect(await checkLeases(pool, shopEvents, running)).toMatchObject([
      {
        level: 'warn',
        says: '1 message left behind by a lost relay for 5m, and no relay takes over',
      },
    ])
    expect(await checkLeases(pool, shopEvents, { relays: 0, paused: false })).toEqual([])
    await transaction(pool, (tx) => pause(tx, shopEvents, { by: 'ada' }))
    expect(await checkLeases(pool, shopEvents, { relays: 1, paused: true })).toEqual([])
    await transaction(pool, (tx) => resume(tx, shopEvents, { by: 'ada' }))
  })

  test('by row with a claimed state of its own, that no relay takes back', async () => {
    const claiming = { ...shopEvents, states: { ...shopEvents.states, claimed: 'cancelled' } }
    await pool.query(`insert into shop.event (id, type, org_id, status, claimed_until)
      values (gen_random_uuid(), 'x', 'o', 'cancelled', now() - interval '2 min')`)
    expect(await checkLeases(pool, claiming, running)).toMatchObject([
      { says: '1 message left behind by a lost relay for 2m, and no relay takes over' },
    ])
  })

  test('by key, that no relay takes over', async () => {
    await pool.query(`with gone as (
        insert into posthorn.session (relay, outboxes, seen_at, until)
        values ('gone', '{shop.orders}', now() - interval '5 min', null) returning id)
      insert into posthorn.bucket (outbox, bucket, token, session)
      select 'shop.orders', n, gen_random_uuid(), id from gone, generate_series(0, 3) as n`)
    expect(await checkLeases(pool, shopOrders, running)).toMatchObject([
      { says: '4 buckets left behind by a lost relay for 5m, and no relay takes over' },
    ])
  })
})
