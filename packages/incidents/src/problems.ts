import { defineProblems } from '@posthorn/http'

/** What incidents refuse, beside the codes of @posthorn/http. */
export const INCIDENT_PROBLEMS = {
  CHANNEL_NAME_TAKEN: { status: 409, title: 'Another channel has this name' },
} as const

export const problem = defineProblems(INCIDENT_PROBLEMS)
