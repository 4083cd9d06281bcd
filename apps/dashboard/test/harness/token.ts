import { createHmac } from 'node:crypto'
import type { Role } from '../../src/session/claims.ts'

/** Who looks at the dashboard. */
export interface TestUser {
  readonly sub: string
  readonly org: string
  readonly role: Role
}

/** A token as the server takes it: HS256, valid for an hour by default. */
export function tokenFor(user: TestUser, secret: string, seconds = 3_600): string {
  const exp = Math.floor(Date.now() / 1_000) + seconds
  const parts = [
    { alg: 'HS256', typ: 'JWT' },
    { ...user, exp },
  ].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  const signed = parts.join('.')
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
}
