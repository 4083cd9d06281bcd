import { parseArgs } from 'node:util'
import { requireNumber } from '../kit/proof-run.ts'
import { attacks, type Attack } from './attacks/index.ts'

export interface Options {
  readonly seed: number
  /** How long each attack goes on. */
  readonly attackMs: number
  readonly attacks: readonly Attack[]
}

export function parseOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      seed: { type: 'string', default: '1' },
      seconds: { type: 'string', default: '20' },
      attacks: { type: 'string', default: attacks.map(({ name }) => name).join() },
    },
  })
  return {
    seed: requireNumber('--seed', values.seed),
    attackMs: requireNumber('--seconds', values.seconds) * 1_000,
    attacks: values.attacks.split(',').map((name) => {
      const attack = attacks.find((each) => each.name === name)
      if (attack) return attack
      const known = attacks.map((each) => each.name).join()
      throw new Error(`--attacks takes some of ${known}, not '${name}'`)
    }),
  }
}
