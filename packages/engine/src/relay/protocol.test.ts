import { describe, expect, test } from 'vitest'
import { nextKey } from '../testing/held-key-model.ts'
import { explore } from '../testing/protocol-explorer.ts'
import { RULES, type Budget } from '../testing/protocol-world.ts'

/* Every interleaving of two relays, two keys and four messages: see `testing/protocol-explorer.ts`. */

const FAULTS = [
  'failures',
  'refusals',
  'expiries',
  'lostAnswers',
  'replays',
  'confirmations',
  'slow',
] as const satisfies readonly (keyof Budget)[]

type Fault = (typeof FAULTS)[number]

/** As many of each as are named. */
function only(...faults: Fault[]): Budget {
  const countOf = (fault: Fault) => faults.filter((each) => each === fault).length
  const budget = Object.fromEntries(FAULTS.map((fault) => [fault, countOf(fault)]))
  return budget as unknown as Budget
}

/** Any two things that can go wrong or be done meanwhile. */
const pairs = FAULTS.flatMap((a, i) => FAULTS.slice(i + 1).map((b): Fault[] => [a, b]))

/** More at once, where each needs the others to matter. */
const more: Fault[][] = [
  ['refusals', 'confirmations', 'replays'],
  ['failures', 'confirmations', 'expiries'],
  ['refusals', 'replays', 'expiries'],
  ['failures', 'expiries', 'lostAnswers'],
  ['slow', 'failures', 'expiries'],
  ['slow', 'failures', 'lostAnswers'],
  ['slow', 'refusals', 'replays'],
  ['slow', 'expiries', 'lostAnswers'],
  ['slow', 'slow', 'expiries'],
  ['slow', 'slow', 'lostAnswers'],
  ['slow', 'slow', 'refusals', 'expiries'],
]

const kept = (['block', 'skip', 'park'] as const).flatMap((dead) => [
  { dead, log: false },
  { dead, log: true },
])

test.each(kept)(
  'no interleaving of two relays breaks the order: $dead, log: $log',
  (way) => {
    let visited = 0
    for (const faults of [...pairs, ...more]) {
      const { states, broken } = explore(way, only(...faults))
      expect(broken, faults.join()).toBeUndefined()
      visited += states
    }
    // The whole space, and not a corner of it.
    expect(visited).toBeGreaterThan(5_000)
  },
  120_000,
)

describe('a rule that is broken is found', () => {
  test('a retry that writes its time over a block', () => {
    const { broken } = explore({ dead: 'block' }, only('refusals', 'confirmations'), {
      ...RULES,
      next: (key, event) =>
        event.event === 'wait'
          ? { state: 'waiting', until: event.until, by: event.id }
          : nextKey(key, event),
    })
    expect(broken?.promise).toBe('Order per key, if asked for: behind a dead message')
  })

  test('a settlement that does not look at the number of its run', () => {
    const { broken } = explore({ dead: 'block' }, only('failures', 'lostAnswers'), {
      ...RULES,
      guards: ({ token }) => token === 'ours',
    })
    expect(broken?.promise).toBe('Attempts are bounded: one was counted twice')
  })

  test('a replay that lifts the block of another message', () => {
    const { broken } = explore({ dead: 'block' }, only('refusals', 'confirmations', 'replays'), {
      ...RULES,
      next: (key, event) =>
        event.event === 'replay'
          ? { state: 'waiting', until: event.until, by: 'REPLAYED' }
          : nextKey(key, event),
    })
    expect(broken?.promise).toBe('Order per key, if asked for: behind a dead message')
  })

  test('a lost run that lets a blocked key go on', () => {
    const { broken } = explore({ dead: 'block' }, only('failures', 'confirmations', 'expiries'), {
      ...RULES,
      next: (key, event) =>
        event.event === 'lose'
          ? { state: 'waiting', until: event.now, by: 'CLAIM_EXPIRED' }
          : nextKey(key, event),
    })
    expect(broken?.promise).toBe('Order per key, if asked for: behind a dead message')
  })

  test('a slow message that is counted again after a lost answer', () => {
    const { broken } = explore({ dead: 'block' }, only('slow', 'failures', 'lostAnswers'), {
      ...RULES,
      guardsBusy: ({ isLost }) => !isLost,
    })
    expect(broken?.promise).toBe('Attempts are bounded: one was counted twice')
  })

  test.each([true, false])('a slow outcome that is written behind a takeover, log: %s', (log) => {
    const { broken } = explore({ dead: 'block', log }, only('slow', 'slow', 'expiries'), {
      ...RULES,
      guardsBusy: (_, { ofRow, now }) => ofRow === now,
    })
    expect(broken?.promise).toBe('One owner at a time: an outcome was written behind a takeover')
  })

  test.each([true, false])('a key that is read beside its slow message, log: %s', (log) => {
    const { broken } = explore({ dead: 'block', log }, only('slow'), { ...RULES, readsBusy: true })
    expect(broken?.promise).toBe('Order per key, if asked for: beside a slow message')
  })
})
