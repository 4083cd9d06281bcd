import { sql, type Statement } from '../database/sql-tag.ts'
import { storableJson } from '../storable.ts'
import type { OpenBreaker } from './attempt/breaker.ts'
import type { Counts } from './attempt/counts.ts'

/** What the database's clocks say, in milliseconds: the real one, and how far the business one is ahead. */
export interface DatabaseClocks {
  readonly real_ms: number
  readonly ahead_ms: number
}

/** Says that a relay is alive and adds what it did since it last said so. Real time. */
export function beat(relay: {
  relay: string
  outbox: string
  version?: string | undefined
  delivered: number
  failed: number
  dead: number
  lost: number
  latency?: Counts
  codes?: Counts
  answered?: Counts
  unanswered?: Counts
  breakers?: readonly OpenBreaker[]
}): Statement {
  const breakers = storableJson(relay.breakers ?? [])
  const { latency, codes, answered, unanswered } = relay
  const did = [answered, unanswered].some((counts) => Object.keys(counts ?? {}).length > 0)
  return sql`
    with alive as (
      insert into posthorn.relay (relay, outbox, breakers, version)
      values (${relay.relay}, ${relay.outbox}, ${breakers}::jsonb, ${relay.version ?? null}::text)
      on conflict (relay, outbox) do update
         set seen_at = now(), breakers = excluded.breakers, version = excluded.version
      returning relay, version, xmax = 0 as is_new
    ),
    started as (
      insert into posthorn.relay_start (relay, version)
      select relay, version from alive where is_new
      on conflict do nothing
    ),
    counted as (
      insert into posthorn.pulse (outbox, relay, at, delivered, failed, dead, lost,
                                  latency, codes, answered, unanswered)
      select ${relay.outbox}, ${relay.relay}, date_trunc('minute', now()),
             ${relay.delivered}::bigint, ${relay.failed}::bigint, ${relay.dead}::bigint, ${relay.lost}::bigint,
             ${jsonOf(latency)}::jsonb, ${jsonOf(codes)}::jsonb, ${jsonOf(answered)}::jsonb, ${jsonOf(unanswered)}::jsonb
       where ${did}::boolean or ${relay.delivered + relay.failed + relay.dead + relay.lost}::bigint > 0
      on conflict (outbox, at, relay) do update
         set delivered = pulse.delivered + excluded.delivered,
             failed = pulse.failed + excluded.failed,
             dead = pulse.dead + excluded.dead,
             lost = pulse.lost + excluded.lost,
             latency = posthorn.add_counts(pulse.latency, excluded.latency),
             codes = posthorn.add_counts(pulse.codes, excluded.codes),
             answered = posthorn.add_counts(pulse.answered, excluded.answered),
             unanswered = posthorn.add_counts(pulse.unanswered, excluded.unanswered)
    )
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as real_ms,
           (extract(epoch from posthorn.now() - statement_timestamp()) * 1000)::float8 as ahead_ms`
}

function jsonOf(counts: Counts | undefined): string | null {
  return counts === undefined || Object.keys(counts).length === 0 ? null : storableJson(counts)
}

/** A relay that stops says so, and old traces of dead ones go with it. */
export function leave(relay: string): Statement {
  return sql`
    with gone as (
      delete from posthorn.relay where relay = ${relay} or seen_at < now() - interval '1 hour'
    )
    delete from posthorn.pulse where at < now() - interval '7 days'`
}
