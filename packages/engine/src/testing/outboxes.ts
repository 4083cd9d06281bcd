import { defineOutbox, type Outbox } from '../outbox/define.ts'
import { exponential, fixed, schedule } from '../outbox/retry.ts'
import { outboxTableSql } from '../outbox/table.sql.ts'
import { uuid } from '../uuid.ts'

/*
 * Five outboxes, as different as they may be. What holds for every outbox is tested on the three that
 * claim differently (`SHAPES`); each system runs the conformance suite on its real definition.
 */

/** Columns as a table is made of them. */
type Columns = Readonly<Record<string, string>>

/** A row of a table with such columns, as pg reads it. */
type RowOf<Table extends Columns> = {
  -readonly [
    Name in keyof Table
  ]: Table[Name] extends `${string}${'not null' | 'primary key'}${string}`
    ? ValueOf<Table[Name]>
    : ValueOf<Table[Name]> | null
}

type ValueOf<Sql extends string> = Sql extends `${'uuid' | 'text' | 'bigint'}${string}`
  ? string
  : Sql extends `${'integer' | 'smallint'}${string}`
    ? number
    : Sql extends `timestamptz${string}`
      ? Date
      : unknown

const ID = 'uuid primary key'
const COUNT = 'integer not null default 0'
const DUE = 'timestamptz not null default posthorn.now()'
const NOW = 'timestamptz not null default now()'

const parcelColumns = {
  id: ID,
  tour_id: 'uuid not null',
  address_id: 'text not null',
  status: `text not null default 'PENDING'
    check (status in ('PENDING', 'PUBLISHED', 'SUCCESS', 'FAILED', 'ERROR'))`,
  retry_count: COUNT,
  next_retry_at: DUE,
  event_id: 'uuid',
  kafka_partition: 'integer',
  kafka_offset: 'bigint',
  published_at: 'timestamptz',
  error_code: 'text',
  error_message: 'text',
  created_at: NOW,
} as const

export const parcelRows = defineOutbox<RowOf<typeof parcelColumns>>({
  name: 'parcels.rows',
  table: 'parcels.parcel_row',
  states: {
    ready: 'PENDING',
    sent: 'PUBLISHED',
    confirmed: 'SUCCESS',
    retry: 'FAILED',
    dead: 'ERROR',
  },
  columns: {
    dueAt: 'next_retry_at',
    sentAt: 'published_at',
    createdAt: 'created_at',
    attemptId: 'event_id',
    error: 'error_message',
    errorCode: 'error_code',
    ref: { partition: 'kafka_partition', offset: 'kafka_offset' },
  },
  counter: { column: 'retry_count', bumps: 'on-retry-claim' },
  claim: { batch: 100, every: '2m', lease: '1m' },
  confirm: { within: '30m' },
  retry: fixed('6h', { attempts: 3 }),
  destination: { transport: 'topics', topic: 'parcels.requests' },
  message: (row) => ({
    id: row.event_id ?? row.id,
    type: 'parcel.requested',
    key: row.address_id,
    payload: { rowId: row.id, addressId: row.address_id, retryCount: row.retry_count },
  }),
  audit: { actor: 'PUBLISHER' },
})

const tripColumns = {
  id: ID,
  topic: 'text not null',
  event_type: 'text not null',
  payload: 'jsonb not null',
  status: `text not null default 'PENDING'
    check (status in ('PENDING', 'CLAIMED', 'SENT', 'FAILED', 'DEAD_LETTER'))`,
  retry_count: COUNT,
  next_retry_at: DUE,
  last_error: 'text',
  sent_at: 'timestamptz',
  created_at: NOW,
} as const

export type TripEvent = RowOf<typeof tripColumns>

export const tripEvents = defineOutbox<TripEvent>({
  name: 'trips.events',
  table: 'trips.trip_outbox',
  states: {
    ready: 'PENDING',
    claimed: 'CLAIMED',
    sent: 'SENT',
    failing: 'FAILED',
    dead: 'DEAD_LETTER',
  },
  columns: {
    dueAt: 'next_retry_at',
    createdAt: 'created_at',
    error: 'last_error',
    type: 'event_type',
    sentAt: 'sent_at',
    finishedAt: 'sent_at',
  },
  counter: { column: 'retry_count', bumps: 'on-failure' },
  claim: { batch: 100, every: '1s', lease: '30s' },
  retry: exponential('1s', { attempts: 6 }),
  breaker: {},
  retention: { after: '7d', archive: '90d' },
  destination: (row) => ({ transport: 'topics', topic: row.topic }),
  message: (row) => ({ id: row.id, type: row.event_type, payload: row.payload }),
})

const letterColumns = {
  id: ID,
  org_id: 'text not null',
  idempotency_key: 'text not null',
  channel: 'text not null',
  to_recipient: 'text not null',
  payload_json: 'jsonb not null',
  status: `text not null default 'QUEUED'
    check (status in ('QUEUED', 'SENDING', 'SENT', 'DELIVERED', 'FAILED', 'CANCELLED'))`,
  attempt_count: COUNT,
  max_attempts: 'integer not null default 5',
  next_retry_at: DUE,
  provider_message_id: 'text',
  error_code: 'text',
  error_message: 'text',
  created_at: NOW,
} as const

export const outboundLetters = defineOutbox<RowOf<typeof letterColumns>>({
  name: 'letters.outbound',
  table: 'letters.outbound_letter',
  states: {
    ready: 'QUEUED',
    claimed: 'SENDING',
    sent: 'SENT',
    confirmed: 'DELIVERED',
    dead: 'FAILED',
    cancelled: 'CANCELLED',
  },
  columns: {
    dueAt: 'next_retry_at',
    createdAt: 'created_at',
    tenant: 'org_id',
    error: 'error_message',
    errorCode: 'error_code',
    ref: { id: 'provider_message_id' },
    dedupe: ['org_id', 'idempotency_key'],
  },
  counter: { column: 'attempt_count', bumps: 'on-claim', limit: 'max_attempts' },
  claim: { batch: 10, every: '5s', lease: '10m' },
  confirm: {},
  retry: schedule(['1m', '5m', '15m', '60m', '360m']),
  unknown: { then: 'resend', wait: '2m' },
  breaker: {},
  destination: (row) => ({ transport: 'topics', topic: row.channel }),
  message: (row) => ({
    id: row.id,
    type: 'letter.outbound',
    tenant: row.org_id,
    payload: row.payload_json,
  }),
})

const hookColumns = {
  id: ID,
  endpoint_id: 'text not null',
  payload: 'jsonb not null',
  status: `text not null default 'pending'
    check (status in ('pending', 'failed', 'delivered', 'abandoned', 'skipped_disabled'))`,
  attempts: COUNT,
  next_attempt_at: DUE,
  error: 'text',
  created_at: NOW,
} as const

export const hookDeliveries = defineOutbox<RowOf<typeof hookColumns>>({
  name: 'hooks.deliveries',
  table: 'hooks.deliveries',
  states: {
    ready: 'pending',
    sent: 'delivered',
    retry: 'failed',
    dead: 'abandoned',
    cancelled: 'skipped_disabled',
  },
  columns: { dueAt: 'next_attempt_at', error: 'error', createdAt: 'created_at' },
  counter: { column: 'attempts', bumps: 'on-failure', unreachable: 'charged' },
  claim: { batch: 100, every: '30s', lease: '2m' },
  retry: exponential('2s', { factor: 2, attempts: 5 }),
  breaker: {},
  destination: (row) => ({ transport: 'topics', topic: row.endpoint_id }),
  message: (row) => ({ id: row.id, type: 'webhook', payload: row.payload }),
})

const clubColumns = {
  event_id: ID,
  event_type: 'text not null',
  event_version: 'integer not null default 1',
  aggregate_type: 'text not null',
  aggregate_id: 'uuid not null',
  payload: 'jsonb not null',
  status: 'smallint not null default 0 check (status in (0, 1, 2))',
  retry_count: COUNT,
  next_attempt_at: DUE,
  error_message: 'text',
  processed_at: 'timestamptz',
  created_at: NOW,
  updated_at: NOW,
} as const

type ClubEvent = RowOf<typeof clubColumns>

/** What the two outboxes of clubs have in common. */
const club = {
  columns: {
    id: 'event_id',
    dueAt: 'next_attempt_at',
    error: 'error_message',
    type: 'event_type',
    createdAt: 'created_at',
    finishedAt: 'processed_at',
  },
  counter: { column: 'retry_count', bumps: 'on-failure', unreachable: 'charged' },
  claim: { batch: 100, every: '5s', lease: '30s' },
  destination: { transport: 'topics', topic: 'club.events' },
  message: (row: ClubEvent) => ({
    id: row.event_id,
    type: row.event_type,
    version: row.event_version,
    key: row.aggregate_id,
    payload: row.payload,
  }),
} as const

export const clubEvents = defineOutbox<ClubEvent>({
  ...club,
  name: 'clubs.events',
  table: 'clubs.outbox_events',
  states: { ready: 0, sent: 1 },
  columns: { ...club.columns, sentAt: 'processed_at' },
  order: { key: 'aggregate_id', dead: 'block' },
  retry: schedule(['1s', '2s', '5s', '15s', '60s', '300s', '900s'], { then: 'repeat-last' }),
})

/** The same in a log, with an end. */
export const logEvents = defineOutbox<ClubEvent>({
  ...club,
  name: 'clubs.log-events',
  table: 'clubs.logged_events',
  storage: 'log',
  states: { ready: 0, sent: 1, dead: 3, cancelled: 4 },
  order: { key: 'aggregate_id', dead: 'skip' },
  retry: exponential('1m', { attempts: 4 }),
  retention: { after: '7d', archive: '0d' },
})

const { updated_at: _, ...loggedColumns } = {
  ...clubColumns,
  status: 'smallint not null default 0 check (status in (0, 1, 3, 4))',
}

function tableOf<Row>(outbox: Outbox<Row>, columns: Columns, constraint?: string): string {
  const lines = Object.entries(columns).map(([name, type]) => `${name} ${type}`)
  if (constraint !== undefined) lines.push(constraint)
  return `create table ${outbox.table} (\n${lines.join(',\n')}\n);\n${outboxTableSql(outbox)}`
}

/** The tables of the five, with the engine's columns and indexes. */
export const outboxTables = [
  ...['parcels', 'trips', 'letters', 'hooks', 'clubs'].map((name) => `create schema ${name};`),
  tableOf(parcelRows, parcelColumns),
  tableOf(tripEvents, tripColumns),
  tableOf(outboundLetters, letterColumns, 'unique (org_id, idempotency_key)'),
  tableOf(hookDeliveries, hookColumns),
  tableOf(clubEvents, clubColumns),
  tableOf(logEvents, loggedColumns),
].join('\n')

/** One of the five outboxes with messages for it, different for every `n`. */
export interface Sample {
  readonly name: string
  readonly outbox: Outbox
  sample(n: number): Record<string, unknown>
}

function makeSample(outbox: unknown, sample: (n: number) => Record<string, unknown>): Sample {
  // The five have row types of their own; what runs on all of them sees columns by their names.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as the comment says
  const box = outbox as Outbox
  return { name: box.name, outbox: box, sample }
}

/** All five, for tests of many outboxes at once. Messages of the ordered one have ten keys. */
export const SAMPLES: readonly Sample[] = [
  makeSample(parcelRows, (n) => ({ tour_id: uuid(), address_id: `address-${n}` })),
  makeSample(tripEvents, (n) => ({ topic: 'orders', event_type: 'order.placed', payload: { n } })),
  makeSample(outboundLetters, (n) => ({
    org_id: n % 2 === 0 ? 'acme' : 'umbrella',
    idempotency_key: `${n}-${uuid()}`,
    channel: 'whatsapp',
    to_recipient: '+16505551234',
    payload_json: { n },
  })),
  makeSample(hookDeliveries, (n) => ({ endpoint_id: 'shop', payload: { n } })),
  makeSample(clubEvents, (n) => ({
    event_type: 'ClubCreated',
    aggregate_type: 'club',
    aggregate_id: `00000000-0000-4000-8000-00000000000${n % 10}`,
    payload: { n },
  })),
]

/** The three ways of claiming, for tests that run on each: a claim in columns, a claimed state, a key's lease. */
export const SHAPES: readonly Sample[] = SAMPLES.filter(({ name }) =>
  [parcelRows.name, outboundLetters.name, clubEvents.name].includes(name),
)

/** A log in front of its table. */
export const LOGGED: Sample = makeSample(logEvents, (n) => ({
  event_type: 'ClubCreated',
  aggregate_type: 'club',
  aggregate_id: `00000000-0000-4000-8000-00000000000${n % 10}`,
  payload: { n },
}))
