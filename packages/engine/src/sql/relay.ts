import { sql, type Statement } from '../enqueue/sql-tag.ts'

/** A destination that a relay does not try at the moment, and for how long it has been so. */
export interface OpenBreaker {
  readonly destination: string
  readonly openMs: number
}

/** Says that a relay is alive and adds what it did since it last said so. Real time. */
export function beat(relay: {
  relay: string
  outbox: string
  delivered: number
  failed: number
  dead: number
  lost: number
  breakers?: readonly OpenBreaker[]
}): Statement {
  const breakers = JSON.stringify(relay.breakers ?? [])
  return sql`
    with alive as (
      insert into posthorn.relay (relay, outbox, breakers)
      values (${relay.relay}, ${relay.outbox}, ${breakers}::jsonb)
      on conflict (relay, outbox) do update set seen_at = now(), breakers = excluded.breakers
    )
    insert into posthorn.pulse (outbox, relay, at, delivered, failed, dead, lost)
    select ${relay.outbox}, ${relay.relay}, date_trunc('minute', now()),
           ${relay.delivered}::bigint, ${relay.failed}::bigint, ${relay.dead}::bigint, ${relay.lost}::bigint
     where ${relay.delivered + relay.failed + relay.dead + relay.lost}::bigint > 0
    on conflict (outbox, at, relay) do update
       set delivered = pulse.delivered + excluded.delivered,
           failed = pulse.failed + excluded.failed,
           dead = pulse.dead + excluded.dead,
           lost = pulse.lost + excluded.lost`
}

/**
 * How many other relays of an outbox were heard of within the last `withinMs`, and how many of them
 * come before this one.
 */
export function rankOfRelay({
  relay,
  outbox,
  withinMs,
}: {
  relay: string
  outbox: string
  withinMs: number
}): Statement {
  return sql`
    select count(*)::int as others, count(*) filter (where relay < ${relay})::int as rank
      from posthorn.relay
     where outbox = ${outbox} and relay <> ${relay}
       and seen_at > now() - ${withinMs} * interval '1 ms'`
}

/** A relay that stops says so, and old traces of dead ones go with it. */
export function leave(relay: string): Statement {
  return sql`
    with gone as (
      delete from posthorn.relay where relay = ${relay} or seen_at < now() - interval '1 hour'
    )
    delete from posthorn.pulse where at < now() - interval '7 days'`
}
