import type { FastifyRequest } from 'fastify'
import { problem } from './problem.ts'

/**
 * What a token may say. `member` counts as `clerk` and `operator` as `admin` of its organisation;
 * `platform` operates everything. `PERMISSIONS` says what each may do.
 */
export type Role = 'viewer' | 'clerk' | 'member' | 'approver' | 'admin' | 'operator' | 'platform'

/** Who asks, as the token says. */
export interface Caller {
  /** The user. */
  readonly sub: string
  /** The tenant. */
  readonly org: string
  readonly role: Role
  /** When the token runs out, in ms since 1970. */
  readonly expiresAt: number
  /** Came by a portal, to look or to change things: only routes that are open to portals answer. */
  readonly portal?: 'read' | 'write'
}

/** The caller of a route that needs a token. */
export function callerOf(request: FastifyRequest): Caller {
  // Only a public route has none: asking there is a mistake, and the safe answer is a refusal.
  if (!request.caller) throw problem('UNAUTHENTICATED')
  return request.caller
}
