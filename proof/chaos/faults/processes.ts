import { pause, until } from '../../kit/waiting.ts'
import { nameOf, type Member } from '../stage.ts'
import { drawMember, drawMs, holdFor, inSeconds, type Fault } from './fault.ts'
import { areSettled, selectUnderWay } from './queries.ts'

const kill: Fault = {
  name: 'kill',
  weight: 14,
  plan(random, size) {
    const member = drawMember(random, size)
    return {
      text: `kill -9 ${nameOf(member)}`,
      targets: [nameOf(member)],
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
      targets: [nameOf(member)],
      async run({ fleets, signal }) {
        const suspended = fleets[member.role].suspend(member.place)
        await holdFor(ms, signal, () => suspended.resume())
      },
    }
  },
}

/** So slow are the lines of a relay that is about to become a zombie, and for so long it claims. */
const UNDER_WAY_MS = 900
const CLAIMING_MS = 1_500
/** Others have so long to take its messages over: a busy machine takes its time. */
const TAKEN_OVER_MS = 60_000

/**
 * A relay is stopped while messages are under way, until others have taken and settled them; then it
 * wakes up with the broker's answer and believes in its claims.
 */
const zombie: Fault = {
  name: 'zombie',
  weight: 12,
  plan(random, { processes }) {
    const places = Array.from({ length: processes }, (_, place) => place)
    const member: Member = { role: 'relay', place: random.below(processes) }
    const ms = drawMs(random, 3_000, 7_000)
    return {
      text: `SIGSTOP ${nameOf(member)} with messages under way for ${inSeconds(ms)} or more`,
      // Two zombies at once would wait for each other.
      targets: places.map((place) => nameOf({ role: 'relay', place })),
      async run({ fleets, linesOf, pool, signal }) {
        const { kafka, rabbitmq } = linesOf(member).to
        for (const line of [kafka, rabbitmq]) line.slow(UNDER_WAY_MS)
        try {
          await pause(CLAIMING_MS, signal)
          const suspended = fleets[member.role].suspend(member.place)
          // A Postgres that is away has none to show.
          const underWay = selectUnderWay(pool).catch(() => [])
          try {
            await pause(ms, signal)
            const ids = await underWay
            await until(() => areSettled(pool, ids), { withinMs: TAKEN_OVER_MS, signal })
          } finally {
            suspended.resume()
          }
        } finally {
          await Promise.all([kafka.heal(), rabbitmq.heal()])
        }
      },
    }
  },
}

export const processFaults: readonly Fault[] = [kill, freeze, zombie]
