import type { Attack } from './attack.ts'
import { slowloris, slowZips, streams } from './held.ts'
import { endpoints, names, requests, strangers, uploads } from './requests.ts'
import { unsigned } from './unsigned.ts'

export type { Attack, AttackTarget } from './attack.ts'

/** Two organisations that upload as much as they can, and one of them asks without a pause besides. */
const pair: Attack = {
  name: 'pair',
  about: 'two organisations at once: both upload without a pause, and one reads and writes too',
  async run({ accomplices, tally, ...context }) {
    const countAs = (what: string) => ({
      ...tally,
      count: (outcome: string) => tally.count(`${what}: ${outcome}`),
    })
    await Promise.all([
      uploads.run({ ...context, accomplices, tally: countAs('one, uploads') }),
      requests.run({ ...context, accomplices, tally: countAs('one, requests') }),
      uploads.run({
        ...{ ...context, accomplices, tokens: accomplices },
        tally: countAs('other, uploads'),
      }),
    ])
  },
}

export const attacks: readonly Attack[] = [
  requests,
  uploads,
  endpoints,
  slowZips,
  slowloris,
  streams,
  strangers,
  unsigned,
  names,
  pair,
]
