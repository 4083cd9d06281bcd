import { sql, type Statement } from '../enqueue/sql-tag.ts'

/** Recurring messages of one outbox as its definition has them. */
export interface RecurringRules {
  readonly outbox: string
  readonly names: readonly string[]
  readonly rules: readonly string[]
}

export const selectBusinessNow: Statement = sql`select posthorn.now() as now`

/** Notes those that are new, and the rule of those that changed: the relay that starts last is right. */
export function registerRecurring({
  outbox,
  names,
  rules,
  nextAt,
}: RecurringRules & { nextAt: readonly Date[] }): Statement {
  return sql`
    insert into posthorn.recurring as r (outbox, name, rule, next_at)
    select ${outbox}::text, name, rule, next_at
      from unnest(${names}::text[], ${rules}::text[], ${nextAt}::timestamptz[]) as mine (name, rule, next_at)
    on conflict (outbox, name) do update
       set rule = excluded.rule, next_at = excluded.next_at, error = null
     where r.rule <> excluded.rule`
}

/** Those that no definition has any more; a relay that still has one of them notes it again. */
export function deleteOthers({ outbox, names }: Omit<RecurringRules, 'rules'>): Statement {
  return sql`
    delete from posthorn.recurring where outbox = ${outbox} and name <> all(${names}::text[])`
}

/**
 * Locks one that is due until its transaction ends; one that another relay has in hand is passed by.
 * A rule that is not ours belongs to a relay of another version, and is taken over once that has not
 * kept it for a minute.
 */
export function takeDueRecurring({ outbox, names, rules }: RecurringRules): Statement {
  return sql`
    select r.name, r.rule, r.next_at, posthorn.now() as now
      from posthorn.recurring as r
      join unnest(${names}::text[], ${rules}::text[]) as mine (name, rule) on mine.name = r.name
     where r.outbox = ${outbox}
       and r.next_at <= posthorn.now()
                        - case when r.rule = mine.rule then interval '0' else interval '1 minute' end
     order by r.next_at
     limit 1
       for update of r skip locked`
}

/** Moves one on that is locked, in the transaction that enqueued what was due of it. */
export function moveRecurring(moved: {
  outbox: string
  name: string
  rule: string
  nextAt: Date | undefined
  lastAt: Date | undefined
  lastMessage: string | undefined
  enqueued: number
}): Statement {
  return sql`
    update posthorn.recurring
       set rule = ${moved.rule},
           next_at = ${moved.nextAt ?? null},
           last_at = coalesce(${moved.lastAt ?? null}, last_at),
           last_message = coalesce(${moved.lastMessage ?? null}, last_message),
           enqueued = enqueued + ${moved.enqueued}::int,
           error = null
     where outbox = ${moved.outbox} and name = ${moved.name}`
}

export function noteRecurringError(failed: {
  outbox: string
  name: string
  error: string
}): Statement {
  return sql`
    update posthorn.recurring set error = ${failed.error}
     where outbox = ${failed.outbox} and name = ${failed.name}`
}

/** How long until each is due. */
export function selectNextRecurring({
  outbox,
  names,
}: Pick<RecurringRules, 'outbox' | 'names'>): Statement {
  return sql`
    select name, (extract(epoch from next_at - posthorn.now()) * 1000)::float8 as ms
      from posthorn.recurring
     where outbox = ${outbox} and name = any(${names}::text[])`
}

export const selectRecurring: Statement = sql`
  select outbox, name, rule, next_at, last_at, last_message, enqueued::float8 as enqueued, error,
         coalesce(next_at < posthorn.now() - interval '1 minute', false) as overdue
    from posthorn.recurring
   order by outbox, name`
