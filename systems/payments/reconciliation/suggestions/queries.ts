import { sql, type Queryable, type Transaction } from '@posthorn/engine'
import { all, count, first, one } from '@posthorn/system'
import type { RunKey } from '../request.ts'
import { isUnused, takenAmount, type RecordKey } from '../records/queries.ts'
import type { Suggestion, Tolerance } from './suggestion.ts'

/** Suggestions of a pass at the most, and for one record of it. */
export const MOST_OF_A_PASS = 10_000
const MOST_OF_A_RECORD = 5
/** More equal records or payments than these say nothing about which belongs to which. */
const MOST_PEERS = 50
/** Payments that one record may settle. */
const MOST_PAYMENTS = 1_000

/** Payments of the organisation that no record has; those that failed are in no bank's file. */
const free = ({ org }: RunKey) => sql`
  select p.id, ${takenAmount} as amount, p.currency, p.external_payment_id, p.metadata, p.status,
         p.created_at
    from payments.payments as p
   where p.org_id = ${org} and p.status <> 'failed' and ${isUnused}`

/** Those that took money: only these are added up. */
const taken = (key: RunKey) => sql`
  select * from (${free(key)}) as t where t.status in ('succeeded', 'refunded')`

/** Whether the transaction `t` is a refund that was made and that no record has. */
const isFreeRefund = sql`
  t.type = 'refund' and t.status = 'succeeded'
  and (select f.run_id from payments.reconciliation_reversals as f where f.id = t.id) is null`

/** Records of the run without a decision. */
const open = ({ id }: RunKey) => sql`
  select line_number, external_transaction_id as external_id, amount, currency, booked_on
    from payments.reconciliation_records
   where run_id = ${id} and status = 'unmatched' and decided_by is null`

/**
 * Stores pairs and groups of one pass. Its id is made of what it says: found again, a suggestion is
 * the same one, and stays dismissed.
 */
const storing = ({ id }: RunKey, kind: Suggestion['kind']) => sql`
  insert into payments.reconciliation_suggestions
         (id, run_id, line_number, kind, payment_ids, refund_ids, line_numbers, difference,
          ambiguous)
  select md5(concat_ws(' ', ${`${id} ${kind}`}::text, line_number::text, payment_ids::text,
                       nullif(refund_ids, '{}')::text, line_numbers::text))::uuid,
         ${id}, line_number, ${kind}, payment_ids, refund_ids, line_numbers, difference,
         of_record > 1 or of_payment > 1
    from chosen
   order by line_number, nth
   limit ${MOST_OF_A_PASS}
  on conflict (id) do nothing
  returning id`

/** Forgets what was suggested and not answered. */
export const deleteOpen = (tx: Transaction, runId: string) =>
  tx.query(sql`
    delete from payments.reconciliation_suggestions where run_id = ${runId} and status = 'open'`)

export const suggestByAmount = (
  tx: Transaction,
  key: RunKey,
  { absolute = 0, bps = 0 }: Tolerance,
) =>
  count(tx)(sql`
    with open as (
      select *, count(*) over (partition by external_id, currency) as peers
        from (${open(key)}) as r
    ), free as (
      select *, count(*) over (partition by external_payment_id, currency) as peers
        from (${free(key)}) as p
       where external_payment_id is not null
    ), pair as (
      select r.line_number, array[p.id] as payment_ids, r.amount - p.amount as difference,
             count(*) over (partition by r.line_number) as of_record,
             count(*) over (partition by p.id) as of_payment,
             row_number() over (partition by r.line_number
                                    order by abs(r.amount - p.amount), p.id) as nth
        from open as r
        join free as p on p.external_payment_id = r.external_id and p.currency = r.currency
       where r.peers <= ${MOST_PEERS} and p.peers <= ${MOST_PEERS}
         and abs(r.amount - p.amount)
             <= greatest(${absolute}::bigint, abs(r.amount) * ${bps}::bigint / 10000)
    ), chosen as (
      select *, '{}'::uuid[] as refund_ids, null::integer[] as line_numbers from pair where nth <= ${MOST_OF_A_RECORD}
    )
    ${storing(key, 'amount_tolerance')}`)

/** Payments, or refunds where money went out, of the amount of a record and a few days around it. */
export const suggestByDate = (
  tx: Transaction,
  key: RunKey,
  { before, after }: { readonly before: number; readonly after: number },
) =>
  count(tx)(sql`
    with open as (
      select *, count(*) over (partition by amount, currency) as peers
        from (${open(key)}) as r
    ), free as (
      select *, (created_at at time zone 'UTC')::date as day,
             count(*) over (partition by amount, currency) as peers
        from (select id, amount, currency, created_at, false as is_refund
                from (${free(key)}) as p
               union all
              select t.id, -t.amount, t.currency, t.created_at, true
                from payments.transactions as t
                join payments.payments as p on p.id = t.payment_id
               where p.org_id = ${key.org} and ${isFreeRefund}) as f
    ), pair as (
      select r.line_number, case when f.is_refund then '{}' else array[f.id] end as payment_ids,
             case when f.is_refund then array[f.id] else '{}' end as refund_ids,
             0::bigint as difference, null::integer[] as line_numbers,
             count(*) over (partition by r.line_number) as of_record,
             count(*) over (partition by f.id) as of_payment,
             row_number() over (partition by r.line_number
                                    order by abs(r.booked_on - f.day), f.id) as nth
        from open as r
        join free as f on f.amount = r.amount and f.currency = r.currency
       where r.peers <= ${MOST_PEERS} and f.peers <= ${MOST_PEERS}
         and f.day between r.booked_on - ${before}::integer and r.booked_on + ${after}::integer
    ), chosen as (
      select * from pair where nth <= ${MOST_OF_A_RECORD}
    )
    ${storing(key, 'date_window')}`)

/** What names a payout in the metadata of its payments, and by how much it may be less than they are. */
export interface Payouts {
  readonly field: string
  readonly fee: Tolerance
}

/**
 * One record for all payments whose metadata names it, or for them less what of them was refunded:
 * whichever leaves the smaller fee.
 */
export const suggestByPayout = (
  tx: Transaction,
  key: RunKey,
  { field, fee: { absolute = 0, bps = 0 } }: Payouts,
) =>
  count(tx)(sql`
    with member as (
      select id, metadata ->> ${field} as name, currency, amount
        from (${taken(key)}) as p
       where metadata ->> ${field} is not null
    ), refunded as (
      select m.name, m.currency, sum(t.amount) as amount, array_agg(t.id order by t.id) as refund_ids
        from member as m
        join payments.transactions as t on t.payment_id = m.id
       where ${isFreeRefund}
       group by 1, 2
    ), payout as (
      select name, currency, sum(amount) as amount, array_agg(id order by id) as payment_ids
        from member
       group by 1, 2
      having count(*) <= ${MOST_PAYMENTS}
    ), net as (
      select name, currency, amount, payment_ids, '{}'::uuid[] as refund_ids
        from payout
      union all
      select p.name, p.currency, p.amount - r.amount, p.payment_ids, r.refund_ids
        from payout as p
        join refunded as r on r.name = p.name and r.currency = p.currency
       where cardinality(p.payment_ids) + cardinality(r.refund_ids) <= ${MOST_PAYMENTS}
    ), pair as (
      select r.line_number, n.payment_ids, n.refund_ids, (r.amount - n.amount)::bigint as difference,
             n.name, n.currency, null::integer[] as line_numbers,
             row_number() over (partition by r.line_number order by n.amount) as nth
        from (${open(key)}) as r
        join net as n on n.name = r.external_id and n.currency = r.currency
       where n.amount - r.amount
             between 0 and greatest(${absolute}::bigint, abs(r.amount) * ${bps}::bigint / 10000)
    ), chosen as (
      select *, 1 as of_record, count(*) over (partition by name, currency) as of_payment
        from pair
       where nth = 1
    )
    ${storing(key, 'many_to_one')}`)

/** Records of one name that add up to its one payment, or to less by a fee. */
export const suggestParts = (tx: Transaction, key: RunKey, { absolute = 0, bps = 0 }: Tolerance) =>
  count(tx)(sql`
    with paid as (
      select min(external_id) as external_id, currency, sum(amount) as amount,
             array_agg(line_number order by line_number) as line_numbers
        from (${open(key)}) as r
       where amount > 0
       group by external_id collate "C", currency
      having count(*) between 2 and ${MOST_PEERS}
    ), chosen as (
      select p.line_numbers[1] as line_number, array[f.id] as payment_ids,
             (p.amount - f.amount)::bigint as difference,
             count(*) over (partition by p.external_id collate "C", p.currency) as of_record,
             1 as of_payment,
             row_number() over (partition by p.external_id collate "C", p.currency
                                    order by f.id) as nth,
             '{}'::uuid[] as refund_ids, p.line_numbers
        from paid as p
        join (${taken(key)}) as f on f.external_payment_id = p.external_id
                                 and f.currency = p.currency
       where f.amount - p.amount
             between 0 and greatest(${absolute}::bigint, f.amount * ${bps}::bigint / 10000)
    )
    ${storing(key, 'one_to_many')}`)

/** Flags what two passes see differently: another suggestion has the same record or payment. */
export const flagAmbiguous = (tx: Transaction, runId: string) =>
  tx.query(sql`
    with part as (
      select id, line_number, unnest(payment_ids || refund_ids) as payment_id
        from payments.reconciliation_suggestions
       where run_id = ${runId} and status = 'open'
    ), crowded as (
      select line_number from part group by line_number having count(distinct id) > 1
    ), wanted as (
      select payment_id from part group by payment_id having count(distinct id) > 1
    )
    update payments.reconciliation_suggestions as s
       set ambiguous = true
     where s.run_id = ${runId} and s.status = 'open' and not s.ambiguous
       and (s.line_number in (select line_number from crowded)
            or s.id in (select id from part where payment_id in (select payment_id from wanted)))`)

export interface SuggestionPage {
  readonly runId: string
  readonly status: string
  readonly after: readonly [line: number, id: string]
  readonly limit: number
}

/** In the order of the file. */
export const selectSuggestions = (
  db: Queryable,
  { runId, status, after: [line, id], limit }: SuggestionPage,
) =>
  all<Suggestion>(db)(sql`
    select *
      from payments.reconciliation_suggestions
     where run_id = ${runId} and status = ${status}
       and (line_number, id) > (${line}, ${id}::uuid)
     order by line_number, id
     limit ${limit}`)

/** The open ones of a record. */
export const selectSuggestionsOf = (db: Queryable, { runId, line }: RecordKey) =>
  all<Suggestion>(db)(sql`
    select *
      from payments.reconciliation_suggestions
     where run_id = ${runId} and line_number = ${line} and status = 'open'
     order by id
     limit 100`)

export const findSuggestion = (
  db: Queryable,
  { runId, id }: { readonly runId: string; readonly id: string },
) =>
  first<Suggestion>(db)(sql`
    select * from payments.reconciliation_suggestions where run_id = ${runId} and id = ${id}`)

export const dismissSuggestion = (tx: Transaction, id: string) =>
  one<Suggestion>(tx)(sql`
    update payments.reconciliation_suggestions
       set status = 'dismissed'
     where id = ${id}
    returning *`)
