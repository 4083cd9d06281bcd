import type { Ring } from './bell.ts'
import { sql, type Statement } from './sql-tag.ts'

/** The channel all wake-ups go over: `ring <outbox>` or `arm <outbox>`, `*` for every outbox. */
export const WAKE_CHANNEL = 'posthorn_wake'

export const listenForWakes: Statement = sql`listen ${sql.id(WAKE_CHANNEL)}`

export function notifyWakes(payloads: readonly string[]): Statement {
  return sql`select pg_notify(${WAKE_CHANNEL}, payload) from unnest(${payloads}::text[]) as payload`
}

/** What a wake-up says; undefined for any other notification of the channel. */
export function wakeIn(payload: string): { ring: Ring; outbox: string } | undefined {
  const [, ring, outbox] = /^(ring|arm) (.+)$/.exec(payload) ?? []
  return ring === undefined || outbox === undefined ? undefined : { ring: ring as Ring, outbox }
}
