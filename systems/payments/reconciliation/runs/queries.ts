import { sql, type Queryable, type Statement, type Transaction } from '@posthorn/engine'
import { all, directionOf, first, one } from '@posthorn/system'
import type { Owner, RunKey } from '../request.ts'
import { isUnused, takenAmount } from '../records/queries.ts'
import type { Tally } from '../reason.ts'
import type { Run, RunResult } from './run.ts'

/** Whether money went out in a record that has no payment: what refunds are for. */
export async function hasMoneyOut(tx: Transaction): Promise<boolean> {
  const { rows } = await tx.query<{ found: boolean }>(sql`
    select exists (select from reconciliation_outcome where reason is null and amount < 0) as found`)
  return rows[0]?.found ?? false
}

/** Refunds and disputes, by what a bank may call them. */
const reversals = ({ org }: Owner) => sql`
  select r.*, p.external_payment_id as external_id, p.gateway_ref as payment_ref,
         (select f.run_id from payments.reconciliation_reversals as f where f.id = r.id) is null
           as is_free
    from payments.reversals as r
    join payments.payments as p on p.id = r.payment_id
   where r.org_id = ${org} and r.took_money`

/** Records without a payment in which money went out. */
const out = sql`
  select line_number, external_id, -amount as amount, currency
    from reconciliation_outcome
   where reason is null and amount < 0`

/** Gives records the refund or dispute that they name by its own id or by the gateway's. */
export const pairByReversal = (tx: Transaction, owner: Owner) =>
  tx.query(sql`
    with named as (
      select id, refund_id, dispute_id, payment_id, amount, currency, name
        from (${reversals(owner)}) as r
       cross join lateral (values (r.id::text), (r.gateway_ref)) as n (name)
       where r.is_free and n.name is not null
    ), pair as (
      select o.line_number, n.refund_id, n.dispute_id, n.payment_id,
             row_number() over (partition by n.id order by o.line_number) as of_reversal,
             row_number() over (partition by o.line_number order by n.id) as of_record
        from (${out}) as o
        join named as n on n.name = o.external_id and n.amount = o.amount
                       and n.currency = o.currency
    )
    update reconciliation_outcome as o
       set reason = 'exact_match', payment_id = p.payment_id, refund_id = p.refund_id,
           dispute_id = p.dispute_id, external_id = null
      from pair as p
     where p.line_number = o.line_number and p.of_reversal = 1 and p.of_record = 1`)

/** What a bank may call the payment of a refund or dispute. */
export const PAYMENT_NAMES = [sql`external_id`, sql`payment_ref`] as const

/**
 * Gives the others a refund or dispute of the payment that they name: of several equal ones the first
 * line gets the first, those that are done before those that are not.
 */
export const pairByReversedPayment = (
  tx: Transaction,
  owner: Owner,
  name: (typeof PAYMENT_NAMES)[number],
) =>
  tx.query(sql`
    with open as (
      select *, row_number() over (partition by external_id collate "C", amount, currency
                                       order by line_number) as nth
        from (${out}) as o
    ), free as (
      select *, ${name} as name,
             row_number() over (partition by ${name} collate "C", amount, currency
                                    order by is_late, id) as nth
        from (${reversals(owner)}) as r
       where r.is_free and ${name} is not null
         and not exists (select from reconciliation_outcome as t
                          where coalesce(t.refund_id, t.dispute_id) = r.id)
    )
    update reconciliation_outcome as o
       set reason = 'exact_match', payment_id = f.payment_id, refund_id = f.refund_id,
           dispute_id = f.dispute_id, external_id = null
      from open as n
      join free as f on f.name = n.external_id and f.amount = n.amount
                    and f.currency = n.currency and f.nth = n.nth
     where n.line_number = o.line_number`)

/** Says of the rest which would have been refunds or disputes, had another record not had them. */
export const explainTakenReversals = (tx: Transaction, owner: Owner) =>
  tx.query(sql`
    with named as (
      select r.amount, r.currency, n.name, min(r.payment_id::text)::uuid as payment_id
        from (${reversals(owner)}) as r
       cross join lateral (values (r.id::text), (r.gateway_ref), (r.external_id), (r.payment_ref))
               as n (name)
       where n.name is not null
       group by 1, 2, 3
    )
    update reconciliation_outcome as o
       set reason = 'duplicate', payment_id = n.payment_id, external_id = null
      from named as n
     where o.reason is null and o.amount < 0 and n.name = o.external_id
       and n.amount = -o.amount and n.currency = o.currency`)

/** After their records are matched. */
export const insertReversals = (tx: Transaction, { id }: RunKey) =>
  tx.query(sql`
    insert into payments.reconciliation_reversals (refund_id, dispute_id, run_id, line_number)
    select refund_id, dispute_id, ${id}::uuid, line_number
      from reconciliation_outcome
     where coalesce(refund_id, dispute_id) is not null
     order by coalesce(refund_id, dispute_id)`)

export const findRun = (db: Queryable, { id, org }: RunKey) =>
  first<Run>(db)(sql`
    select *
      from payments.reconciliation_runs
     where id = ${id} and org_id = ${org}`)

export interface RunPage extends Owner {
  readonly status?: string
  /** Behind this one, in the order of `sort`. */
  readonly before: string | null
  readonly sort: string
  readonly limit: number
}

export function selectRuns(db: Queryable, page: RunPage): Promise<Run[]> {
  const { beyond, order } = directionOf(page.sort)
  return all<Run>(db)(sql`
    select *
      from payments.reconciliation_runs
     where org_id = ${page.org}
       and (${page.status}::text is null or status = ${page.status})
       and (${page.before}::uuid is null or id ${beyond} ${page.before}::uuid)
     order by id ${order}
     limit ${page.limit}`)
}

/**
 * One at a time decides about the payments of an organisation: until the end of the transaction no
 * other does. Waits so long, then `lock_not_available`.
 */
export async function lockOwner(tx: Transaction, { org }: Owner, waitMs: number): Promise<void> {
  await tx.query(sql`select set_config('lock_timeout', ${String(waitMs)}, true)`)
  await tx.query(sql`
    select pg_advisory_xact_lock(hashtextextended(
             jsonb_build_array('reconciliation', ${org}::text)::text, 0))`)
  await tx.query(sql`select set_config('lock_timeout', '0', true)`)
}

/**
 * For statements over whole files, until the end of the transaction. What has just been uploaded has
 * no statistics yet, and Postgres takes it for a row or two: with nested loops 20,000 records took
 * more than a minute instead of a third of a second. Where a look into an index is wanted all the
 * same, statements say so by a subselect.
 */
export const avoidLoops = (tx: Transaction) =>
  tx.query(sql`select set_config('enable_nestloop', 'off', true)`)

/**
 * For the statements of one run. The memory lets the join keep the order of the file, and that is
 * mostly the payments' too: what is written then lies side by side. A client that was killed is
 * noticed in the middle of a statement, not after it.
 */
export async function prepareRun(tx: Transaction, memoryMb: number): Promise<void> {
  await avoidLoops(tx)
  await tx.query(sql`
    select set_config('work_mem', ${`${memoryMb}MB`}, true),
           -- Refused where Postgres runs on Windows.
           set_config('client_connection_check_interval',
                      case when version() ~* 'windows|mingw|visual' then '0' else '1s' end,
                      true)`)
  await tx.query(sql`
    create temporary table reconciliation_outcome (
      line_number integer not null,
      amount bigint not null,
      -- With the fee that the file names.
      gross bigint not null,
      currency text not null,
      reason text,
      payment_id uuid,
      refund_id uuid,
      dispute_id uuid,
      -- Of those without a payment.
      external_id text
    ) on commit drop`)
}

/**
 * Of several payments with one name those that took money come first, then those that may yet, then
 * those that failed: a customer whose first card was declined is on the statement for the second.
 */
const preference = sql`
  case p.status when 'succeeded' then '1' when 'refunded' then '1' when 'pending' then '2' else '3' end`

/** Why a record is matched with the payment. */
const reasonOfMatch = (payment: Statement) => sql`
  case when ${payment}.status in ('succeeded', 'refunded') then 'exact_match'
       else 'payment_not_succeeded' end`

/**
 * Gives each open record the payment that it names: of several records that say the same the first
 * line gets the first payment by preference and age, the second the next. Each side is numbered before they are joined,
 * so that a thousand equal rows are a thousand pairs and not a million.
 */
export const pairRecords = (tx: Transaction, { id, org }: RunKey) =>
  tx.query(sql`
    insert into reconciliation_outcome
           (line_number, amount, gross, currency, reason, payment_id, external_id)
    with open as (
      select line_number, external_transaction_id as external_id, amount,
             amount + coalesce(fee, 0) as gross, currency,
             row_number() over (partition by external_transaction_id collate "C",
                                             amount + coalesce(fee, 0), currency
                                    order by line_number) as nth
        from payments.reconciliation_records
       where run_id = ${id} and status = 'unmatched' and decided_by is null
    ), free as (
      select p.id, p.external_payment_id as external_id, ${takenAmount} as amount, p.currency,
             p.status,
             row_number() over (partition by p.external_payment_id collate "C", ${takenAmount},
                                             p.currency
                                    order by ${preference}, p.id) as nth
        from payments.payments as p
       where p.org_id = ${org} and p.external_payment_id is not null and ${isUnused}
    )
    select o.line_number, o.amount, o.gross, o.currency,
           case when f.id is not null then ${reasonOfMatch(sql`f`)} end, f.id,
           case when f.id is null then o.external_id end
      from open as o
      left join free as f on f.external_id = o.external_id and f.amount = o.gross
                         and f.currency = o.currency and f.nth = o.nth
     order by o.line_number`)

/** Gives the others in which money came in the payment that they name as the gateway does. */
export const pairByGatewayRef = (tx: Transaction, { org }: Owner) =>
  tx.query(sql`
    with open as materialized (
      select line_number, external_id, gross, currency,
             row_number() over (partition by external_id collate "C", gross, currency
                                    order by line_number) as nth
        from reconciliation_outcome
       where payment_id is null and gross > 0
    ), named as materialized (
      select p.id, p.gateway_ref, ${takenAmount} as amount, p.currency, p.status
        from payments.payments as p
       where p.org_id = ${org} and p.gateway_ref in (select external_id from open)
    ), free as (
      select p.*, row_number() over (partition by p.gateway_ref collate "C", p.amount, p.currency
                                         order by ${preference}, p.id) as nth
        from named as p
       where ${isUnused}
         and not exists (select from reconciliation_outcome as t where t.payment_id = p.id)
    )
    update reconciliation_outcome as o
       set reason = ${reasonOfMatch(sql`f`)}, payment_id = f.id, external_id = null
      from open as n
      join free as f on f.gateway_ref = n.external_id and f.amount = n.gross
                    and f.currency = n.currency and f.nth = n.nth
     where n.line_number = o.line_number`)

/**
 * Says of the others why they have none, and which payment comes nearest: the one that is taken,
 * else the first of their name in their currency, else the first of their name, by preference and
 * age. By sets of equal payments, for the same reason as above.
 */
export const explainRest = (tx: Transaction, { org }: Owner) =>
  tx.query(sql`
    with named as materialized (
      select n.name as external_id, ${takenAmount} as amount, p.currency,
             -- The preference is one character before the id.
             min((${preference} || p.id::text) collate "C") as id
        from payments.payments as p
       cross join lateral (values (p.external_payment_id), (p.gateway_ref)) as n (name)
       where p.org_id = ${org}
         and n.name in (select external_id
                          from reconciliation_outcome
                         where external_id is not null)
       group by 1, 2, 3
    ), in_currency as (
      select external_id, currency, min(id) as id from named group by 1, 2
    ), of_name as (
      select external_id, min(id) as id from named group by 1
    )
    update reconciliation_outcome as o
       set reason = why.reason, payment_id = why.payment_id
      from (select r.line_number,
                   case when exact.id is not null then 'duplicate'
                        when near.id is not null then 'amount_mismatch'
                        when far.id is not null then 'currency_mismatch'
                        else 'no_match' end as reason,
                   substr(coalesce(exact.id, near.id, far.id), 2)::uuid as payment_id
              from reconciliation_outcome as r
              left join named as exact on exact.external_id = r.external_id
                                      and exact.amount = r.gross and exact.currency = r.currency
              left join in_currency as near on near.external_id = r.external_id
                                           and near.currency = r.currency
              left join of_name as far on far.external_id = r.external_id
             where r.external_id is not null) as why
     where o.line_number = why.line_number`)

/** Stores which matched records' payments have succeeded since: it is in the history then. */
export const settleSucceeded = (
  tx: Transaction,
  { id, run_no: runNo }: Pick<Run, 'id' | 'run_no'>,
) =>
  tx.query(sql`
    with settled as (
      update payments.reconciliation_details as d
         set reason = n.reason, run_no = ${runNo}::integer + 1, created_at = posthorn.now()
        from payments.reconciliation_reasons as n
       where n.run_id = ${id} and n.stored = 'payment_not_succeeded' and n.reason <> n.stored
         and d.run_id = n.run_id and d.line_number = n.line_number
      returning d.line_number, d.reason
    ), moved as (
      select r.currency, s.reason, count(*)::integer as records, sum(r.amount) as amount
        from settled as s
        join payments.reconciliation_records as r
          on r.run_id = ${id} and r.line_number = s.line_number
       group by 1, 2
    ), gone as (
      update payments.reconciliation_tallies as t
         set records = t.records - m.records, amount = t.amount - m.amount
        from (select currency, sum(records)::integer as records, sum(amount) as amount
                from moved
               group by 1) as m
       where t.run_id = ${id} and t.run_no = ${runNo} and t.currency = m.currency
         and t.reason = 'payment_not_succeeded'
    )
    insert into payments.reconciliation_tallies as t
           (run_id, run_no, currency, reason, records, amount)
    select ${id}::uuid, ${runNo}::integer, currency, reason, records, amount
      from moved
    on conflict (run_id, run_no, currency, reason)
    do update set records = t.records + excluded.records, amount = t.amount + excluded.amount`)

/** What the run comes to: what was settled before, and the outcome of what was open. */
export const tallyOutcome = (tx: Transaction, { id, run_no: before }: Pick<Run, 'id' | 'run_no'>) =>
  all<Tally>(tx)(sql`
    select currency, reason, sum(records)::integer as records, sum(amount)::text as amount
      from (select currency, reason, records, amount
              from payments.reconciliation_tallies
             where run_id = ${id} and run_no = ${before}
               and reason in ('exact_match', 'payment_not_succeeded', 'manual_match', 'manual_unmatch',
                              'ignored')
            union all
            select currency, reason, count(*), sum(amount)
              from reconciliation_outcome
             group by currency, reason) as t
     group by currency, reason
    having sum(records) > 0
     order by currency, reason`)

export const applyMatches = (tx: Transaction, runId: string) =>
  tx.query(sql`
    update payments.reconciliation_records as r
       set status = 'matched', matched_payment_id = o.payment_id, decided_by = 'auto',
           matched_as = case when o.refund_id is not null then 'refund'
                             when o.dispute_id is not null then 'dispute' end,
           adjustment = -r.fee, adjustment_kind = case when r.fee is not null then 'fee' end,
           version = r.version + 1
      from reconciliation_outcome as o
     where o.reason in ('exact_match', 'payment_not_succeeded') and r.run_id = ${runId}
       and r.line_number = o.line_number`)

/** Of a file's first run: no record has a detail yet. */
export const insertDetails = (
  tx: Transaction,
  { id, runNo }: { readonly id: string; readonly runNo: number },
) =>
  tx.query(sql`
    insert into payments.reconciliation_details
           (run_id, line_number, run_no, reason, payment_id)
    select ${id}::uuid, line_number, ${runNo}::integer, reason, payment_id
      from reconciliation_outcome`)

/** Of a later one: those that say something else now. What they said before stays in the history. */
export const replaceDetails = (
  tx: Transaction,
  { id, runNo }: { readonly id: string; readonly runNo: number },
) =>
  tx.query(sql`
    update payments.reconciliation_details as d
       set run_no = ${runNo}, reason = o.reason, payment_id = o.payment_id, note = null,
           actor = null, created_at = posthorn.now()
      from reconciliation_outcome as o
     where d.run_id = ${id} and d.line_number = o.line_number
       and (d.reason, d.payment_id) is distinct from (o.reason, o.payment_id)`)

export const insertTallies = (
  tx: Transaction,
  { id, runNo }: { readonly id: string; readonly runNo: number },
  tallies: readonly Tally[],
) =>
  tx.query(sql`
    insert into payments.reconciliation_tallies
           (run_id, run_no, currency, reason, records, amount)
    select ${id}::uuid, ${runNo}::integer, currency, reason, records, amount
      from jsonb_to_recordset(${JSON.stringify(tallies)}::jsonb)
        as t (currency text, reason text, records integer, amount numeric)`)

/** The run's counts and its audit, in one statement. */
export const completeRun = (
  tx: Transaction,
  { id, runNo, by }: { readonly id: string; readonly runNo: number; readonly by: string },
  result: RunResult,
) =>
  one<Run>(tx)(sql`
    with completed as (
      update payments.reconciliation_runs
         set status = 'completed', run_no = ${runNo}, matched = ${result.matched},
             unmatched = ${result.unmatched}, ran_at = posthorn.now()
       where id = ${id}
      returning *
    )
    select completed.*,
           payments.create_audit_log(
             org_id, ${by}, 'reconciliation.completed', 'reconciliation', id::text,
             ${JSON.stringify({ ...result, runNo })}::jsonb) as audit
      from completed`)

/** Of the last run of each file, or of one. */
export const selectTallies = (
  db: Queryable,
  { id, runNo }: { readonly id: string; readonly runNo: number },
) =>
  all<Tally>(db)(sql`
    select currency, reason, sum(records)::integer as records, sum(amount)::text as amount
      from payments.reconciliation_counts
     where run_id = ${id} and run_no = ${runNo}
     group by currency, reason
    having sum(records) > 0
     order by currency, reason`)

/** What the matched records of a run are more than their payments, by currency. */
export async function selectAdjustments(
  db: Queryable,
  id: string,
): Promise<Record<string, string>> {
  const { rows } = await db.query<{ currency: string; amount: string }>(sql`
    select currency, sum(adjustment)::text as amount
      from payments.reconciliation_records
     where run_id = ${id} and adjustment is not null
     group by currency`)
  return Object.fromEntries(rows.map(({ currency, amount }) => [currency, amount]))
}
