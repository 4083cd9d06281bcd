import { sql, type Queryable, type Transaction } from '@posthorn/engine'
import type { Run } from '../runs/run.ts'
import { all, one } from '../../rows.ts'

/** Who takes a file back, and why. */
export interface Discard {
  readonly runId: string
  /** Of the run that would have come next. */
  readonly runNo: number
  readonly by: string
  readonly note: string
}

/** Lets go of the payments and refunds of a run. */
export async function releaseMatches(tx: Transaction, { runId }: Discard): Promise<void> {
  await tx.query(sql`delete from payments.reconciliation_links where run_id = ${runId}`)
  await tx.query(sql`delete from payments.reconciliation_refunds where run_id = ${runId}`)
  await tx.query(sql`
    update payments.reconciliation_records
       set status = 'unmatched', matched_payment_id = null, matched_as = null, decided_by = null,
           adjustment = null, adjustment_kind = null, version = version + 1
     where run_id = ${runId} and status = 'matched'`)
  await tx.query(sql`
    update payments.reconciliation_suggestions
       set status = 'dismissed'
     where run_id = ${runId} and status = 'open'`)
}

/** Which payment a record had stays in its history, which a trigger writes. */
export const explainDiscard = (tx: Transaction, discard: Discard) =>
  tx.query(sql`
    update payments.reconciliation_details
       set run_no = ${discard.runNo}, reason = 'discarded', note = ${discard.note},
           actor = ${discard.by}, created_at = posthorn.now()
     where run_id = ${discard.runId} and reason in ('exact_match', 'manual_match')`)

/** What was matched counts as discarded from now on. */
export const moveTallies = (tx: Transaction, { id, run_no: runNo }: Pick<Run, 'id' | 'run_no'>) =>
  tx.query(sql`
    with matched as (
      delete from payments.reconciliation_tallies
       where run_id = ${id} and run_no = ${runNo} and reason in ('exact_match', 'manual_match')
      returning currency, records, amount
    )
    insert into payments.reconciliation_tallies (run_id, run_no, currency, reason, records, amount)
    select ${id}::uuid, ${runNo}::integer, currency, 'discarded', sum(records), sum(amount)
      from matched
     group by currency`)

export const markDiscarded = (tx: Transaction, discard: Discard) =>
  one<Run>(tx)(sql`
    update payments.reconciliation_runs
       set status = 'discarded', matched = 0, unmatched = total, discarded_at = posthorn.now(),
           discarded_by = ${discard.by}, discard_reason = ${discard.note}
     where id = ${discard.runId}
    returning *`)

/** How much of each currency is matched, whichever way it went. */
export const selectMatchedSums = (
  db: Queryable,
  { id, run_no: runNo }: Pick<Run, 'id' | 'run_no'>,
) =>
  all<{ currency: string; amount: number }>(db)(sql`
    select currency, sum(abs(amount))::float8 as amount
      from payments.reconciliation_tallies
     where run_id = ${id} and run_no = ${runNo} and reason in ('exact_match', 'manual_match')
     group by currency`)
