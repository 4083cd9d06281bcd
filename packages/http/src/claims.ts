import type { JWTPayload } from 'jose'
import type { Role } from './caller.ts'
import { ROLES } from './permissions.ts'

/**
 * Where tokens say what a caller is, for providers with words of their own. A name is that of a
 * claim, or a path through claims with dots between, as in `realm_access.roles`.
 */
export interface ClaimNames {
  /** Default `org`. */
  readonly org?: string
  /** Default `role`. */
  readonly role?: string
  /**
   * What the role claim must be, or have among others, for each role; of several the one with the
   * most permissions counts, and every other user is a member. Without it the claim must be one of
   * the roles' own names, or absent.
   */
  readonly roles?: Partial<Readonly<Record<Role, string>>>
}

/** A caller as a token says it, unchecked. */
export interface Claimed {
  readonly sub: unknown
  readonly org: unknown
  readonly role: unknown
  readonly exp: number
}

export function readClaims(payload: JWTPayload, names: ClaimNames = {}): Claimed {
  const { org = 'org', role = 'role', roles } = names
  const said = claimAt(payload, role)
  return {
    sub: payload.sub,
    org: claimAt(payload, org),
    role: roles === undefined ? said : roleBy(said, roles),
    exp: payload.exp ?? 0,
  }
}

function roleBy(said: unknown, words: NonNullable<ClaimNames['roles']>): Role {
  // Some write roles as a list, some as one text with blanks between, as scopes are.
  const has: unknown = typeof said === 'string' ? [said, ...said.split(' ')] : said
  if (!Array.isArray(has)) return 'member'
  const isHeld = (role: Role) => words[role] !== undefined && has.includes(words[role])
  return ROLES.findLast(isHeld) ?? 'member'
}

/** The name as it stands comes first: some are addresses, with dots in them. */
function claimAt(payload: JWTPayload, name: string): unknown {
  if (Object.hasOwn(payload, name)) return payload[name]
  let value: unknown = payload
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined
    value = (value as Record<string, unknown>)[part]
  }
  return value
}
