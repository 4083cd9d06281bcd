import type { Limits } from '../../outbox/resolved-definition.ts'
import { sql, type Statement } from '../../database/sql-tag.ts'

/** What a claim asks for. */
export interface Asked {
  readonly outbox: string
  readonly limit: Limits
  /** Fresh for every claim. */
  readonly token: string
  readonly keys: readonly string[]
  readonly wanted: readonly number[]
  readonly leaseMs: number
}

/** A row for each key: how many may go now, and the milliseconds to wait where a rate is used up. */
export function takePermits({ outbox, limit, token, keys, wanted, leaseMs }: Asked): Statement {
  return sql`
    select key, granted, wait_ms
      from posthorn.take_permits(
        ${outbox}, ${keys}::text[], ${wanted}::int[], ${limit.atOnce ?? null}::int,
        ${limit.rate ?? null}::int, ${limit.perMs}::float8 * interval '1 ms', ${token}::uuid,
        ${leaseMs}::float8 * interval '1 ms')`
}

/** Gives back what was not used, as if it had never been taken. */
export function returnPermits(unused: {
  outbox: string
  token: string
  keys: readonly string[]
  counts: readonly number[]
}): Statement {
  return sql`
    with unused as (
      select * from unnest(${unused.keys}::text[], ${unused.counts}::int[]) as u (key, count)
    ),
    gone as (
      delete from posthorn.permit as p using unused
       where p.outbox = ${unused.outbox} and p.token = ${unused.token}::uuid
         and posthorn.key_digest(p.key) = posthorn.key_digest(unused.key) and p.key = unused.key and p.taken <= unused.count
    )
    update posthorn.permit as p set taken = p.taken - unused.count
      from unused
     where p.outbox = ${unused.outbox} and p.token = ${unused.token}::uuid
       and posthorn.key_digest(p.key) = posthorn.key_digest(unused.key) and p.key = unused.key and p.taken > unused.count`
}

export function renewPermits(held: {
  outbox: string
  token: string
  keys: readonly string[]
  leaseMs: number
}): Statement {
  return sql`
    update posthorn.permit
       set until = clock_timestamp() + ${held.leaseMs}::float8 * interval '1 ms'
     where outbox = ${held.outbox} and token = ${held.token}::uuid
       and posthorn.key_digest(key) = any(array(
             select posthorn.key_digest(k) from unnest(${held.keys}::text[]) as k))
       and key = any(${held.keys}::text[])`
}

/** The messages are settled: they are no longer under way, and go on to count for a rate. */
export function endPermits(held: {
  outbox: string
  token: string
  keys: readonly string[]
}): Statement {
  return sql`
    update posthorn.permit set until = null
     where outbox = ${held.outbox} and token = ${held.token}::uuid
       and posthorn.key_digest(key) = any(array(
             select posthorn.key_digest(k) from unnest(${held.keys}::text[]) as k))
       and key = any(${held.keys}::text[])`
}
