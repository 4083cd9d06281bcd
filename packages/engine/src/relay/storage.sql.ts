// Changing how an outbox is kept. Each runs in the transaction that notes the new storage in posthorn.outbox.
import { anyOf, literal, waitsCondition } from '../outbox/clauses.sql.ts'
import { storageOf, type ResolvedDefinition, type Storage } from '../outbox/resolved-definition.ts'
import { makeRedirect } from '../outbox/table.sql.ts'
import { beside, spell } from '../database/sql-names.ts'
import { sql, type Statement } from '../database/sql-tag.ts'
import { undoneSql } from './log/log-moves.sql.ts'
import { NOTHING_IN_FLIGHT } from './settle/bucket.sql.ts'

/** One relay after the other looks who else is there. */
export function lockStorage({ template }: ResolvedDefinition): Statement {
  return sql`select pg_advisory_xact_lock(hashtextextended('posthorn storage ' || ${template}, 0))`
}

/** Sessions whose time is over. */
export const endPast: Statement = sql`
    update posthorn.session set until = null
     where id in (select id from posthorn.session where until < now() for update skip locked)`

export interface OtherStorage {
  readonly relay: string
  readonly name: string
  readonly storage: Storage
  /** Until it is taken for gone, if it is not heard of again. */
  readonly seconds: number
}

/** Another relay that is alive and keeps the messages of the same table another way. */
export function selectOthers(definition: ResolvedDefinition, session: string): Statement {
  return sql`
    select s.relay, o.name, o.storage, ceil(extract(epoch from s.until - now()))::int as seconds
      from posthorn.outbox as o
      join posthorn.session as s on o.name = any(s.outboxes)
     where o.table_name = ${definition.template} and o.storage <> ${storageOf(definition)}
       and s.id <> ${session} and s.until is not null
     order by s.until desc
     limit 1`
}

export interface KnownStorage {
  readonly storage: Storage
  /** The log that there is, whatever the storage, and its exceptions. */
  readonly log: string | null
  readonly exceptions: string | null
  /** Where the trigger is on that lets messages go on from there. */
  readonly redirecting: readonly string[]
}

export function selectStorage({ name, template }: ResolvedDefinition): Statement {
  const [log, exceptions] = [beside(template, '_log'), beside(template, '_exceptions')]
  return sql`
    select storage, case when to_regclass(${log}) is not null then ${log}::text end as log,
           case when to_regclass(${exceptions}) is not null then ${exceptions}::text end as exceptions,
           array(select place
                   from unnest(array[${template}, ${log}]::text[]) as place
                   join pg_trigger on tgrelid = to_regclass(place)
                  where tgname = 'posthorn_redirect' and tgenabled <> 'D') as redirecting
      from posthorn.outbox
     where name = ${name} and table_name = ${template}`
}

export function updateStorage(definition: ResolvedDefinition): Statement {
  const { name, log } = definition
  return sql`
    update posthorn.outbox set storage = ${storageOf(definition)}, log_name = ${log ?? null}
     where name = ${name}`
}

/** Keeps writers out, and waits for those that are open. In the order in which they are redirected. */
export function lockWriters(tables: readonly string[]): Statement {
  return { text: `lock table ${tables.join(', ')} in share row exclusive mode`, values: [] }
}

/** Whoever had a bucket is gone, and no place in the table says anything of another. */
export function resetBuckets({ name }: ResolvedDefinition): Statement {
  return {
    text: `update posthorn.bucket
   set run = run + 1, token = null, session = null, log_upto = null, floor = 0, ${NOTHING_IN_FLIGHT}
 where outbox = '${name}'`,
    values: [],
  }
}

/** By row no key waits, so that none is left that would. */
export function forgetKeys({ name }: ResolvedDefinition): Statement {
  return sql`delete from posthorn.held_key where outbox = ${name}`
}

/** What was held before goes in its order, and what a relay that is gone had claimed by a state of its own. */
export function releaseRows(definition: ResolvedDefinition): Statement {
  const { template, columns, states } = definition
  const known = Object.values(states).filter((state) => state !== undefined)
  const claimed = `claim_token is not null and not (${anyOf(columns.status, known)})`
  return {
    text: `update ${template}
   set held = false, ${columns.status} = case when ${claimed} then ${literal(states.ready)} else ${columns.status} end
 where (held and ${waitsCondition(definition)}) or (${claimed})`,
    values: [],
  }
}

/** What had left the log before goes first, in its order. */
export function drainExceptions(
  { template }: ResolvedDefinition,
  { exceptions, names }: { exceptions: string; names: readonly string[] },
): Statement {
  const columns = names.map(spell).join(', ')
  return {
    text: `with gone as (
  delete from ${exceptions} returning *
)
insert into ${template} (${columns})
select ${columns} from gone order by seq`,
    values: [],
  }
}

/** What waits in the log goes behind, and behind what waits of its key. */
export function drainLog(
  definition: ResolvedDefinition,
  { log, names }: { log: string; names: readonly string[] },
): Statement {
  const { name, template, columns, states, order } = definition
  const spelled = names.map(spell)
  const valueOf = (column: string) => {
    if (column === columns.status)
      return `case when true then ${literal(states.ready)} else ${column} end`
    if (column !== 'held' || !order) return column
    return `exists (select from posthorn.held_key as h where h.outbox = '${name}' and h.key = gone.${order.key}::text)`
  }
  const undone = undoneSql({ ...definition, log } as ResolvedDefinition, 'm.bucket, m.seq', '')
  return {
    text: `with undone as materialized (
  ${undone}
),
gone as (
  delete from ${log} as m
   using undone
   where m.bucket = undone.bucket and m.seq = undone.seq
  returning m.*
)
insert into ${template} (${spelled.join(', ')})
select ${spelled.map(valueOf).join(', ')} from gone order by gone.seq`,
    values: [],
  }
}

/**
 * Lets what is written in one place go on to the other, and no longer the other way round. Only its owner may
 * touch a trigger: nothing is done where it is as it has to be.
 */
export function redirectWriters(
  name: string,
  { from, to, redirecting }: { from: string; to: string; redirecting: readonly string[] },
): Statement[] {
  const texts: string[] = []
  if (!redirecting.includes(from)) {
    texts.push(makeRedirect(name, from), `alter table ${from} enable trigger posthorn_redirect`)
  }
  // Not dropped: that would wait for readers too.
  if (redirecting.includes(to)) texts.push(`alter table ${to} disable trigger posthorn_redirect`)
  return texts.map((text) => ({ text, values: [] }))
}
