import type { Attack } from './attack.ts'
import { requests } from './requests.ts'
import { uploads } from './uploads.ts'

/** Two organisations that upload as much as they can, and one of them asks without a pause besides. */
export const pair: Attack = {
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
