import { nameOf } from '../stage.ts'
import { drawMember, drawMs, holdFor, inSeconds, type Fault } from './fault.ts'

const kill: Fault = {
  name: 'kill',
  weight: 14,
  plan(random, size) {
    const member = drawMember(random, size)
    return {
      text: `kill -9 ${nameOf(member)}`,
      target: nameOf(member),
      run: async ({ fleets }) => void (await fleets[member.role].kill(member.place)),
    }
  },
}

/** Past the leases of 30 s; a short run has no time for it. */
const LONG_MS = 35_000
const LONG = { share: 0.15, runMs: 180_000 }

/** Past the leases of the outboxes: it wakes up as a zombie that believes in its claims. */
const freeze: Fault = {
  name: 'freeze',
  weight: 8,
  plan(random, size) {
    const member = drawMember(random, size)
    const isLong = random.fraction() < LONG.share && size.durationMs >= LONG.runMs
    const ms = isLong ? LONG_MS : drawMs(random, 2_500, 9_000)
    return {
      text: `SIGSTOP ${nameOf(member)} for ${inSeconds(ms)}`,
      target: nameOf(member),
      async run({ fleets, signal }) {
        const suspended = fleets[member.role].suspend(member.place)
        await holdFor(ms, signal, () => suspended.resume())
      },
    }
  },
}

export const processFaults: readonly Fault[] = [kill, freeze]
