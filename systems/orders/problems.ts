import { defineProblems } from '@posthorn/http'

/** What this system refuses, beside the codes of @posthorn/http. */
export const ORDERS_PROBLEMS = {
  SAGA_NOT_STEERABLE: { status: 409, title: 'The status of the saga does not allow this' },
} as const

export const problem = defineProblems(ORDERS_PROBLEMS)
