import { sql, type Statement } from '../enqueue/sql-tag.ts'

/**
 * Notes that a handler has done a message; gives a row if it had not. A second one at the same time
 * waits for the first to end, and goes on if that one rolled back.
 */
export function noteHandled(outbox: string, id: string): Statement {
  return sql`
    insert into posthorn.handled (outbox, message_id)
    values (${outbox}, ${id})
    on conflict do nothing
    returning 1`
}

/** Forgets what was handled so long ago that no relay can have it in hand still. */
export const pruneHandled: Statement = sql`
  delete from posthorn.handled where handled_at < now() - interval '30 days'`
