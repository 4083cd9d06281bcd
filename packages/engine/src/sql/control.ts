import { sql } from '../sql-tag.ts'
import type { Statement } from '../sql-tag.ts'

export function insertPause(pause: {
  outbox: string
  by: string
  reason: string | undefined
}): Statement {
  return sql`
    insert into posthorn.pause (outbox, paused_by, reason)
    values (${pause.outbox}, ${pause.by}, ${pause.reason ?? null})
    on conflict (outbox) do nothing`
}

export function deletePause(outbox: string): Statement {
  return sql`delete from posthorn.pause where outbox = ${outbox}`
}

export const selectPauses: Statement = sql`
  select outbox, paused_at, paused_by, reason from posthorn.pause order by outbox`
