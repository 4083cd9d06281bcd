import { sql, type Queryable, type Transaction } from '@posthorn/engine'
import { all, one } from '@posthorn/system'
import type { Owner } from '../request.ts'
import { takenAmount, type RecordKey } from '../records/queries.ts'
import type { Reason } from '../reason.ts'
import type { Adjustment, DecisionRule } from './decision.ts'
import type { Run } from '../runs/run.ts'

/** A payment and the record that has it. */
export interface PaymentUse {
  readonly id: string
  readonly amount: string
  readonly currency: string
  /** Whether it took money. */
  readonly has_succeeded: boolean
  readonly run_id: string | null
  readonly line_number: number | null
  /** What records have of it that stand for parts of it. */
  readonly parts: string
}

/** Those of the ids that are payments of the organisation. */
export const selectPaymentUse = (db: Queryable, { org }: Owner, ids: readonly string[]) =>
  all<PaymentUse>(db)(sql`
    select p.id, ${takenAmount} as amount, p.currency,
           p.status in ('succeeded', 'refunded') as has_succeeded,
           coalesce(r.run_id, l.run_id) as run_id,
           coalesce(r.line_number, l.line_number) as line_number,
           coalesce((select sum(m.amount - coalesce(m.adjustment, 0))
                       from payments.reconciliation_records as m
                      where m.matched_payment_id = p.id and m.matched_as = 'part'), 0) as parts
      from payments.payments as p
      left join payments.reconciliation_records as r
        on r.matched_payment_id = p.id and r.matched_as is null
      left join payments.reconciliation_links as l on l.payment_id = p.id
     where p.org_id = ${org} and p.id = any(${ids}::uuid[])`)

/** A refund or dispute, the payment that it is of, and the record that has it. */
export interface ReversalUse extends Omit<PaymentUse, 'parts' | 'has_succeeded'> {
  readonly kind: 'refund' | 'dispute'
  readonly payment_id: string
}

/** Those of the ids that are refunds or disputes of the organisation and took or take money. */
export async function selectReversalUse(
  db: Queryable,
  { org }: Owner,
  { refundIds, disputeIds }: { refundIds: readonly string[]; disputeIds: readonly string[] },
): Promise<ReversalUse[]> {
  if (refundIds.length + disputeIds.length === 0) return []
  return all<ReversalUse>(db)(sql`
    select r.kind, r.id, r.payment_id, r.amount, r.currency, f.run_id, f.line_number
      from payments.reversals as r
      left join payments.reconciliation_reversals as f on f.id = r.id
     where r.org_id = ${org} and r.took_money
       and (r.refund_id = any(${refundIds}::uuid[]) or r.dispute_id = any(${disputeIds}::uuid[]))`)
}

/** How a record looks after a decision. */
export interface Decided extends RecordKey {
  readonly rule: DecisionRule
  readonly paymentIds: readonly string[]
  readonly refundIds: readonly string[]
  readonly disputeIds: readonly string[]
  /** The payment that it shows, what it stands for, and whether all its payments took money. */
  readonly matched: {
    readonly paymentId: string
    readonly as: 'part' | 'refund' | 'dispute' | null
    readonly hasSucceeded: boolean
  } | null
  readonly adjustment: Adjustment | undefined
}

/** What a record keeps is linked again: it must not be unmatched with links. */
export async function deleteLinks(tx: Transaction, { runId, line }: RecordKey): Promise<void> {
  await tx.query(sql`
    delete from payments.reconciliation_links where run_id = ${runId} and line_number = ${line}`)
  await tx.query(sql`
    delete from payments.reconciliation_reversals where run_id = ${runId} and line_number = ${line}`)
}

export async function updateRecord(tx: Transaction, decided: Decided): Promise<void> {
  const { runId, line, rule, matched, adjustment } = decided
  await tx.query(sql`
    update payments.reconciliation_records
       set status = ${rule.status}, matched_payment_id = ${matched?.paymentId ?? null},
           matched_as = ${matched?.as ?? null},
           decided_by = ${rule.decidedBy}, version = version + 1,
           adjustment = ${adjustment?.amount ?? null}, adjustment_kind = ${adjustment?.kind ?? null}
     where run_id = ${runId} and line_number = ${line}`)
}

/** All payments of a record but its first, its refunds and its disputes. */
export async function insertLinks(
  tx: Transaction,
  { runId, line, paymentIds, refundIds, disputeIds }: Decided,
): Promise<void> {
  await tx.query(sql`
    insert into payments.reconciliation_reversals (refund_id, dispute_id, run_id, line_number)
    select refund_id, dispute_id, ${runId}, ${line}
      from payments.reversals
     where refund_id = any(${refundIds}::uuid[]) or dispute_id = any(${disputeIds}::uuid[])
     order by id`)
  await tx.query(sql`
    insert into payments.reconciliation_links (payment_id, run_id, line_number)
    select id, ${runId}, ${line}
      from unnest(${paymentIds.slice(1)}::uuid[]) as t (id)
     order by id`)
}

/** What a decision moves to another reason. */
export interface Move extends RecordKey {
  readonly runNo: number
  readonly currency: string
  readonly amount: string
  readonly to: Reason
  /** 1 matched, -1 unmatched, 0 neither. */
  readonly matched: number
}

/** The tallies of the last run, and the counts of the file. Before the record's detail is replaced. */
export const moveTally = (tx: Transaction, move: Move) =>
  tx.query(sql`
    with gone as (
      update payments.reconciliation_tallies
         set records = records - 1, amount = amount - ${move.amount}::bigint
       where run_id = ${move.runId} and run_no = ${move.runNo} and currency = ${move.currency}
         and reason = (select reason
                         from payments.reconciliation_details
                        where run_id = ${move.runId} and line_number = ${move.line})
    ), come as (
      insert into payments.reconciliation_tallies as t
             (run_id, run_no, currency, reason, records, amount)
      values (${move.runId}, ${move.runNo}, ${move.currency}, ${move.to}, 1, ${move.amount})
      on conflict (run_id, run_no, currency, reason)
      do update set records = t.records + 1, amount = t.amount + excluded.amount
    )
    update payments.reconciliation_runs
       set matched = matched + ${move.matched}::integer,
           unmatched = unmatched - ${move.matched}::integer
     where id = ${move.runId}`)

/** Why a record is now as it is. */
export interface NewDetail extends RecordKey {
  /** Of the run that follows. */
  readonly runNo: number
  readonly reason: Reason
  readonly paymentId: string | null
  readonly note: string | null
  readonly actor: string
}

/** What the detail said before goes to the history by itself. */
export const replaceDetail = (tx: Transaction, detail: NewDetail) =>
  tx.query(sql`
    update payments.reconciliation_details
       set run_no = ${detail.runNo}, reason = ${detail.reason}, payment_id = coalesce(${detail.paymentId}, payment_id),
           note = ${detail.note}, actor = ${detail.actor}, created_at = posthorn.now()
     where run_id = ${detail.runId} and line_number = ${detail.line}`)

/** A decision about a record answers its suggestions. */
export const closeSuggestions = (
  tx: Transaction,
  { runId, line, accepted }: RecordKey & { readonly accepted: string | undefined },
) =>
  tx.query(sql`
    update payments.reconciliation_suggestions
       set status = case when id = ${accepted}::uuid then 'accepted' else 'dismissed' end
     where run_id = ${runId} and status = 'open'
       and (line_number = ${line} or ${line} = any(line_numbers))`)

/** One of several decisions in a transaction: refused, it leaves the others as they are. */
export const beginOne = (tx: Transaction) => tx.query(sql`savepoint one_decision`)
export const keepOne = (tx: Transaction) => tx.query(sql`release savepoint one_decision`)
export const undoOne = (tx: Transaction) => tx.query(sql`rollback to savepoint one_decision`)

/** Who takes a file back, and why. */
export interface Discard {
  readonly runId: string
  /** Of the run that would have come next. */
  readonly runNo: number
  readonly by: string
  readonly note: string
}

const MATCHED_REASONS = sql`('exact_match', 'manual_match', 'payment_not_succeeded')`

/** Lets go of the payments and refunds of a run, and of what its statements are recognised by. */
export async function releaseMatches(tx: Transaction, { runId }: Discard): Promise<void> {
  await tx.query(sql`delete from payments.reconciliation_links where run_id = ${runId}`)
  await tx.query(sql`delete from payments.reconciliation_reversals where run_id = ${runId}`)
  await tx.query(sql`
    update payments.reconciliation_records
       set status = 'unmatched', matched_payment_id = null, matched_as = null, decided_by = null,
           adjustment = null, adjustment_kind = null, version = version + 1
     where run_id = ${runId} and status = 'matched'`)
  await tx.query(sql`
    update payments.reconciliation_suggestions
       set status = 'dismissed'
     where run_id = ${runId} and status = 'open'`)
  await tx.query(sql`
    update payments.reconciliation_statements set identity = null where run_id = ${runId}`)
}

/** Which payment a record had stays in its history, which a trigger writes. */
export const explainDiscard = (tx: Transaction, discard: Discard) =>
  tx.query(sql`
    update payments.reconciliation_details
       set run_no = ${discard.runNo}, reason = 'discarded', note = ${discard.note},
           actor = ${discard.by}, created_at = posthorn.now()
     where run_id = ${discard.runId} and reason in ${MATCHED_REASONS}`)

/** What was matched counts as discarded from now on. */
export const moveTallies = (tx: Transaction, { id, run_no: runNo }: Pick<Run, 'id' | 'run_no'>) =>
  tx.query(sql`
    with matched as (
      delete from payments.reconciliation_tallies
       where run_id = ${id} and run_no = ${runNo} and reason in ${MATCHED_REASONS}
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

/**
 * How much of each currency a run or a person has matched or decided about, whichever way it went.
 * Also what is open again: else a file could be emptied line by line, and then discarded by one person.
 */
export const selectTouchedSums = (db: Queryable, { id }: Pick<Run, 'id'>) =>
  all<{ currency: string; amount: number }>(db)(sql`
    select currency, sum(abs(amount))::float8 as amount
      from payments.reconciliation_records
     where run_id = ${id} and version > 0
     group by currency`)
