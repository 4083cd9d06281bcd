import { sql, type Statement } from '../database/sql-tag.ts'

/** Who pauses or resumes which outbox, and why. */
export interface Switch {
  readonly outbox: string
  readonly by: string
  readonly reason: string | undefined
}

/** Both statements leave their trace in the audit only if they changed something. */
export function insertPause({ outbox, by, reason }: Switch): Statement {
  return sql`
    with paused as (
      insert into posthorn.pause (outbox, paused_by, reason)
      values (${outbox}, ${by}, ${reason ?? null})
      on conflict (outbox) do nothing
      returning outbox
    )
    insert into posthorn.operation (operation, outbox, subject, actor, reason)
    select 'pause', outbox, outbox, ${by}, ${reason ?? null} from paused`
}

export function deletePause({ outbox, by, reason }: Switch): Statement {
  return sql`
    with resumed as (
      delete from posthorn.pause where outbox = ${outbox} returning outbox
    )
    insert into posthorn.operation (operation, outbox, subject, actor, reason)
    select 'resume', outbox, outbox, ${by}, ${reason ?? null} from resumed`
}

export const selectPauses: Statement = sql`
  select outbox, paused_at, paused_by, reason from posthorn.pause order by outbox`

export function selectHeldKeys(outbox: string, limit: number): Statement {
  return sql`
    select key, due_at, held_by, held_at
      from posthorn.held_key
     where outbox = ${outbox}
     order by due_at is not null, due_at, held_at, key
     limit ${limit}`
}
