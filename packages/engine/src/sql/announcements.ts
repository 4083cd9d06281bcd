import { sql, type Statement } from '../enqueue/sql-tag.ts'

/** The channel of all announcements, each a JSON object. */
const ANNOUNCEMENT_CHANNEL = 'posthorn_news'

export const listenForNews: Statement = sql`listen ${sql.id(ANNOUNCEMENT_CHANNEL)}`

export function notifyNews(payload: string): Statement {
  return sql`select pg_notify(${ANNOUNCEMENT_CHANNEL}, ${payload}::text)`
}
