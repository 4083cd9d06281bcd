import { parseArgs } from 'node:util'

export interface Options {
  readonly seed: string
  /** The most made-up requests for each operation and role, beside those at the edges. */
  readonly examples: string
  /** The longest that one role may take. */
  readonly seconds: string
}

export function parseOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      seed: { type: 'string', default: '1' },
      examples: { type: 'string', default: '10' },
      seconds: { type: 'string', default: '1800' },
    },
  })
  for (const [name, value] of Object.entries(values)) {
    if (!/^\d{1,9}$/.test(value)) throw new Error(`--${name} takes a whole number, not '${value}'`)
  }
  return values
}
