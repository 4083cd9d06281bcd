import { sql } from '../sql-tag.ts'
import type { Statement } from '../sql-tag.ts'

/** The channel all wake-ups go over: `ring <outbox>` or `arm <outbox>`, `*` for every outbox. */
export const WAKE_CHANNEL = 'posthorn_wake'

export const listenForWakes: Statement = sql`listen ${sql.id(WAKE_CHANNEL)}`

export function notifyWakes(payloads: readonly string[]): Statement {
  return sql`select pg_notify(${WAKE_CHANNEL}, payload) from unnest(${payloads}::text[]) as payload`
}
