// What `enqueue` must be given, out of the types that ORMs have for their tables.
import { drizzle } from 'drizzle-orm/node-postgres'
import { integer, jsonb, pgTable, text, timestamp, uuid } from 'drizzle-orm/pg-core'
import type { ColumnType, Generated, Insertable, Selectable } from 'kysely'
import { expect, expectTypeOf, test } from 'vitest'
import { defineOutbox, type Outbox } from '../outbox/define.ts'
import { exponential } from '../outbox/retry.ts'
import { outboxTableSql } from '../outbox/table.sql.ts'
import { testDatabase } from '../testing/index.ts'
import { fromDrizzle, type DrizzleInsert, type DrizzleRow } from './adapters/drizzle.ts'
import { enqueue, enqueueAll } from './enqueue.ts'
import type { Transaction } from '../database/transaction.ts'

/** Properties in camel case, columns in snake case, as most people write Drizzle. */
const outboxEvents = pgTable('outbox_events', {
  id: uuid().primaryKey().defaultRandom(),
  eventType: text('event_type').notNull(),
  payload: jsonb().$type<{ order: number }>().notNull(),
  tenantId: text('tenant_id'),
  status: text().notNull().default('pending'),
  attempts: integer().notNull().default(0),
  dueAt: timestamp('due_at', { withTimezone: true }).notNull().defaultNow(),
})

type EventRow = DrizzleRow<typeof outboxEvents>
type NewEvent = DrizzleInsert<typeof outboxEvents>

const common = {
  states: { ready: 'pending', sent: 'sent', dead: 'dead' },
  counter: { column: 'attempts', bumps: 'on-failure' },
  retry: exponential('2s', { attempts: 5 }),
  destination: { transport: 'none', topic: 'events' },
} as const

const events = defineOutbox<EventRow, NewEvent>({
  ...common,
  name: 'public.outbox-events',
  table: 'public.outbox_events',
  columns: { dueAt: 'due_at', type: 'event_type', tenant: 'tenant_id' },
  message: (row) => ({ id: row.id, type: row.event_type, payload: row.payload }),
})

const db = await testDatabase({
  sql: `create table public.outbox_events (
      id uuid primary key default gen_random_uuid(), event_type text not null, payload jsonb not null,
      tenant_id text, status text not null default 'pending', attempts integer not null default 0,
      due_at timestamptz not null default now());
    ${outboxTableSql(events)}`,
})

test('a row of Drizzle has the names of its columns', () => {
  expectTypeOf<EventRow>().toEqualTypeOf<{
    id: string
    event_type: string
    payload: { order: number }
    tenant_id: string | null
    status: string
    attempts: number
    due_at: Date
  }>()
  expectTypeOf<NewEvent>().toEqualTypeOf<{
    id?: string | undefined
    event_type: string
    payload: { order: number }
    tenant_id?: string | null | undefined
    status?: string | undefined
    attempts?: number | undefined
    due_at?: Date | undefined
  }>()
})

test('Drizzle reads by its properties what was enqueued by columns', async () => {
  const orm = drizzle(db.pool)
  const { id } = await orm.transaction((tx) =>
    enqueue(fromDrizzle(tx), events, { event_type: 'order.placed', payload: { order: 7 } }),
  )
  expect(await orm.select().from(outboxEvents)).toMatchObject([
    { id, eventType: 'order.placed', payload: { order: 7 }, status: 'pending' },
  ])
})

/** As kysely-codegen writes it. */
interface EventTable {
  id: Generated<string>
  event_type: string
  payload: ColumnType<unknown, string>
  status: Generated<string>
  attempts: Generated<number>
  due_at: Generated<Date>
}

const ofKysely = defineOutbox<Selectable<EventTable>, Insertable<EventTable>>({
  ...common,
  name: 'public.kysely-events',
  table: 'public.outbox_events',
  columns: { dueAt: 'due_at', type: 'event_type' },
  message: (row) => ({ id: row.id, type: row.event_type, payload: row.payload }),
  recurring: {
    // @ts-expect-error -- what recurs must be whole, too
    nightly: { every: '1d', message: () => ({ event_type: 'night' }) },
  },
})

test('what the table demands is demanded, and nothing else is taken', () => {
  const tx = undefined as unknown as Transaction
  const payload = { order: 7 }
  const never = (): unknown => [
    enqueue(tx, events, { event_type: 'order.placed', payload, tenant_id: 'acme' }),
    enqueue(tx, ofKysely, { event_type: 'order.placed', payload: '{}' }),
    // @ts-expect-error -- event_type has no default
    enqueue(tx, events, { payload }),
    // @ts-expect-error -- nor has it for one of many
    enqueueAll(tx, events, [{ event_type: 'order.placed', payload }, { payload }]),
    // @ts-expect-error -- a property is no column
    enqueue(tx, events, { event_type: 'order.placed', payload, tenantId: 'acme' }),
    // @ts-expect-error -- a payload is of its type
    enqueue(tx, events, { event_type: 'order.placed', payload: { order: 'seven' } }),
    // @ts-expect-error -- kysely says what an insert needs
    enqueue(tx, ofKysely, { event_type: 'order.placed' }),
    // Where no type for inserts is given, any part of a row will do.
    enqueue(tx, events as Outbox<EventRow>, { payload }),
    // @ts-expect-error -- but nothing that is not of a row
    enqueue(tx, events as Outbox<EventRow>, { payload, tenantId: 'acme' }),
  ]
  expect(never).toBeTypeOf('function')
})
