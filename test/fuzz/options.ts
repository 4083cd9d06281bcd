import { parseArgs } from 'node:util'
import type { Role } from '@posthorn/http'

export interface Options {
  readonly seed: string
  /** The most made-up requests for each operation and role, beside those at the edges. */
  readonly examples: string
  /** The longest that one role may take. */
  readonly seconds: string
  readonly roles: readonly Role[]
  /** Parsers instead of a server. */
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
      seconds: { type: 'string', default: '1800' },
      minutes: { type: 'string', default: '5' },
      roles: { type: 'string', default: ROLES.join() },
      parsers: { type: 'boolean', default: false },
    },
  })
  const { roles, parsers, ...numbers } = values
  for (const [name, value] of Object.entries(numbers)) {
    if (!/^\d{1,9}$/.test(value)) throw new Error(`--${name} takes a whole number, not '${value}'`)
  }
  const named = roles.split(',').map((name) => {
    const role = ROLES.find((each) => each === name)
    if (!role) throw new Error(`--roles takes some of ${ROLES.join()}, not '${name}'`)
    return role
  })
  const { minutes, ...rest } = numbers
  return { ...rest, minutes: Number(minutes), roles: named, parsers }
}
