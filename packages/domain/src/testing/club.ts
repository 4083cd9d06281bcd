import { defineOutbox, outboxTableSql, schedule, sql } from '@posthorn/engine'
import { AggregateRoot } from '../aggregate-root.ts'
import { eventOutbox } from '../event-outbox.ts'
import type { DomainEvent } from '../event.ts'
import type { Mapper } from '../mapper.ts'

type FamilyEvent =
  | DomainEvent<'FamilyCreated', { name: string }>
  | DomainEvent<'FamilyRenamed', { name: string; version: number }>
  | DomainEvent<'FamilyDissolved', object>

/** The aggregate of this package's tests. */
export class Family extends AggregateRoot<FamilyEvent> {
  id: string
  name: string

  constructor(id: string, name: string) {
    super()
    this.id = id
    this.name = name
  }

  static create(id: string, name: string): Family {
    const family = new Family(id, name)
    family.raise({ type: 'FamilyCreated', payload: { name } })
    return family
  }

  rename(name: string): void {
    this.name = name
    this.raise({ type: 'FamilyRenamed', payload: { name, version: this.version + 1 } })
  }

  dissolve(): void {
    this.raise({ type: 'FamilyDissolved', payload: {} })
  }
}

export const familyMapper: Mapper<Family> = {
  type: Family,
  async load(db, id) {
    const { rows } = await db.query<{ name: string; version: number }>(
      sql`select name, version from families.families where id = ${id}`,
    )
    const [row] = rows
    return row && Object.assign(new Family(id, row.name), { version: row.version })
  },
  insert: (tx, family) =>
    tx.query(sql`
      insert into families.families (id, name, version)
      values (${family.id}, ${family.name}, ${family.version + 1})
      returning id`),
  update: (tx, family) =>
    tx.query(sql`
      update families.families
         set name = ${family.name}, version = ${family.version + 1}
       where id = ${family.id} and version = ${family.version}
      returning id`),
  remove: (tx, family) =>
    tx.query(sql`
      delete from families.families
       where id = ${family.id} and version = ${family.version}
      returning id`),
}

export interface OutboxEvent {
  event_id: string
  event_type: string
  event_version: number
  aggregate_type: string
  aggregate_id: string
  payload: unknown
  status: number
  retry_count: number
  next_attempt_at: Date
  error_message: string | null
  processed_at: Date | null
  created_at: Date
}

export const outboxEvents = defineOutbox<OutboxEvent>({
  name: 'families.events',
  table: 'families.outbox_events',
  states: { ready: 0, sent: 1 },
  columns: {
    id: 'event_id',
    dueAt: 'next_attempt_at',
    error: 'error_message',
    type: 'event_type',
    createdAt: 'created_at',
    sentAt: 'processed_at',
  },
  counter: { column: 'retry_count', bumps: 'on-failure', unreachable: 'charged' },
  order: { key: 'aggregate_id', dead: 'block' },
  retry: schedule(['1s', '2s', '5s'], { then: 'repeat-last' }),
  destination: { transport: 'fake', topic: 'family-hub.events' },
  message: (row) => ({
    id: row.event_id,
    type: row.event_type,
    version: row.event_version,
    key: row.aggregate_id,
    payload: row.payload,
  }),
})

export const familyEvents = eventOutbox(outboxEvents, (event, aggregate) => ({
  event_type: event.type,
  event_version: event.version,
  aggregate_type: aggregate.constructor.name,
  aggregate_id: aggregate.id,
  payload: event.payload,
}))

/** A deferred constraint, so that a commit itself can be made to fail: no two families named alike. */
export const familyTables = `
create schema families;
create table families.families (
  id uuid primary key,
  name text not null,
  version integer not null default 1,
  unique (name) deferrable initially deferred
);
create table families.outbox_events (
  event_id uuid primary key,
  event_type text not null,
  event_version integer not null default 1,
  aggregate_type text not null,
  aggregate_id uuid not null,
  payload jsonb not null,
  status smallint not null default 0 check (status in (0, 1, 2)),
  retry_count integer not null default 0,
  next_attempt_at timestamptz not null default posthorn.now(),
  error_message text,
  processed_at timestamptz,
  created_at timestamptz not null default now()
);
${outboxTableSql(outboxEvents)}
`
