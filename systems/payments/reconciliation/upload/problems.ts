import { defineProblems } from '@posthorn/http'

/** What uploads refuse, beside the codes of @posthorn/http. */
export const UPLOAD_PROBLEMS = {
  FILE_ALREADY_UPLOADED: { status: 409, title: 'This file has been uploaded before' },
  NO_ROOM_FOR_FILE: { status: 503, title: 'The server has no room for the file at the moment' },
  TOO_MANY_UPLOADS: { status: 429, title: 'Too many files are being uploaded' },
} as const

export const problem = defineProblems(UPLOAD_PROBLEMS)
