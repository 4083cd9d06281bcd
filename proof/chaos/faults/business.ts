import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { advanceClock } from '@posthorn/operate'
import { SLOW_FILE } from '../system.ts'
import { draw, drawMs, holdFor, inSeconds, type Fault } from './fault.ts'

/** Together less than the day for which keys are known. */
const STEPS = ['10s', '1m', '5m'] as const

const clock: Fault = {
  name: 'clock',
  weight: 5,
  plan(random) {
    const by = draw(random, STEPS)
    return {
      text: `the business clock moves ${by}`,
      targets: ['clock'],
      // A clock that cannot be moved since Postgres is away stays as it is.
      run: async ({ pool }) => void (await advanceClock(pool, by).catch(() => undefined)),
    }
  },
}

const slowConsumers: Fault = {
  name: 'slow consumers',
  weight: 3,
  plan(random) {
    const ms = drawMs(random, 2_000, 6_000)
    return {
      text: `consumers take 0.3 s a message for ${inSeconds(ms)}`,
      targets: ['consumers'],
      async run({ servers, signal }) {
        const file = join(servers.folder, SLOW_FILE)
        await writeFile(file, '')
        await holdFor(ms, signal, () => rm(file, { force: true }))
      },
    }
  },
}

export const businessFaults: readonly Fault[] = [clock, slowConsumers]
