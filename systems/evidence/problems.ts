import { defineProblems } from '@posthorn/http'

/** What this system refuses, beside the codes of @posthorn/http. */
export const EVIDENCE_PROBLEMS = {
  MERCHANT_LIMIT: { status: 429, title: 'The merchant has as much under way as it may' },
  UPLOAD_INCOMPLETE: { status: 400, title: 'The upload ended before its end' },
} as const

export const problem = defineProblems(EVIDENCE_PROBLEMS)
