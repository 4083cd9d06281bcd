import type { ResolvedDefinition } from '../outbox/resolved-definition.ts'
import { waitsCondition } from './waiting.ts'
import { HAS_GONE, fromLog, loggedState } from './log-view.ts'
import { prepare, type Prepared } from './prepared.ts'

/** Rows of one tenant that are looked at, at the most. */
export const MOST_OF_TENANT = 10_000

export interface TenantCountRow {
  readonly state: string
  readonly n: number
  readonly due: number
  readonly oldest_due: number
}

/** One tenant's messages by state, and what of them is due. */
export function countTenant(definition: ResolvedDefinition): Prepared {
  const { table, log, columns } = definition
  const dueNow = `m.${columns.dueAt} <= (select posthorn.now())`
  return prepare((p) => {
    const found = (from: string, state: string, waits: string) =>
      `select (${state})::text as state, m.${columns.dueAt} as due_at, ${waits} and ${dueNow} as due
          from ${from}
         where m.${columns.tenant}::text = ${p('tenant')}::text`
    const inLog =
      log === undefined
        ? ''
        : `\n        union all\n        ${found(fromLog(definition), loggedState(definition), `not ${HAS_GONE}`)}`
    return `select state, count(*)::int as n, count(*) filter (where due)::int as due,
       coalesce(max(extract(epoch from posthorn.now() - due_at)) filter (where due), 0)::float8 as oldest_due
  from (${found(`${table} as m`, `m.${columns.status}`, waitsCondition(definition))}${inLog}
         limit ${MOST_OF_TENANT + 1}) as found
 group by state`
  })
}
