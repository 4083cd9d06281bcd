import type { Approval } from '../../approvals/proposal.ts'
import type { AdjustmentKind, StatementRecord } from '../records/record.ts'
import type { Reason } from '../reason.ts'

/*
 *            match                    unmatch
 *  open ───────────────▶ matched ───────────────▶ unmatched by hand
 *   │ ▲                                                 │      │ match
 *   │ └───────────────────── reopen ────────────────────┤      ▼
 *   └──────────────────────▶ ignored ───────────────────┘   matched
 *            ignore
 *
 * Only what is open is looked at by a run.
 */

export type DecisionKind = 'match' | 'unmatch' | 'ignore' | 'reopen'

/** What a person decides about a record. */
export interface Decision {
  readonly kind: DecisionKind
  readonly by: string
  /** Their own words. */
  readonly note: string | null
  /** Whether its amount is to be weighed, or another person has approved it. */
  readonly approval: Approval
  /** The version of the record that they saw; left out, whichever there is. */
  readonly version?: number | undefined
  /** For a match: in this order; the first becomes the record's own. */
  readonly paymentIds?: readonly string[]
  /** For a match: what was given back and is in the record too, or all that it is. */
  readonly refundIds?: readonly string[]
  /** The same of disputes. */
  readonly disputeIds?: readonly string[]
  /** For a match: the record is only a part of its one payment. */
  readonly isPart?: boolean | undefined
  readonly adjustment?: Adjustment | undefined
}

/** What the payments leave over, written down instead of forgotten. */
export interface Adjustment {
  readonly amount: number
  readonly kind: AdjustmentKind
}

/** How a record looks afterwards, and what the audit calls it. */
export interface DecisionRule {
  readonly reason: Reason
  readonly action: string
  readonly status: 'matched' | 'unmatched'
  readonly decidedBy: 'manual' | 'ignored' | null
  isAllowed(record: Pick<StatementRecord, 'status' | 'decided_by'>): boolean
}

export const DECISIONS: Readonly<Record<DecisionKind, DecisionRule>> = {
  match: {
    reason: 'manual_match',
    action: 'reconciliation.record_matched',
    status: 'matched',
    decidedBy: 'manual',
    isAllowed: ({ status }) => status === 'unmatched',
  },
  unmatch: {
    reason: 'manual_unmatch',
    action: 'reconciliation.record_unmatched',
    status: 'unmatched',
    decidedBy: 'manual',
    isAllowed: ({ status }) => status === 'matched',
  },
  ignore: {
    reason: 'ignored',
    action: 'reconciliation.record_ignored',
    status: 'unmatched',
    decidedBy: 'ignored',
    isAllowed: ({ status, decided_by: by }) => status === 'unmatched' && by !== 'ignored',
  },
  reopen: {
    reason: 'reopened',
    action: 'reconciliation.record_reopened',
    status: 'unmatched',
    decidedBy: null,
    isAllowed: ({ status, decided_by: by }) => status === 'unmatched' && by !== null,
  },
}
