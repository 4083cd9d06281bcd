import { parseArgs } from 'node:util'
import type { Role } from '@posthorn/http'
import { requireNumber } from '../../proof/kit/proof-run.ts'

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

export function parseOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      seed: { type: 'string', default: '1' },
      examples: { type: 'string', default: '10' },
      seconds: { type: 'string', default: '420' },
      requests: { type: 'string', default: '5000' },
      minutes: { type: 'string', default: '5' },
      roles: { type: 'string', default: ROLES.join() },
      parsers: { type: 'boolean', default: false },
    },
  })
  const { roles, parsers } = values
  const named = roles.split(',').map((name) => {
    const role = ROLES.find((each) => each === name)
    if (!role) throw new Error(`--roles takes some of ${ROLES.join()}, not '${name}'`)
    return role
  })
  return {
    seed: requireNumber('--seed', values.seed),
    examples: requireNumber('--examples', values.examples),
    seconds: requireNumber('--seconds', values.seconds),
    requests: requireNumber('--requests', values.requests),
    minutes: requireNumber('--minutes', values.minutes),
    roles: named,
    parsers,
  }
}
