import type { FastifyRequest } from 'fastify'
import { problem } from '../problem/problem.ts'

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

/**
 * Whom an address stands for: an IPv4 address itself, of an IPv6 address its /64, since a single
 * household has all of those.
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - after.length)
  const whole = [...groups, ...Array<string>(zeros).fill('0'), ...after]
  return `${whole.slice(0, 4).join(':')}::/64`
}

/** A user's name across tenants; a token's names contain no line break. */
export function userOf({ org, sub }: Caller): string {
  return `${org}\n${sub}`
}

/** Who shares a limit: an organisation, or a network without a token. */
export function partyOf({ caller, ip }: FastifyRequest): string {
  return caller ? `org ${caller.org}` : `network ${networkOf(ip)}`
}
