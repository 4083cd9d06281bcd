import { callerOf } from '@posthorn/http'
import { problem } from './problems.ts'

/** Whose files and payments: reconciliation is each user's own. */
export interface Owner {
  readonly org: string
  readonly user: string
}

/** A run of an owner: other users' runs are not found. */
export interface RunKey extends Owner {
  readonly id: string
}

type Request = Parameters<typeof callerOf>[0]

export function ownerOf(request: Request): Owner {
  const { org, sub } = callerOf(request)
  return { org, user: sub }
}

/** What a route found, or 404. */
export function requireFound<Thing>(thing: Thing | undefined, what: string): Thing {
  if (thing === undefined) throw problem('NOT_FOUND', { detail: `There is no such ${what}.` })
  return thing
}
