import { sql, type Statement } from '@posthorn/engine'
import { prepare, type Prepared } from '@posthorn/engine/internal'

/**
 * What leaves one table, or is overwritten in it. Expressions are SQL about the row `t`; they are
 * part of the statement's text, as the states of an outbox are.
 */
export interface RetentionRule {
  /** With its schema. */
  readonly table: string
  /** The columns that name a row. */
  readonly key: readonly string[]
  /** From when on the time runs; null while it does not. */
  readonly dated: string
  /** Which rows may go: those that are over, and that nothing else needs. Default all. */
  readonly when?: string
  /** Whose row it is; left out where rows are the platform's. */
  readonly org?: string
  /**
   * A column of UUIDv7 that leads an index, made no later than `dated`: old rows are found by it,
   * without an index of their own.
   */
  readonly uuid?: string
  /** The same for an indexed column of times that are never later than `dated`. */
  readonly since?: string
  /** Another indexed column by whose order old rows come first. */
  readonly ordered?: string
  /** Which things the row belongs to, by kind: a legal hold on one of them keeps the row. */
  readonly things?: Readonly<Record<string, string>>
  /** Columns that are overwritten, with their new values; left out where the row is removed. */
  readonly set?: Readonly<Record<string, string>>
  /** Of an audit: rows go by `posthorn.remove_audit`, under which its seals still hold. */
  readonly audit?: true
}

/** True of rows that a legal hold keeps; never true of the platform's own. */
export function heldCondition({ org, things = {} }: Pick<RetentionRule, 'org' | 'things'>): string {
  if (org === undefined) return 'false'
  const kinds = Object.entries(things).map(
    ([kind, thing]) => ` or hold.kind = '${kind}' and hold.subject = (${thing})::text`,
  )
  return `exists (
           select from posthorn.legal_hold as hold
            where hold.released_at is null and hold.tenant = ${org}
              and (hold.kind = 'organisation'${kinds.join('')}))`
}

/** The column by which old rows come first. */
function orderOf({ uuid, since, ordered = uuid ?? since }: RetentionRule): string | undefined {
  return ordered
}

/** A time before which a row may go, by the time that its organisation has set, or else `keep`. */
function dueCondition(rule: RetentionRule, p: (name: string) => string) {
  const { dated, when, org, uuid, since } = rule
  const keep =
    org === undefined
      ? `${p('keepMs')}::float8`
      : `coalesce((${p('keeps')}::jsonb ->> (${org}))::float8, ${p('keepMs')}::float8)`
  const before = (ms: string) => `posthorn.now() - ${ms} * interval '1 ms'`
  // The lowest UUIDv7 of the moment before which no organisation's rows are kept any more.
  const lowest =
    () => `(lpad(to_hex(greatest(extract(epoch from ${before(`${p('shortestMs')}::float8`)}) * 1000, 0)::bigint), 12, '0')
           || repeat('0', 20))::uuid`
  return [
    ...(uuid === undefined ? [] : [`t.${uuid} < ${lowest()}`]),
    ...(since === undefined ? [] : [`t.${since} < ${before(`${p('shortestMs')}::float8`)}`]),
    `(${dated}) < ${before(keep)}`,
    ...(when === undefined ? [] : [`(${when})`]),
  ].join('\n     and ')
}

/**
 * Takes a batch of rows that are past their time out of their table, or overwrites them. Locked rows
 * are skipped, so that two at once share the work; a row that changed meanwhile is looked at anew.
 */
export function removeDue(rule: RetentionRule): Prepared {
  const { table, key, set, audit } = rule
  const ordered = orderOf(rule)
  const due = (p: (name: string) => string) => `with due as (
  select ${key.map((column) => `t.${column}`).join(', ')}
    from ${table} as t
   where ${dueCondition(rule, p)}
     and not ${heldCondition(rule)}${ordered === undefined ? '' : `\n   order by t.${ordered}`}
   limit ${p('batch')}${audit ? '' : '\n     for update of t skip locked'}
)`
  // Rows of an audit are not locked: that takes the right to update them, which roles do not have.
  // Of two that remove the same ones, the second finds them gone.
  if (audit) {
    return prepare(
      (p) => `${due(p)}
select posthorn.remove_audit('${table}', array_agg(due.${key[0]}), 'RETENTION', 'past its time') as count
  from due
having count(*) > 0`,
    )
  }
  const own = key.map((column) => `t.${column} = due.${column}`).join(' and ')
  const change = set
    ? `update ${table} as t
     set ${Object.entries(set)
       .map(([column, value]) => `${column} = ${value}`)
       .join(', ')}
    from due
   where ${own}`
    : `delete from ${table} as t
   using due
   where ${own}`
  return prepare(
    (p) => `${due(p)},
changed as (
  ${change}
  returning 1
)
select count(*)::int as count from changed`,
  )
}

/** How many rows of an organisation, or of all, are past their time and not held; up to a limit. */
export function countDue(rule: RetentionRule): Prepared {
  return prepare(
    (p) => `select count(*)::int as count
  from (select
          from ${rule.table} as t
         where ${dueCondition(rule, p)}
           and not ${heldCondition(rule)}
           and (${p('tenant')}::text is null or ${rule.org ?? 'null'} = ${p('tenant')})
         limit ${p('limit')}) as counted`,
  )
}

/** The date of the oldest row there is, of an organisation or of all. */
export function selectOldest(rule: RetentionRule): Prepared {
  const { table, dated, when, org } = rule
  const ordered = orderOf(rule)
  const first = ordered === undefined ? dated : `t.${ordered}`
  return prepare(
    (p) => `select (${dated}) as at
  from ${table} as t
 where (${dated}) is not null${when === undefined ? '' : `\n   and (${when})`}
   and (${p('tenant')}::text is null or ${org ?? 'null'} = ${p('tenant')})
 order by ${first}
 limit 1`,
  )
}

export interface RetentionSetting {
  readonly class: string
  /** Empty: of all organisations that have none of their own. */
  readonly tenant: string
  readonly keep_ms: number
  readonly set_by: string
  readonly set_at: Date
}

export const selectSettings: Statement = sql`
  select class, tenant, (extract(epoch from keep) * 1000)::float8 as keep_ms, set_by, set_at
    from posthorn.retention`

/** Sets a time, with its trace in the audit. */
export function upsertSetting(setting: {
  class: string
  tenant: string
  keepMs: number
  by: string
}): Statement {
  const { class: name, tenant, keepMs, by } = setting
  return sql`
    with set_now as (
      insert into posthorn.retention (class, tenant, keep, set_by)
      values (${name}, ${tenant}, ${keepMs}::float8 * interval '1 ms', ${by})
          on conflict (class, tenant)
          do update set keep = excluded.keep, set_by = excluded.set_by, set_at = now()
      returning keep
    )
    insert into posthorn.operation (operation, subject, tenant, actor, reason)
    select 'set retention', ${name}, nullif(${tenant}, ''), ${by}, 'kept for ' || keep from set_now`
}

/** Goes back to the time that holds without a setting. */
export function deleteSetting(setting: { class: string; tenant: string; by: string }): Statement {
  const { class: name, tenant, by } = setting
  return sql`
    with gone as (
      delete from posthorn.retention where class = ${name} and tenant = ${tenant} returning class
    )
    insert into posthorn.operation (operation, subject, tenant, actor, reason)
    select 'set retention', class, nullif(${tenant}, ''), ${by}, 'as by default' from gone`
}

export const selectRuns: Statement = sql`
  select class, started_at, ended_at, complete_at, removed::float8 as removed,
         last_removed::float8 as last_removed, oldest_at, error
    from posthorn.retention_run`

export function beginRun(name: string): Statement {
  return sql`
    insert into posthorn.retention_run (class) values (${name})
        on conflict (class) do update set started_at = now()`
}

export function endRun(run: {
  class: string
  removed: number
  isComplete: boolean
  oldest: Date | null
  error: string | null
}): Statement {
  return sql`
    update posthorn.retention_run
       set ended_at = now(), removed = removed + ${run.removed}, last_removed = ${run.removed},
           oldest_at = ${run.oldest}, error = ${run.error},
           complete_at = case when ${run.isComplete} then now() else complete_at end
     where class = ${run.class}`
}

/** A look for people: what takes longer is left out. */
export const limitLook: Statement = sql`set local statement_timeout = '2s'`

/** Retention waits for nothing and holds nothing up. */
export const limitBatch: Statement[] = [
  sql`set local lock_timeout = '1s'`,
  sql`set local statement_timeout = '30s'`,
]
