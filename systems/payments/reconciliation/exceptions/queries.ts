import { sql, type Queryable } from '@posthorn/engine'
import { all } from '@posthorn/system'
import type { Owner } from '../request.ts'
import { RECORD_COLUMNS, takenAmount } from '../records/queries.ts'
import type { Reason } from '../reason.ts'
import type { ExceptionRow, OpenTally, Tab } from './exception.ts'

export interface ExceptionPage extends Owner {
  /** Of one file; left out, of all. */
  readonly runId?: string
  readonly tab: Tab
  readonly reason?: Reason
  readonly after: readonly [runId: string, line: number] | undefined
  readonly limit: number
}

/** The newest file first, each in its order. */
export function selectExceptions(
  db: Queryable,
  { org, runId, tab, reason, after, limit }: ExceptionPage,
): Promise<ExceptionRow[]> {
  const [afterRun, afterLine] = after ?? [null, null]
  /** Of the file `u`, a record with the reason `d`. */
  const isWanted = sql`
    u.org_id = ${org} and u.status <> 'discarded'
    and (${runId}::uuid is null or u.id = ${runId}::uuid)
    and (${reason}::text is null or d.reason = ${reason})
    and (${afterRun}::uuid is null or u.id < ${afterRun}::uuid
         or u.id = ${afterRun}::uuid and d.line_number > ${afterLine}::integer)
    and case ${tab}::text
          when 'needs_attention' then d.reason <> 'no_match'
          when 'awaiting' then d.reason = 'no_match'
                           and u.created_at > posthorn.now() - interval '7 days'
          when 'stale' then u.created_at <= posthorn.now() - interval '7 days'
          when 'suggested' then exists (select
                                          from payments.reconciliation_suggestions as s
                                         where s.run_id = d.run_id
                                           and s.line_number = d.line_number
                                           and s.status = 'open')
          else true end`
  // Two branches, each with an index and a limit: what is open, and what waits for its payment.
  return all<ExceptionRow>(db)(sql`
    with page as (
      (select u.id, r.line_number
         from payments.reconciliation_runs as u
         join payments.reconciliation_records as r on r.run_id = u.id
         join payments.reconciliation_reasons as d
           on d.run_id = r.run_id and d.line_number = r.line_number
        where r.status = 'unmatched' and r.decided_by is distinct from 'ignored' and ${isWanted}
        order by u.id desc, r.line_number
        limit ${limit})
      union all
      (select u.id, d.line_number
         from payments.reconciliation_runs as u
         join payments.reconciliation_reasons as d on d.run_id = u.id
        where d.stored = 'payment_not_succeeded' and d.reason = d.stored and ${isWanted}
        order by u.id desc, d.line_number
        limit ${limit})
    )
    select ${RECORD_COLUMNS}, d.note, u.filename, u.created_at as opened_at,
           extract(epoch from posthorn.now() - u.created_at)::float8 as age_seconds,
           (select count(*)::integer
              from payments.reconciliation_suggestions as s
             where s.run_id = r.run_id and s.line_number = r.line_number
               and s.status = 'open') as suggestions,
           case when p.id is not null
                then jsonb_build_object(
                       'id', p.id, 'amount', (${takenAmount})::text, 'currency', p.currency,
                       'external_payment_id', p.external_payment_id, 'status', p.status,
                       'created_at', p.created_at) end as payment
      from page
      join payments.reconciliation_runs as u on u.id = page.id
      join payments.reconciliation_records as r
        on r.run_id = page.id and r.line_number = page.line_number
      join payments.reconciliation_reasons as d
        on d.run_id = page.id and d.line_number = page.line_number
      left join payments.payments as p on p.id = d.payment_id
     order by u.id desc, r.line_number
     limit ${limit}`)
}

/** From the tallies: a few rows for each file, however many records it has. */
export const selectOpenTallies = (
  db: Queryable,
  { org, runId }: Pick<ExceptionPage, 'org' | 'runId'>,
) =>
  all<OpenTally>(db)(sql`
    select t.reason, t.currency, sum(t.records)::integer as records, sum(t.amount)::text as amount,
           extract(epoch from posthorn.now() - u.created_at)::float8 as age_seconds
      from payments.reconciliation_runs as u
      join payments.reconciliation_counts as t on t.run_id = u.id and t.run_no = u.run_no
     where u.org_id = ${org} and u.status <> 'discarded'
       and (${runId}::uuid is null or u.id = ${runId}::uuid)
       and t.reason in ('payment_not_succeeded', 'no_match', 'duplicate', 'amount_mismatch',
                        'currency_mismatch', 'manual_unmatch', 'reopened')
     group by u.id, t.reason, t.currency
    having sum(t.records) > 0`)

/** Open records that something is suggested for. */
export async function countSuggested(
  db: Queryable,
  { org, runId }: Pick<ExceptionPage, 'org' | 'runId'>,
): Promise<number> {
  const { rows } = await db.query<{ count: number }>(sql`
    select count(distinct (s.run_id, s.line_number))::integer as count
      from payments.reconciliation_runs as u
      join payments.reconciliation_suggestions as s on s.run_id = u.id and s.status = 'open'
     where u.org_id = ${org} and u.status <> 'discarded'
       and (${runId}::uuid is null or u.id = ${runId}::uuid)`)
  return rows[0]?.count ?? 0
}

/** The last run of each file, by currency and reason, with the day on which it ran. */
export interface DayTally {
  readonly day: string
  readonly currency: string
  readonly reason: Reason
  readonly records: number
  readonly amount: string
}

export const selectDayTallies = (db: Queryable, { org }: Owner) =>
  all<DayTally>(db)(sql`
    select to_char(u.ran_at at time zone 'UTC', 'YYYY-MM-DD') as day, t.currency, t.reason,
           sum(t.records)::integer as records, sum(t.amount)::text as amount
      from payments.reconciliation_runs as u
      join payments.reconciliation_counts as t on t.run_id = u.id and t.run_no = u.run_no
     where u.org_id = ${org} and u.status <> 'discarded'
     group by 1, 2, 3
    having sum(t.records) > 0`)

/** The last so many days by the business clock, oldest first. */
export async function selectDays(db: Queryable, count: number): Promise<string[]> {
  const { rows } = await db.query<{ day: string }>(sql`
    select to_char((posthorn.now() at time zone 'UTC')::date - back, 'YYYY-MM-DD') as day
      from generate_series(${count - 1}::integer, 0, -1) as back
     order by 1`)
  return rows.map(({ day }) => day)
}
