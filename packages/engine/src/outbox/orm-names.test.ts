// Tables as Prisma, Drizzle and TypeORM make them: camel case, capitals, an enum, words of SQL.
import { describe, expect, test } from 'vitest'
import { enqueue, enqueueAll } from '../enqueue/enqueue.ts'
import { transaction } from '../database/transaction.ts'
import { posthorn } from '../host/posthorn.ts'
import { outbox } from '../host/standard-outbox.ts'
import { silentLog } from '../log.ts'
import { maintain } from '../maintain/maintenance.ts'
import { outboxStats } from '../maintain/stats.ts'
import { readBloat, countTenantMessages } from '@posthorn/operate/internal'
import { getMessage, listMessages } from '@posthorn/operate'
import { groupDead } from '../control/dead-groups.ts'
import { cancel, replay } from '../control/replay.ts'
import { createRelay } from '../relay/relay.ts'
import {
  everywhere,
  fakeTransport,
  outboxConformance,
  testDatabase,
  viewTable,
} from '../testing/index.ts'
import { uuid } from '../uuid.ts'
import { defineOutbox, type Outbox } from './define.ts'
import type { OutboxDefinition } from './definition.ts'
import type { TableName } from '../database/sql-names.ts'
import { delivered, refused } from './outcome.ts'
import { exponential } from './retry.ts'
import { inSql } from './resolved-definition.ts'
import { outboxTableSql } from './table.sql.ts'

/** As Prisma has it: the model's name is the table's, and its properties' are the columns'. */
interface OutboxEvent {
  id: string
  eventType: string
  payload: { order: number }
  tenantId: string
  status: 'PENDING' | 'SENDING' | 'SENT' | 'CONFIRMED' | 'DEAD' | 'CANCELLED'
  attemptCount: number
  maxAttempts: number
  dueAt: Date
  createdAt: Date
  sentAt: Date | null
  finishedAt: Date | null
  lastError: string | null
  errorCode: string | null
  traceParent: string | null
  kafkaPartition: number | null
  priorityLevel: number
  dedupeKey: string
  /** A word of SQL. */
  order: string
}

const shared = {
  columns: {
    idType: 'text',
    type: 'eventType',
    tenant: 'tenantId',
    dueAt: 'dueAt',
    createdAt: 'createdAt',
    finishedAt: 'finishedAt',
    error: 'lastError',
    errorCode: 'errorCode',
    traceparent: 'traceParent',
  },
  counter: { column: 'attemptCount', bumps: 'on-failure', limit: 'maxAttempts' },
  states: { ready: 'PENDING', sent: 'SENT', dead: 'DEAD', cancelled: 'CANCELLED' },
  retry: exponential('2s', { attempts: 3 }),
  retention: { after: '1d', archive: '30d' },
  label: ['order', 'payload.order'],
  destination: { transport: 'kafka', topic: 'events' },
  message: ({ id, eventType, payload }: OutboxEvent) => ({ id, type: eventType, payload }),
} as const satisfies Omit<OutboxDefinition<OutboxEvent>, 'name' | 'table'>

const byRow = defineOutbox<OutboxEvent>({
  ...shared,
  name: 'orm.by-row',
  table: 'public.OutboxEvent',
  columns: {
    ...shared.columns,
    sentAt: 'sentAt',
    ref: { partition: 'kafkaPartition' },
    dedupe: ['tenantId', 'dedupeKey'],
  },
  reads: ['eventType', 'payload'],
})

const byState = defineOutbox<OutboxEvent>({
  ...shared,
  name: 'orm.by-state',
  table: 'Shop.OutboundMessage',
  states: { ...shared.states, claimed: 'SENDING', confirmed: 'CONFIRMED' },
  columns: { ...shared.columns, sentAt: 'sentAt' },
  counter: { ...shared.counter, bumps: 'on-claim' },
  confirm: { within: '1h' },
  fair: { by: 'tenantId', atOnce: 500 },
})

const byPriority = defineOutbox<OutboxEvent>({
  ...shared,
  name: 'orm.by-priority',
  table: 'Shop.user',
  columns: { ...shared.columns, priority: 'priorityLevel' },
})

const byKey = defineOutbox<OutboxEvent>({
  ...shared,
  name: 'orm.by-key',
  table: 'Shop.order',
  order: { key: 'order', dead: 'skip' },
  audit: { record: 'all' },
})

const logged = defineOutbox<OutboxEvent>({
  ...shared,
  name: 'orm.logged',
  table: 'Shop.LoggedEvent',
  storage: 'log',
  order: { key: 'order', dead: 'block' },
})

const ALL = [byRow, byState, byPriority, byKey, logged]

function tableSql(box: Outbox<OutboxEvent>): string {
  return `
create table ${inSql(box).template} (
  id text primary key,
  "eventType" text not null,
  payload jsonb not null,
  "tenantId" text not null,
  status public."OutboxStatus" not null default 'PENDING',
  "attemptCount" integer not null default 0,
  "maxAttempts" integer not null default 9,
  "dueAt" timestamptz(3) not null default posthorn.now(),
  "createdAt" timestamptz(3) not null default now(),
  "sentAt" timestamptz(3),
  "finishedAt" timestamptz(3),
  "lastError" text,
  "errorCode" text,
  "traceParent" text,
  "kafkaPartition" integer,
  "priorityLevel" integer not null default 0,
  "dedupeKey" text not null default gen_random_uuid(),
  "order" text not null,
  unique ("tenantId", "dedupeKey")
);
${outboxTableSql(box)}`
}

const db = await testDatabase({
  sql: `
    create schema "Shop";
    create type public."OutboxStatus" as enum
      ('PENDING', 'SENDING', 'SENT', 'CONFIRMED', 'DEAD', 'CANCELLED');
    ${ALL.map(tableSql).join('\n')}`,
})

const sample = (n: number): Partial<OutboxEvent> => ({
  dedupeKey: uuid(),
  eventType: 'order.placed',
  payload: { order: n },
  tenantId: 'acme',
  order: 'key-1',
})

for (const box of ALL)
  outboxConformance(box, { pool: () => db.pool, transports: ['kafka'], sample })

describe.each(ALL.map((box) => [box.name, box] as const))('%s for operators', (_, box) => {
  const plain = box as unknown as Outbox
  const relayTo = (transport: ReturnType<typeof fakeTransport>) =>
    createRelay({
      pool: db.pool,
      outboxes: [plain],
      transports: everywhere(transport, ['kafka']),
      log: silentLog,
      mode: 'poll',
    })

  test('is listed, counted, replayed, cancelled and pruned', async () => {
    await viewTable(db.pool, plain).empty()
    const samples = [0, 1, 2].map((n) => ({ ...sample(n), order: `key-${n}`, tenantId: `t${n}` }))
    const put = await transaction(db.pool, (tx) => enqueueAll(tx, box, samples))
    const ids = put.map(({ id }) => id)
    expect((await listMessages(db.pool, plain, { state: 'PENDING' })).items).toHaveLength(3)
    expect(await countTenantMessages(db.pool, plain, 't1')).toMatchObject({
      counts: { PENDING: 1 },
    })

    const transport = fakeTransport(({ id }) =>
      id === ids[0] ? refused({ code: 'NO', message: 'never' }) : delivered(),
    )
    const relay = relayTo(transport)
    const counts = async () => (await outboxStats(db.pool, plain)).counts
    const runOnce = async () => void (await relay.runOnce())
    await expect.poll(() => runOnce().then(counts)).toMatchObject({ DEAD: 1, SENT: 2 })
    const { items } = await listMessages(db.pool, plain, {})
    expect(items.map(({ label }) => label ?? '').toSorted((a, b) => a.localeCompare(b))).toEqual([
      'key-0 · 0',
      'key-1 · 1',
      'key-2 · 2',
    ])
    const [dead] = (await listMessages(db.pool, plain, { state: 'DEAD', code: 'NO' })).items
    expect(dead).toMatchObject({ id: ids[0], type: 'order.placed', tenant: 't0', error: 'never' })
    expect((await getMessage(db.pool, plain, ids[1] as string))?.row).toMatchObject({
      eventType: 'order.placed',
      tenantId: 't1',
      status: 'SENT',
    })
    expect(await groupDead(db.pool, plain, {})).toMatchObject([{ code: 'NO', count: 1 }])

    const operator = { by: 'ops', reason: 'test' }
    const replayed = await transaction(db.pool, (tx) =>
      replay(tx, box, { filter: { type: 'order.placed', tenant: 't0' }, ...operator }),
    )
    expect(replayed).toEqual([ids[0]])
    const cancelled = await transaction(db.pool, (tx) => cancel(tx, box, { ids, ...operator }))
    expect(cancelled).toEqual([ids[0]])
    await relay.stop()

    const { table } = inSql(box)
    await db.pool.query(
      `update ${table} set "finishedAt" = now() - interval '2 days', status = 'CANCELLED'`,
    )
    const maintained = await maintain(db.pool, [plain])
    expect(maintained?.failed).toEqual([])
    expect(maintained?.outboxes[box.name]).toMatchObject({ pruned: box.log ? 1 : 3 })
    expect((await getMessage(db.pool, plain, ids[0] as string))?.archivedAt).toBeInstanceOf(Date)
    const { tables } = await readBloat(db.pool, [plain])
    expect(tables).toContainEqual(
      expect.objectContaining({ table: box.exceptions ?? box.table, outbox: box.name }),
    )
  })
})

test('what stands in the reference goes to its column, and a second message to the first', async () => {
  const message = { ...sample(1), order: 'dedupe', dedupeKey: 'once' }
  const put = () => transaction(db.pool, (tx) => enqueue(tx, byRow, message))
  const first = await put()
  expect(await put()).toEqual({ id: first.id, created: false })
  const transport = fakeTransport(() => delivered({ partition: 7 }))
  const relay = createRelay({
    pool: db.pool,
    outboxes: [byRow],
    transports: everywhere(transport, ['kafka']),
    log: silentLog,
    mode: 'poll',
  })
  for (let i = 0; i < 20 && (await relay.runOnce()) > 0; i += 1);
  const { rows } = await db.pool.query(
    'select "kafkaPartition" from public."OutboxEvent" where id = $1',
    [first.id],
  )
  expect(rows).toEqual([{ kafkaPartition: 7 }])
})

describe('a start', () => {
  const started = (change: object) =>
    createRelay({
      pool: db.pool,
      outboxes: [defineOutbox({ ...byRowDefinition, ...change } as never)],
      transports: everywhere(fakeTransport(), ['kafka']),
      log: silentLog,
    }).start()
  const byRowDefinition = { ...shared, name: 'orm.wrong', table: 'public.OutboxEvent' as TableName }

  test('says what a table is called that was named as an ORM has it', async () => {
    await expect(started({ table: 'public.outbox_event' })).rejects.toThrow(
      'there is no table public.outbox_event; there is public.OutboxEvent',
    )
  })

  test('says what a column is called', async () => {
    const columns = { ...shared.columns, error: 'last_error' }
    await expect(started({ columns })).rejects.toThrow(
      'public.OutboxEvent has no column "last_error"; it has "lastError"',
    )
  })

  test('refuses a time of which no zone is known', async () => {
    await db.pool.query(`create table public."Zoneless" (like public."OutboxEvent" including all);
      alter table public."Zoneless" alter "dueAt" type timestamp(3)`)
    await expect(started({ table: 'public.Zoneless' })).rejects.toThrow(
      '"dueAt" is timestamp(3) without time zone, and must be timestamptz',
    )
  })
})

test('the short form makes such a table, and SQL writes into it', async () => {
  const events = outbox<{ 'order.placed': { n: number } }>('Orders.OutboxEvent', { order: 'key' })
  expect(events.name).toBe('orders.outbox-event')
  const transport = fakeTransport()
  const app = posthorn({
    pool: db.pool,
    log: silentLog,
    outboxes: [events],
    transports: everywhere(transport, ['handlers']),
  })
  await app.setUp()
  await app.transaction((tx) => events.enqueue(tx, 'order.placed', { n: 1 }, { key: 'a' }))
  await db.pool.query(
    `select posthorn.enqueue('orders.outbox-event', 'order.placed', '{"n": 2}', key => 'a')`,
  )
  for (let i = 0; i < 20 && (await app.runOnce()) > 0; i += 1);
  expect(transport.arrived.map(({ payload }) => payload)).toEqual([{ n: 1 }, { n: 2 }])
})
