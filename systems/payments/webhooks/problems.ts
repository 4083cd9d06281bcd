import { defineProblems } from '@posthorn/http'

/** What webhooks refuse, beside the codes of @posthorn/http. */
export const WEBHOOK_PROBLEMS = {
  URL_NOT_ALLOWED: { status: 400, title: 'Webhooks may not go to this URL' },
  ENDPOINT_DISABLED: { status: 409, title: 'The endpoint is disabled' },
  ENDPOINT_LIMIT: { status: 409, title: 'There are too many endpoints' },
  DELIVERY_NOT_FINISHED: { status: 409, title: 'The delivery is still being attempted' },
} as const

export const problem = defineProblems(WEBHOOK_PROBLEMS)
