import type { ResolvedDefinition } from '../outbox/resolved-definition.ts'
import { waitsCondition } from './claim.ts'
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
  const { table, columns } = definition
  return prepare(
    (p) => `select state, count(*)::int as n, count(*) filter (where due)::int as due,
       coalesce(max(extract(epoch from posthorn.now() - due_at)) filter (where due), 0)::float8 as oldest_due
  from (select ${columns.status}::text as state, ${columns.dueAt} as due_at,
               ${waitsCondition(definition)} and ${columns.dueAt} <= (select posthorn.now()) as due
          from ${table}
         where ${columns.tenant}::text = ${p('tenant')}::text
         limit ${MOST_OF_TENANT + 1}) as found
 group by state`,
  )
}
