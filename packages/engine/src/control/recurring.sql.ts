import { sql, type Statement } from '../database/sql-tag.ts'

/** Recurring messages of one outbox as its definition has them. */
export interface RecurringRules {
  readonly outbox: string
  readonly names: readonly string[]
  readonly rules: readonly string[]
}

/** One of them. */
export interface RecurringName {
  readonly outbox: string
  readonly name: string
}

export const selectBusinessNow: Statement = sql`select posthorn.now() as now`

/** Notes those that are new, and the rule of those that changed: the relay that starts last is right. */
export function registerRecurring({
  outbox,
  names,
  rules,
  nextAt,
  missed,
}: RecurringRules & { nextAt: readonly Date[]; missed: readonly string[] }): Statement {
  return sql`
    insert into posthorn.recurring as r (outbox, name, rule, next_at, missed)
    select ${outbox}::text, name, rule, next_at, missed
      from unnest(${names}::text[], ${rules}::text[], ${nextAt}::timestamptz[], ${missed}::text[])
        as mine (name, rule, next_at, missed)
    on conflict (outbox, name) do update
       set rule = excluded.rule,
           next_at = case when r.rule = excluded.rule then r.next_at else excluded.next_at end,
           error = case when r.rule = excluded.rule then r.error end,
           missed = excluded.missed,
           seen_at = now()
     where r.rule <> excluded.rule or r.missed is distinct from excluded.missed`
}

/**
 * Those that no definition has any more: no relay that has them has looked for ten minutes. Sooner, a relay
 * of another version would take their times from those that have them. What is paused stays: noted again by
 * a relay of another version, it would go on by itself.
 */
export function deleteOthers(
  outboxes: readonly { readonly name: string; readonly recurring: object }[],
): Statement {
  const known = outboxes.flatMap(({ name, recurring }) =>
    Object.keys(recurring).map((rule) => ({ outbox: name, name: rule })),
  )
  return sql`
    delete from posthorn.recurring
     where outbox = any(${outboxes.map(({ name }) => name)}::text[])
       and (outbox, name) not in (select * from unnest(${known.map(({ outbox }) => outbox)}::text[],
                                                       ${known.map(({ name }) => name)}::text[]))
       and paused_at is null and seen_at < now() - interval '10 minutes'`
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
       and r.paused_at is null
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

/** How long until each is due; null for what is paused. Notes every few minutes that they were looked at. */
export function selectNextRecurring({
  outbox,
  names,
}: Pick<RecurringRules, 'outbox' | 'names'>): Statement {
  return sql`
    with seen as (
      update posthorn.recurring
         set seen_at = now()
       where outbox = ${outbox} and name = any(${names}::text[]) and seen_at < now() - interval '3 minutes'
    )
    select name,
           case when paused_at is null
                then (extract(epoch from next_at - posthorn.now()) * 1000)::float8 end as ms
      from posthorn.recurring
     where outbox = ${outbox} and name = any(${names}::text[])`
}

/** A recurring message as people see it. */
export interface RecurringRow {
  readonly outbox: string
  readonly name: string
  readonly rule: string
  readonly missed: 'latest' | 'all' | 'skip' | null
  readonly next_at: Date | null
  readonly last_at: Date | null
  readonly last_message: string | null
  readonly enqueued: number
  readonly error: string | null
  readonly overdue: boolean
  readonly paused_at: Date | null
  readonly paused_by: string | null
  readonly pause_reason: string | null
  readonly run_at: Date | null
  readonly run_by: string | null
}

/** All of a database, or those of one outbox, or one of them. */
export function selectRecurring({ outbox, name }: Partial<RecurringName> = {}): Statement {
  return sql`
    select outbox, name, rule, missed, next_at, last_at, last_message,
           enqueued::float8 as enqueued, error,
           coalesce(paused_at is null and next_at < posthorn.now() - interval '1 minute', false)
             as overdue,
           paused_at, paused_by, pause_reason, run_at, run_by
      from posthorn.recurring
     where (${outbox ?? null}::text is null or outbox = ${outbox ?? null})
       and (${name ?? null}::text is null or name = ${name ?? null})
     order by outbox, name`
}

/** Keeps relays and other operators off one until the transaction ends. */
export function lockRecurring({ outbox, name }: RecurringName): Statement {
  return sql`
    select rule, next_at, run_at, run_by, posthorn.now() as now
      from posthorn.recurring
     where outbox = ${outbox} and name = ${name}
       for update`
}

/** Who steers a recurring message, and why. */
export interface RecurringSwitch extends RecurringName {
  readonly by: string
  readonly reason: string | undefined
}

/**
 * Waits for a relay that enqueues it at this moment. Answers how many were paused, and leaves its
 * trace in the audit only then; so does `resumeRecurringRow`.
 */
export function pauseRecurringRow({ outbox, name, by, reason }: RecurringSwitch): Statement {
  return sql`
    with paused as (
      update posthorn.recurring
         set paused_at = now(), paused_by = ${by}, pause_reason = ${reason ?? null}
       where outbox = ${outbox} and name = ${name} and paused_at is null
      returning outbox, name
    ),
    noted as (
      insert into posthorn.operation (operation, outbox, subject, actor, reason)
      select 'pause-recurring', outbox, name, ${by}, ${reason ?? null} from paused
    )
    select count(*)::int as changed from paused`
}

export function resumeRecurringRow({
  outbox,
  name,
  by,
  reason,
  nextAt,
}: RecurringSwitch & { nextAt: Date | null }): Statement {
  return sql`
    with resumed as (
      update posthorn.recurring
         set paused_at = null, paused_by = null, pause_reason = null, next_at = ${nextAt}
       where outbox = ${outbox} and name = ${name} and paused_at is not null
      returning outbox, name
    ),
    noted as (
      insert into posthorn.operation (operation, outbox, subject, actor, reason)
      select 'resume-recurring', outbox, name, ${by}, ${reason ?? null} from resumed
    )
    select count(*)::int as changed from resumed`
}

/** An operator enqueued one beside its schedule; the time it is due next stays. */
export function noteRecurringRun(run: RecurringSwitch & { at: Date; message: string }): Statement {
  return sql`
    with ran as (
      update posthorn.recurring
         -- As precise as a Date, so that operators can say which run they saw last.
         set run_at = date_trunc('milliseconds', clock_timestamp()),
             run_by = ${run.by},
             last_at = ${run.at},
             last_message = ${run.message},
             enqueued = enqueued + 1,
             error = null
       where outbox = ${run.outbox} and name = ${run.name}
      returning outbox, name
    )
    insert into posthorn.operation (operation, outbox, subject, actor, reason)
    select 'run-recurring', outbox, name, ${run.by}, ${run.reason ?? null} from ran`
}
