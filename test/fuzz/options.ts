import type { Role } from '@posthorn/http'
import { readOptions, requireOneOf } from '../../proof/kit/options.ts'

export interface Options {
  readonly seed: number
  /** The most made-up requests for each operation and role, beside those at the edges. */
  readonly examples: number
  /** How long the API is tried for one role: chains and made-up requests are repeated until then. */
  readonly seconds: number
  /** To the API, of each role: fewer are too few to say anything. */
  readonly requests: number
  readonly roles: readonly Role[]
  /** The parsers alone. */
  readonly parsers: boolean
  /** For all parsers together. */
  readonly minutes: number
}

const ROLES: readonly Role[] = ['platform', 'operator', 'member', 'clerk']

export function parseOptions(): Options {
  const { roles, ...given } = readOptions({
    ...{ seed: 1, examples: 10, seconds: 420, requests: 5_000, minutes: 5 },
    ...{ roles: ROLES.join(), parsers: false },
  })
  const named = roles.split(',').map((role) => requireOneOf('--roles', role, ROLES))
  return { ...given, roles: named }
}
