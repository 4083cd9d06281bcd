import { defineProblems } from '@posthorn/http'

/** What reconciling refuses, beside the codes of @posthorn/http. */
export const RECONCILIATION_PROBLEMS = {
  RECONCILIATION_BUSY: { status: 409, title: 'Another reconciliation is in progress' },
  RECONCILIATION_DISCARDED: { status: 409, title: 'The file was discarded' },
  RECONCILIATION_NOT_RUN: { status: 409, title: 'The file has not been reconciled yet' },
  DECISION_STALE: { status: 409, title: 'The record has changed since it was read' },
  DECISION_NOT_POSSIBLE: { status: 409, title: 'The record is not in a state that allows this' },
  PAYMENT_TAKEN: { status: 409, title: 'A payment or refund belongs to another record already' },
  AMOUNTS_DIFFER: {
    status: 409,
    title: 'Payments, refunds and adjustment do not add up to the record',
  },
  PART_TOO_LARGE: { status: 409, title: 'The record is more than what is left of its payment' },
  CURRENCIES_DIFFER: { status: 409, title: 'The payments are in another currency than the record' },
  SUGGESTION_CLOSED: { status: 409, title: 'The suggestion is no longer open' },
} as const

export const problem = defineProblems(RECONCILIATION_PROBLEMS)
