import { callerOf } from '@posthorn/http'
import { problem } from '../problems.ts'

/** Whose files and payments: reconciliation is the organisation's, whichever member works on it. */
export interface Owner {
  readonly org: string
}

/** A run of an owner: another organisation's runs are not found. */
export interface RunKey extends Owner {
  readonly id: string
}

/** Who asks: what they do is recorded under their name. */
export interface Member extends Owner {
  readonly user: string
}

type Request = Parameters<typeof callerOf>[0]

export function memberOf(request: Request): Member {
  const { org, sub } = callerOf(request)
  return { org, user: sub }
}

/** What a route found, or 404. */
export function requireFound<Thing>(thing: Thing | undefined, what: string): Thing {
  if (thing === undefined) throw problem('NOT_FOUND', { detail: `There is no such ${what}.` })
  return thing
}
