import { defineProblems } from '@posthorn/http'

/** What profiles refuse, beside the codes of @posthorn/http. */
export const PROFILE_PROBLEMS = {
  PROFILE_NAME_TAKEN: { status: 409, title: 'There is a profile of this name' },
  PROFILE_CHANGED: { status: 409, title: 'The profile has a newer version' },
  PROFILE_LIMIT: { status: 409, title: 'There are too many profiles' },
} as const

export const problem = defineProblems(PROFILE_PROBLEMS)
