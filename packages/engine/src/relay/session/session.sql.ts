import { sql, type Statement } from '../../database/sql-tag.ts'
import { storableJson } from '../../storable.ts'
import type { OpenBreaker } from '../attempt/breaker.ts'
import type { Counts } from '../attempt/counts.ts'

/** What a relay did for one outbox since it last said so. */
export interface Pulse {
  readonly delivered: number
  readonly failed: number
  readonly postponed?: number
  readonly dead: number
  readonly lost: number
  readonly latency?: Counts
  readonly codes?: Counts
  readonly answered?: Counts
  readonly unanswered?: Counts
}

/** By outbox. */
export type Breakers = Readonly<Record<string, readonly OpenBreaker[]>>

/** How fast a relay works on one outbox. */
export interface PaceFigures {
  /** Messages settled in the last minute. */
  readonly settled: number
  /** Messages claimed and not settled. */
  readonly inFlight: number
  /** 95 % of the last minute's claims took no longer; undefined without a claim. */
  readonly claimMs?: number
  /** The same of what settles messages. */
  readonly settleMs?: number
}

/** By outbox: those that have work, or had some in the last minute. */
export type Paces = Readonly<Record<string, PaceFigures>>

export interface Beat {
  /** False where another relay has ended the session: its buckets may be others' by now. */
  readonly alive: boolean
  /** Changes whenever a relay begins or ends, or begins to run another outbox. */
  readonly peers: string | null
  /** Sessions that this beat ended. */
  readonly ended: number
  /** Until the next session ends unless its relay says that it is alive. */
  readonly next_ms: number | null
  /** What the database's clocks say: the real one, and how far the business one is ahead. */
  readonly real_ms: number
  readonly ahead_ms: number
}

/**
 * Begins a session. Its random id never comes again, whatever a failover forgets; only a try whose answer
 * was lost is repeated with it. If that session was ended meanwhile, the next heartbeat finds out.
 */
export function beginSession(session: {
  id: string
  relay: string
  version: string | undefined
  outboxes: readonly string[]
  leaseMs: number
}): Statement {
  const version = session.version ?? null
  return sql`
    with started as (
      insert into posthorn.relay_start (relay, version)
      values (${session.relay}, ${version}::text)
      on conflict do nothing
    )
    insert into posthorn.session (id, relay, version, outboxes, until)
    values (${session.id}, ${session.relay}, ${version}::text, ${session.outboxes}::text[],
            now() + ${session.leaseMs} * interval '1 ms')
    on conflict (id) do update
       set outboxes = excluded.outboxes, until = excluded.until
     where session.until is not null`
}

/** Says which outboxes a relay runs. */
export function updateOutboxes(id: string, outboxes: readonly string[]): Statement {
  return sql`update posthorn.session set outboxes = ${outboxes}::text[] where id = ${id}`
}

/** A relay that stops says so: all that it has is free at once. */
export function endSession(id: string): Statement {
  return sql`delete from posthorn.session where id = ${id}`
}

/**
 * One heartbeat for all that a process has, by real time. It ends the sessions whose time is over: whichever
 * beat has a row's lock first decides, so that a session is never both ended and alive. What was counted and
 * the breakers are written only where there is something.
 */
export function beat({
  id,
  relay,
  leaseMs,
  pulses,
  breakers,
  pace,
  lagMs = 0,
}: {
  id: string
  relay: string
  leaseMs: number
  pulses: ReadonlyMap<string, Pulse>
  breakers: Breakers | undefined
  pace?: Paces | undefined
  lagMs?: number
}): Statement {
  const counted = [...pulses].map(([outbox, pulse]) => ({ outbox, ...pulse }))
  return sql`
    with mine as (
      update posthorn.session
         set seen_at = now(), until = now() + ${leaseMs} * interval '1 ms',
             breakers = coalesce(${breakers ? storableJson(breakers) : null}::jsonb, breakers),
             pace = coalesce(${pace ? storableJson(pace) : null}::jsonb, pace), lag_ms = ${lagMs}::int
       where id = ${id} and until is not null
      returning id
    ),
    over as (
      select id from posthorn.session where until < now() and id <> ${id} for update skip locked
    ),
    ended as (
      update posthorn.session set until = null where id in (select id from over) returning id
    ),
    counted as (
      insert into posthorn.pulse (outbox, relay, at, delivered, failed, postponed, dead, lost,
                                  latency, codes, answered, unanswered)
      select outbox, ${relay}, date_trunc('minute', now()), delivered, failed,
             coalesce(postponed, 0), dead, lost,
             latency, codes, answered, unanswered
        from jsonb_to_recordset(${counted.length > 0 ? storableJson(counted) : '[]'}::jsonb)
          as p (outbox text, delivered bigint, failed bigint, postponed bigint, dead bigint, lost bigint,
                latency jsonb, codes jsonb, answered jsonb, unanswered jsonb)
      on conflict (outbox, at, relay) do update
         set delivered = pulse.delivered + excluded.delivered,
             failed = pulse.failed + excluded.failed,
             postponed = pulse.postponed + excluded.postponed,
             dead = pulse.dead + excluded.dead,
             lost = pulse.lost + excluded.lost,
             latency = posthorn.add_counts(pulse.latency, excluded.latency),
             codes = posthorn.add_counts(pulse.codes, excluded.codes),
             answered = posthorn.add_counts(pulse.answered, excluded.answered),
             unanswered = posthorn.add_counts(pulse.unanswered, excluded.unanswered)
    )
    select exists (select from mine) as alive,
           (select count(*)::int from ended) as ended,
           others.peers, others.next_ms,
           (extract(epoch from clock_timestamp()) * 1000)::float8 as real_ms,
           (extract(epoch from posthorn.now() - statement_timestamp()) * 1000)::float8 as ahead_ms
      from (select md5(string_agg(id::text || outboxes::text, ' ' order by id)) as peers,
                   (extract(epoch from min(until) - now()) * 1000)::float8 as next_ms
              from posthorn.session
             where until is not null and id <> ${id} and id not in (select id from ended)) as others`
}

export interface Share {
  /** Other relays that run the outbox, and how many of them come before this one. */
  readonly others: number
  readonly rank: number
  /** How the outbox is kept, if any relay has said so. */
  readonly storage: string | null
}

export function selectShare(id: string, outbox: string): Statement {
  return sql`
    select count(*)::int as others, count(*) filter (where id < ${id})::int as rank,
           (select storage from posthorn.outbox where name = ${outbox}) as storage
      from posthorn.session
     where until is not null and id <> ${id} and outboxes @> array[${outbox}::text]`
}
