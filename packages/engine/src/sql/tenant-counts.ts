import type { ResolvedDefinition } from '../outbox/resolved-definition.ts'
import { waitsCondition } from './waiting.ts'
import { HAS_GONE, fromLog, loggedState } from './log-view.ts'
import { literal, prepare, type Prepared } from './prepared.ts'
import { triedCondition } from './stats.ts'

/** Rows of one tenant that are looked at, at the most. */
export const MOST_OF_TENANT = 10_000

export interface TenantCountRow {
  readonly state: string
  readonly n: number
  readonly due: number
  readonly retrying: number
  readonly scheduled: number
  readonly oldest_due: number
  readonly oldest: number | null
  readonly dead_since: Date | null
}

/** One tenant's messages by state, and what of them is due. */
export function countTenant(definition: ResolvedDefinition): Prepared {
  const { table, log, columns, states } = definition
  const written = columns.createdAt === undefined ? 'null' : `m.${columns.createdAt}`
  const isState = (state: string | number | undefined) =>
    state === undefined ? 'false' : `${columns.status} = ${literal(state)}`
  return prepare((p) => {
    const found = (from: string, { state, waits, tried, claimed, dead }: Signs) =>
      `select (${state})::text as state, m.${columns.dueAt} as due_at, ${written}::timestamptz as written,
               ${waits} as waits, m.${columns.dueAt} <= (select posthorn.now()) as due,
               (${tried}) as tried, ${claimed} as claimed, ${dead} as dead
          from ${from}
         where m.${columns.tenant}::text = ${p('tenant')}::text`
    const inTable = found(`${table} as m`, {
      state: `m.${columns.status}`,
      waits: waitsCondition(definition),
      tried: triedCondition(definition),
      claimed: isState(states.claimed),
      dead: isState(states.dead),
    })
    const logged = { state: loggedState(definition), waits: `not ${HAS_GONE}` }
    const inLog =
      log === undefined
        ? ''
        : `\n        union all\n        ${found(fromLog(definition), { ...logged, ...UNTRIED })}`
    return `select state, count(*)::int as n,
       count(*) filter (where waits and due)::int as due,
       count(*) filter (where waits and not due and tried)::int as retrying,
       count(*) filter (where waits and not due and not tried)::int as scheduled,
       coalesce(max(extract(epoch from posthorn.now() - due_at)) filter (where waits and due), 0)::float8 as oldest_due,
       extract(epoch from now() - min(written) filter (where claimed or waits and (due or tried)))::float8 as oldest,
       min(written) filter (where dead) as dead_since
  from (${inTable}${inLog}
         limit ${MOST_OF_TENANT + 1}) as found
 group by state`
  })
}

/** What is said of a row, as conditions. */
interface Signs {
  readonly state: string
  readonly waits: string
  readonly tried: string
  readonly claimed: string
  readonly dead: string
}

/** A message that was tried or claimed is no longer in the log. */
const UNTRIED = { tried: 'false', claimed: 'false', dead: 'false' }
