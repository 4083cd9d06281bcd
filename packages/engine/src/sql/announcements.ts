import { sql } from '../enqueue/sql-tag.ts'
import type { Statement } from '../enqueue/sql-tag.ts'

/** The channel all news go over, each a JSON object. */
const NEWS_CHANNEL = 'posthorn_news'

export const listenForNews: Statement = sql`listen ${sql.id(NEWS_CHANNEL)}`

export function notifyNews(payload: string): Statement {
  return sql`select pg_notify(${NEWS_CHANNEL}, ${payload}::text)`
}
