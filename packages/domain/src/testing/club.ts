import { defineOutbox, outboxTableSql, schedule, sql } from '@posthorn/engine'
import { AggregateRoot, aggregateTypeOf, type DomainEvent } from '../aggregate-root.ts'
import { eventOutbox } from '../event-outbox.ts'
import type { Mapper } from '../mapper.ts'

type ClubEvent =
  | DomainEvent<'ClubCreated', { name: string }>
  | DomainEvent<'ClubRenamed', { name: string; version: number }>
  | DomainEvent<'ClubDissolved', object>

/** The aggregate of this package's tests. */
export class Club extends AggregateRoot<ClubEvent> {
  id: string
  name: string

  constructor(id: string, name: string) {
    super()
    this.id = id
    this.name = name
  }

  static create(id: string, name: string): Club {
    const club = new Club(id, name)
    club.raise({ type: 'ClubCreated', payload: { name } })
    return club
  }

  rename(name: string): void {
    this.name = name
    this.raise({ type: 'ClubRenamed', payload: { name, version: this.version + 1 } })
  }

  dissolve(): void {
    this.raise({ type: 'ClubDissolved', payload: {} })
  }
}

export const clubMapper: Mapper<Club> = {
  type: Club,
  async load(db, id) {
    const { rows } = await db.query<{ name: string; version: number }>(
      sql`select name, version from clubs.clubs where id = ${id}`,
    )
    const [row] = rows
    return row && Object.assign(new Club(id, row.name), { version: row.version })
  },
  insert: (tx, club) =>
    tx.query(sql`
      insert into clubs.clubs (id, name, version)
      values (${club.id}, ${club.name}, ${club.version + 1})
      returning id`),
  update: (tx, club) =>
    tx.query(sql`
      update clubs.clubs
         set name = ${club.name}, version = ${club.version + 1}
       where id = ${club.id} and version = ${club.version}
      returning id`),
  remove: (tx, club) =>
    tx.query(sql`
      delete from clubs.clubs
       where id = ${club.id} and version = ${club.version}
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
  name: 'clubs.events',
  table: 'clubs.outbox_events',
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
  destination: { transport: 'fake', topic: 'club-hub.events' },
  message: (row) => ({
    id: row.event_id,
    type: row.event_type,
    version: row.event_version,
    key: row.aggregate_id,
    payload: row.payload,
  }),
})

export const clubEvents = eventOutbox(outboxEvents, (event, aggregate) => ({
  event_type: event.type,
  event_version: event.version,
  aggregate_type: aggregateTypeOf(aggregate),
  aggregate_id: aggregate.id,
  payload: event.payload,
}))

/** A deferred constraint, so that a commit itself can be made to fail: no two clubs named alike. */
export const clubTables = `
create schema clubs;
create table clubs.clubs (
  id uuid primary key,
  name text not null,
  version integer not null default 1,
  unique (name) deferrable initially deferred
);
create table clubs.outbox_events (
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
