import { defineProblems } from '@posthorn/http'

/** What this system refuses, beside the codes of @posthorn/http. */
export const ORDERS_PROBLEMS = {
  SAGA_MOVED: { status: 409, title: 'The saga is no longer at this step' },
  SAGA_NOT_STEERABLE: { status: 409, title: 'The status of the saga does not allow this' },
  SAGA_SIGNAL_REFUSED: { status: 409, title: 'The saga refuses this signal' },
} as const

export const problem = defineProblems(ORDERS_PROBLEMS)
