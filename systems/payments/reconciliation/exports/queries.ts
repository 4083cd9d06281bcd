import { sql, type Statement, type Transaction } from '@posthorn/engine'
import type { RunKey } from '../request.ts'
import { missingPayments } from '../records/queries.ts'

/** What an export says of a record, or of a payment that no record names. */
export const COLUMNS = [
  ...(['side', 'line', 'external_id', 'amount', 'currency', 'date', 'status', 'reason'] as const),
  ...(['payment_ids', 'refund_ids', 'dispute_ids', 'adjustment', 'adjustment_kind'] as const),
  ...(['decided_by', 'note'] as const),
] as const

/** A line of an export. */
export type ExportRow = Readonly<
  Record<(typeof COLUMNS)[number], string | number | null> & { currency: string }
>

/** One moment for all statements of an export, and nothing written. */
export const readAsOfNow = (tx: Transaction) =>
  tx.query(sql`set transaction isolation level repeatable read read only`)

/** What a statement gives, a thousand rows at a time, fetched when they are asked for. */
export async function* fetchBatches(
  tx: Transaction,
  statement: Statement,
): AsyncGenerator<ExportRow[]> {
  await tx.query(sql`declare exported no scroll cursor for ${statement}`)
  for (;;) {
    const { rows } = await tx.query<ExportRow>(sql`fetch 1000 from exported`)
    if (rows.length === 0) break
    yield rows
  }
  await tx.query(sql`close exported`)
}

/** Records of a run in the order of the file; of one status, or all. */
export function selectRecordLines(
  { id }: RunKey,
  status: 'matched' | 'unmatched' | undefined,
): Statement {
  return sql`
    select 'record' as side, r.line_number as line, r.external_transaction_id as external_id, r.amount,
           r.currency, to_char(r.booked_on, 'YYYY-MM-DD') as date, r.status,
           coalesce(d.reason, '') as reason,
           case when r.matched_payment_id is not null and (r.matched_as is null or r.matched_as = 'part')
                then concat_ws(' ', r.matched_payment_id,
                               (select string_agg(l.payment_id::text, ' ' order by l.payment_id)
                                  from payments.reconciliation_links as l
                                 where l.run_id = r.run_id and l.line_number = r.line_number))
           end as payment_ids,
           (select string_agg(f.refund_id::text, ' ' order by f.refund_id)
              from payments.reconciliation_reversals as f
             where f.run_id = r.run_id and f.line_number = r.line_number) as refund_ids,
           (select string_agg(f.dispute_id::text, ' ' order by f.dispute_id)
              from payments.reconciliation_reversals as f
             where f.run_id = r.run_id and f.line_number = r.line_number) as dispute_ids,
           r.adjustment, r.adjustment_kind, r.decided_by, d.note
      from payments.reconciliation_records as r
      left join payments.reconciliation_reasons as d
        on d.run_id = r.run_id and d.line_number = r.line_number
     where r.run_id = ${id} and (${status}::text is null or r.status = ${status})
     order by r.line_number`
}

/** Payments that the run should have found, oldest first. */
export function selectMissingLines(key: RunKey): Statement {
  return sql`
    select 'missing' as side, null::integer as line, p.external_payment_id as external_id,
           p.amount, p.currency, to_char(p.created_at at time zone 'UTC', 'YYYY-MM-DD') as date,
           p.status, 'missing' as reason, p.id::text as payment_ids, null::text as refund_ids,
           null::text as dispute_ids, null::bigint as adjustment, null::text as adjustment_kind, null::text as decided_by, null::text as note
      from (${missingPayments(key)}) as p
     order by p.id`
}
