import { defineOutbox } from '../outbox/define.ts'
import { exponential, fixed, schedule } from '../outbox/retry.ts'
import { outboxTableSql } from '../outbox/table.sql.ts'

/*
 * Five outboxes, as different as they may be. What holds for every outbox is tested on the three that
 * claim differently (`SHAPES`); each system runs the conformance suite on its real definition.
 */

export interface ParcelRow {
  id: string
  tour_id: string
  address_id: string
  status: string
  retry_count: number
  next_retry_at: Date
  event_id: string | null
  kafka_partition: number | null
  kafka_offset: string | null
  published_at: Date | null
  error_code: string | null
  error_message: string | null
  created_at: Date
}

export const parcelRows = defineOutbox<ParcelRow>({
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

export interface TripEvent {
  id: string
  topic: string
  event_type: string
  payload: unknown
  status: string
  retry_count: number
  next_retry_at: Date
  last_error: string | null
  sent_at: Date | null
  created_at: Date
}

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

export interface OutboundLetter {
  id: string
  org_id: string
  idempotency_key: string
  channel: string
  to_recipient: string
  payload_json: unknown
  status: string
  attempt_count: number
  max_attempts: number
  next_retry_at: Date
  provider_message_id: string | null
  error_code: string | null
  error_message: string | null
  created_at: Date
}

export const outboundLetters = defineOutbox<OutboundLetter>({
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

export interface HookDelivery {
  id: string
  endpoint_id: string
  payload: unknown
  status: string
  attempts: number
  next_attempt_at: Date
  error: string | null
  created_at: Date
}

export const hookDeliveries = defineOutbox<HookDelivery>({
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

export interface ClubEvent {
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
  updated_at: Date
}

export const clubEvents = defineOutbox<ClubEvent>({
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
    finishedAt: 'processed_at',
  },
  counter: { column: 'retry_count', bumps: 'on-failure', unreachable: 'charged' },
  claim: { batch: 100, every: '5s', lease: '30s' },
  order: { key: 'aggregate_id', dead: 'block' },
  retry: schedule(['1s', '2s', '5s', '15s', '60s', '300s', '900s'], { then: 'repeat-last' }),
  destination: { transport: 'topics', topic: 'club.events' },
  message: (row) => ({
    id: row.event_id,
    type: row.event_type,
    version: row.event_version,
    key: row.aggregate_id,
    payload: row.payload,
  }),
})

/** The same in a log, with an end. */
export const logEvents = defineOutbox<ClubEvent>({
  name: 'clubs.log-events',
  table: 'clubs.logged_events',
  storage: 'log',
  states: { ready: 0, sent: 1, dead: 3, cancelled: 4 },
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
  order: { key: 'aggregate_id', dead: 'skip' },
  retry: exponential('1m', { attempts: 4 }),
  retention: { after: '7d', archive: '0d' },
  destination: { transport: 'topics', topic: 'club.events' },
  message: (row) => ({
    id: row.event_id,
    type: row.event_type,
    version: row.event_version,
    key: row.aggregate_id,
    payload: row.payload,
  }),
})

/** The tables of the five, with the engine's columns and indexes. */
export const outboxTables = `
create schema parcels;
create table parcels.parcel_row (
  id uuid primary key,
  tour_id uuid not null,
  address_id text not null,
  status text not null default 'PENDING'
    check (status in ('PENDING', 'PUBLISHED', 'SUCCESS', 'FAILED', 'ERROR')),
  retry_count integer not null default 0,
  next_retry_at timestamptz not null default posthorn.now(),
  event_id uuid,
  kafka_partition integer,
  kafka_offset bigint,
  published_at timestamptz,
  error_code text,
  error_message text,
  created_at timestamptz not null default now()
);
${outboxTableSql(parcelRows)}

create schema trips;
create table trips.trip_outbox (
  id uuid primary key,
  topic text not null,
  event_type text not null,
  payload jsonb not null,
  status text not null default 'PENDING'
    check (status in ('PENDING', 'CLAIMED', 'SENT', 'FAILED', 'DEAD_LETTER')),
  retry_count integer not null default 0,
  next_retry_at timestamptz not null default posthorn.now(),
  last_error text,
  sent_at timestamptz,
  created_at timestamptz not null default now()
);
${outboxTableSql(tripEvents)}

create schema letters;
create table letters.outbound_letter (
  id uuid primary key,
  org_id text not null,
  idempotency_key text not null,
  channel text not null,
  to_recipient text not null,
  payload_json jsonb not null,
  status text not null default 'QUEUED'
    check (status in ('QUEUED', 'SENDING', 'SENT', 'DELIVERED', 'FAILED', 'CANCELLED')),
  attempt_count integer not null default 0,
  max_attempts integer not null default 5,
  next_retry_at timestamptz not null default posthorn.now(),
  provider_message_id text,
  error_code text,
  error_message text,
  created_at timestamptz not null default now(),
  unique (org_id, idempotency_key)
);
${outboxTableSql(outboundLetters)}

create schema hooks;
create table hooks.deliveries (
  id uuid primary key,
  endpoint_id text not null,
  payload jsonb not null,
  status text not null default 'pending'
    check (status in ('pending', 'failed', 'delivered', 'abandoned', 'skipped_disabled')),
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default posthorn.now(),
  error text,
  created_at timestamptz not null default now()
);
${outboxTableSql(hookDeliveries)}

create schema clubs;
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
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
${outboxTableSql(clubEvents)}

create table clubs.logged_events (
  event_id uuid primary key,
  event_type text not null,
  event_version integer not null default 1,
  aggregate_type text not null,
  aggregate_id uuid not null,
  payload jsonb not null,
  status smallint not null default 0 check (status in (0, 1, 3, 4)),
  retry_count integer not null default 0,
  next_attempt_at timestamptz not null default posthorn.now(),
  error_message text,
  processed_at timestamptz,
  created_at timestamptz not null default now()
);
${outboxTableSql(logEvents)}
`
