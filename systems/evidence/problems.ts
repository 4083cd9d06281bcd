import { defineProblems } from '@posthorn/http'

/** What this system refuses, beside the codes of @posthorn/http. */
export const EVIDENCE_PROBLEMS = {
  MERCHANT_LIMIT: { status: 429, title: 'The merchant has too many uploads in progress' },
  FILES_REMOVED: { status: 409, title: 'The files of the job are no longer kept' },
  INVALID_STATE: { status: 409, title: 'The state of the file does not allow this' },
  UPLOADS_BUSY: { status: 503, title: 'Too many uploads at once' },
  UPLOAD_TOO_SLOW: { status: 408, title: 'The upload came too slowly' },
  UPLOAD_INCOMPLETE: { status: 400, title: 'The upload is incomplete' },
} as const

export const problem = defineProblems(EVIDENCE_PROBLEMS)
