import { sql, type Queryable, type Transaction } from '@posthorn/engine'
import { all, first } from '@posthorn/system'
import type { Owner, RunKey } from '../request.ts'
import type { Reason } from '../reason.ts'
import type { Detail, PaymentSide, RefundSide, StatementRecord } from './record.ts'
import type { StoredStatement } from '../formats/findings.ts'

interface StatementPage {
  readonly runId: string
  readonly after: readonly [number: number, currency: string]
  readonly limit: number
}

/** In the order of the file. */
export const selectStatements = (
  db: Queryable,
  { runId, after: [number, currency], limit }: StatementPage,
) =>
  all<StoredStatement>(db)(sql`
    select s.number, s.currency, s.statement_id as "statementId", s.account,
           s.from_day::text as "from", s.to_day::text as "to", s.sequence,
           s.first_line as "firstLine", s.last_line as "lastLine", s.entries, s.booked, s.opening,
           s.closing,
           case when b.next < s.sequence
                then jsonb_build_object('first', b.next, 'last', s.sequence - 1) end as missing
      from payments.reconciliation_statements as s
      -- After the one before it, or from 1 where the bank began again.
      left join lateral (
        select case when p.sequence <= s.sequence then p.sequence + 1 else 1 end as next
          from payments.reconciliation_statements as p
          join payments.reconciliation_runs as u on u.id = p.run_id and u.discarded_at is null
         where p.org_id = s.org_id and p.account = s.account and p.sequence is not null
           and (p.to_day, p.sequence) < (s.to_day, s.sequence)
         order by p.to_day desc, p.sequence desc
         limit 1) as b on true
     where s.run_id = ${runId} and (s.number, s.currency) > (${number}, ${currency})
     order by s.number, s.currency
     limit ${limit}`)

/** What was taken of the payment `p`: of one that was captured in part, that part. */
export const takenAmount = sql`coalesce(p.captured_amount, p.amount)`

/** A record `r` with what it is matched with, and its current detail `d`. */
export const RECORD_COLUMNS = sql`
  r.run_id, r.line_number, r.external_transaction_id, r.amount, r.currency,
  to_char(r.booked_on, 'YYYY-MM-DD') as booked_on, r.occurrence_no, r.duplicate_of, r.status,
  r.matched_payment_id, r.matched_as, r.fee, r.adjustment, r.adjustment_kind, r.decided_by,
  r.version, d.reason,
  array(select f.refund_id::text
          from payments.reconciliation_reversals as f
         where f.run_id = r.run_id and f.line_number = r.line_number and f.refund_id is not null
         order by f.refund_id) as refunds,
  array(select f.dispute_id::text
          from payments.reconciliation_reversals as f
         where f.run_id = r.run_id and f.line_number = r.line_number and f.dispute_id is not null
         order by f.dispute_id) as disputes,
  array(select l.payment_id::text
          from payments.reconciliation_links as l
         where l.run_id = r.run_id and l.line_number = r.line_number
         order by l.payment_id) as linked`

export interface RecordPage {
  readonly runId: string
  readonly status?: string
  readonly reason?: Reason
  /** Lines after this one. */
  readonly after: number
  readonly limit: number
}

/** In the order of the file. */
export const selectRecords = (db: Queryable, page: RecordPage) =>
  all<StatementRecord>(db)(sql`
    select ${RECORD_COLUMNS}
      from payments.reconciliation_records as r
      left join payments.reconciliation_reasons as d
        on d.run_id = r.run_id and d.line_number = r.line_number
     where r.run_id = ${page.runId} and r.line_number > ${page.after}
       and (${page.status}::text is null or r.status = ${page.status})
       and (${page.reason}::text is null or d.reason = ${page.reason})
     order by r.line_number
     limit ${page.limit}`)

export interface RecordKey {
  readonly runId: string
  readonly line: number
}

export const findRecord = (db: Queryable, { runId, line }: RecordKey) =>
  first<StatementRecord>(db)(sql`
    select ${RECORD_COLUMNS}
      from payments.reconciliation_records as r
      left join payments.reconciliation_reasons as d
        on d.run_id = r.run_id and d.line_number = r.line_number
     where r.run_id = ${runId} and r.line_number = ${line}`)

export const selectDetails = (db: Queryable, page: Omit<RecordPage, 'status'>) =>
  all<Detail>(db)(sql`
    select line_number, run_no, reason, payment_id, note, actor, created_at
      from payments.reconciliation_reasons
     where run_id = ${page.runId} and line_number > ${page.after}
       and (${page.reason}::text is null or reason = ${page.reason})
     order by line_number
     limit ${page.limit}`)

/** The current detail of a record and what it was before, newest first; a bounded number. */
export const selectDetailsOf = (db: Queryable, { runId, line }: RecordKey) =>
  all<Detail>(db)(sql`
    select line_number, run_no, reason, payment_id, note, actor, created_at
      from payments.reconciliation_reasons
     where run_id = ${runId} and line_number = ${line}
    union all
    (select line_number, run_no, reason, payment_id, note, actor, created_at
       from payments.reconciliation_history
      where run_id = ${runId} and line_number = ${line}
      order by seq desc
      limit 100)`)

export const selectPaymentSides = (
  db: Queryable,
  { ids, org }: { readonly ids: readonly string[]; readonly org: string },
) =>
  all<PaymentSide>(db)(sql`
    select p.id, ${takenAmount} as amount, p.currency, p.external_payment_id, p.status, p.created_at
      from payments.payments as p
     where p.org_id = ${org} and p.id = any(${ids}::uuid[])
     order by p.id`)

export interface MissingPage extends RunKey {
  readonly status?: string
  /** Days of payments, as `2026-03-07`. */
  readonly from?: string
  readonly to?: string
  /** Business days that the bank has for a payment: younger ones are not missing yet. */
  readonly settlesWithin: number
  readonly before: string | undefined
  readonly limit: number
}

export interface ReversalPage extends Owner {
  readonly kind: 'refund' | 'dispute'
  readonly currency: string | undefined
  readonly before: string | undefined
  readonly limit: number
}

/** Refunds or disputes of the organisation that no record of any run has, newest first. */
export const selectFreeReversals = (db: Queryable, page: ReversalPage) =>
  all<RefundSide>(db)(sql`
    select r.id, r.payment_id, r.amount, r.currency, r.status, r.gateway_ref,
           p.external_payment_id, r.created_at
      from payments.reversals as r
      join payments.payments as p on p.id = r.payment_id
     where r.org_id = ${page.org} and r.kind = ${page.kind} and r.took_money
       and (${page.currency}::text is null or r.currency = ${page.currency})
       and not exists (select from payments.reconciliation_reversals as f where f.id = r.id)
       and (${page.before}::uuid is null or r.id < ${page.before}::uuid)
     order by r.id desc
     limit ${page.limit}`)

/** What the records say that stand for parts of the payment `p`. */
const partsOf = sql`
  (select sum(m.amount - coalesce(m.adjustment, 0))
     from payments.reconciliation_records as m
    where m.matched_payment_id = p.id and m.matched_as = 'part')`

/** Whether no record of any run has the whole payment `p`; by subselects, which look into an index. */
const isNotWhole = sql`
  (select m.run_id
     from payments.reconciliation_records as m
    where m.matched_payment_id = p.id and m.matched_as is null) is null
  and (select l.run_id from payments.reconciliation_links as l where l.payment_id = p.id) is null`

/** Whether no record of any run has anything of the payment `p`. */
export const isUnused = sql`${isNotWhole} and ${partsOf} is null`

/** Payments of the organisation that no record of any run has, or not all of. */
const unmatched = ({ org }: RunKey) => sql`
  select p.id, ${takenAmount} as amount, p.currency, p.external_payment_id, p.status, p.created_at
    from payments.payments as p
   where p.org_id = ${org} and ${isNotWhole} and coalesce(${partsOf}, 0) < ${takenAmount}`

/**
 * Payments that a run should have found: those that took money, although a record may have their
 * name, and the others that no record of the run names. Two branches, since names have no index of
 * their own, which a million records would pay for at each upload and match: joined they are hashed
 * once, behind an `or` they would be searched for each payment.
 */
export const missingPayments = (key: RunKey) => sql`
  select * from (${unmatched(key)}) as took where took.status in ('succeeded', 'refunded')
  union all
  select *
    from (${unmatched(key)}) as other
   where other.status in ('pending', 'failed')
     and not exists (select
                       from payments.reconciliation_records as r
                      where r.run_id = ${key.id}
                        and r.external_transaction_id = other.external_payment_id)`

/** The last day whose payments have had so many business days, Monday to Friday, since. */
const lastDue = (days: number) => sql`
  (select max(day)::date
     from (select (posthorn.now() at time zone 'UTC')::date as today) as t
    cross join generate_series(t.today - ${days}::integer * 2 - 7, t.today, interval '1 day') as day
    where (select count(*)
             from generate_series(day + interval '1 day', t.today, interval '1 day') as later
            where extract(isodow from later) < 6) >= ${days})`

/** Newest first. */
export const selectMissing = (tx: Transaction, page: MissingPage) =>
  all<PaymentSide>(tx)(sql`
    select p.id, p.amount, p.currency, p.external_payment_id, p.status, p.created_at
      from (${missingPayments(page)}) as p
     where (${page.status}::text is null or p.status = ${page.status})
       and (${page.from}::date is null
            or (p.created_at at time zone 'UTC')::date >= ${page.from}::date)
       and (${page.to}::date is null
            or (p.created_at at time zone 'UTC')::date <= ${page.to}::date)
       and (p.created_at at time zone 'UTC')::date <= ${lastDue(page.settlesWithin)}
       and (${page.before}::uuid is null or p.id < ${page.before}::uuid)
     order by p.id desc
     limit ${page.limit}`)
