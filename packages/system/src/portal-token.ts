import type { Caller } from '@posthorn/http'
import type { Sealing } from './sealing.ts'

/** What a portal's token says; only the server that made it can read it. */
interface Sealed {
  readonly sub: string
  readonly org: string
  readonly readOnly: boolean
  /** In ms since 1970. */
  readonly expiresAt: number
}

const PREFIX = 'portal_'
const CONTEXT = 'portal token'

/** A token for the portal of one organisation. It is sealed, not signed: there is no key to publish. */
export function makePortalToken(sealing: Sealing, token: Sealed): string {
  return PREFIX + sealing.seal(JSON.stringify(token), CONTEXT)
}

/** Whether a token is a portal's, good or not. */
export function isPortalToken(token: string): boolean {
  return token.startsWith(PREFIX)
}

/**
 * Whose a portal's token is; undefined if it was not made here. Its holder acts as an administrator
 * or a viewer, and only where routes are open to portals.
 */
export function readPortalToken(sealing: Sealing, token: string): Caller | undefined {
  let opened: Sealed
  try {
    opened = JSON.parse(sealing.open(token.slice(PREFIX.length), CONTEXT)) as Sealed
  } catch {
    return undefined
  }
  const { sub, org, readOnly, expiresAt } = opened
  const portal = readOnly ? 'read' : 'write'
  return { sub, org, role: readOnly ? 'viewer' : 'admin', expiresAt, portal }
}
