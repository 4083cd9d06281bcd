import { pause } from '../../crash/waiting.ts'
import { nameOf, type Member } from '../stage.ts'
import { draw, drawMember, drawMs, holdFor, inSeconds, type Fault } from './fault.ts'

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

/** So slow is the line of a relay that is about to become a zombie, and for so long it claims. */
const UNDER_WAY_MS = 900
const CLAIMING_MS = 1_500

/**
 * A relay is stopped while messages are under way, until others have taken and settled them; then it
 * wakes up with the broker's answer and believes in its claims.
 */
const zombie: Fault = {
  name: 'zombie',
  weight: 6,
  plan(random, { processes }) {
    const member: Member = { role: 'relay', place: random.below(processes) }
    const broker = draw(random, ['kafka', 'rabbitmq'] as const)
    const ms = drawMs(random, 3_000, 7_000)
    return {
      text: `SIGSTOP ${nameOf(member)} with messages under way to ${broker} for ${inSeconds(ms)}`,
      target: nameOf(member),
      async run({ fleets, linesOf, signal }) {
        const line = linesOf(member).to[broker]
        line.slow(UNDER_WAY_MS)
        try {
          await pause(CLAIMING_MS, signal)
          const suspended = fleets[member.role].suspend(member.place)
          await holdFor(ms, signal, () => suspended.resume())
        } finally {
          await line.heal()
        }
      },
    }
  },
}

export const processFaults: readonly Fault[] = [kill, freeze, zombie]
