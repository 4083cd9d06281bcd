// What a run of one round delivers: the messages that are due when it begins.
import { waitsCondition } from '../../outbox/clauses.sql.ts'
import { writeOnce, type ResolvedDefinition } from '../../outbox/resolved-definition.ts'
import { prepare, type Prepared } from '../../database/prepared.ts'
import { undoneSql } from '../log/log-moves.sql.ts'

/** Ids of all messages that are due, in the table and in the log. */
function selectDue(definition: ResolvedDefinition): Prepared {
  const { table, log, columns } = definition
  const isDue = `${columns.dueAt} <= posthorn.now()`
  const inLog =
    log === undefined
      ? ''
      : `
 union all
select logged.id::text
  from (${undoneSql(definition, `m.${columns.id} as id, m.${columns.dueAt} as due_at`, '')}) as logged
 where logged.due_at <= posthorn.now()`
  return prepare(
    () => `select ${columns.id}::text as id
  from ${table}
 where ${waitsCondition(definition)} and ${isDue}${inLog}`,
  )
}

export const dueStatements = writeOnce((definition) => ({ selectDue: selectDue(definition) }))
