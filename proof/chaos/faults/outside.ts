import type { World } from '../../kit/stand/world.ts'
import { systemProofs } from '../../kit/stand/system-proof.ts'
import { draw, drawMs, holdFor, inSeconds, type Fault } from './fault.ts'

/** The simulators. */
const ACTORS = [
  'gateway',
  'mail',
  ...systemProofs.flatMap((proof) => proof.simulators?.('').map(({ name }) => name) ?? []),
]

/** How those outside fail; with an effect, what was asked for happens all the same. */
const MISHAPS = [
  { text: 'answers 500', order: { mode: 'error', status: 500 } },
  { text: 'does it and answers 503', order: { mode: 'error', status: 503, effect: true } },
  { text: 'does it and drops the connection', order: { mode: 'drop', effect: true } },
  { text: 'drops the connection', order: { mode: 'drop' } },
  { text: 'says nothing', order: { mode: 'timeout' } },
  { text: 'does it and says nothing', order: { mode: 'timeout', effect: true } },
  { text: 'is slow', order: { mode: 'slow', delayMs: 1_200 } },
] as const

const failing: Fault = {
  name: 'outside',
  weight: 10,
  plan(random) {
    const actor = draw(random, ACTORS)
    const { text, order } = draw(random, MISHAPS)
    const ms = drawMs(random, 1_000, 6_000)
    return {
      text: `${actor} ${text} for ${inSeconds(ms)}`,
      targets: [actor],
      async run({ world, signal }) {
        await world.control('POST', `/${actor}/faults`, order)
        await holdFor(ms, signal, () => mend(world, actor))
      },
    }
  },
}

/** The gateway's webhooks come three times, and the last one first. */
const webhooks: Fault = {
  name: 'webhooks',
  weight: 4,
  plan(random) {
    const habits = { copies: 1 + random.below(3), order: 'reversed', delayMs: 400 }
    const ms = drawMs(random, 3_000, 8_000)
    return {
      text: `webhooks of the gateway ${habits.copies} times, in reverse, for ${inSeconds(ms)}`,
      targets: ['gateway webhooks'],
      async run({ world, signal }) {
        await world.control('POST', '/gateway/webhooks', habits)
        await holdFor(ms, signal, () => world.control('POST', '/gateway/webhooks', {}))
      },
    }
  },
}

export const outsideFaults: readonly Fault[] = [
  failing,
  webhooks,
  ...systemProofs.flatMap(({ faults = [] }) => faults),
]

function mend(world: World, actor: string): Promise<void> {
  return world.control('POST', `/${actor}/faults`, { mode: 'ok' })
}
