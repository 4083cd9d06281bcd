import type { Arrival } from './arrivals.ts'
import { spread, type Line } from '../ledger.ts'
import type { Entry, WrittenEntry } from './queries.ts'

/** What was written, what came, and what it did. */
export interface Evidence {
  /** Committed together with a message each. */
  readonly entries: readonly WrittenEntry[]
  readonly rolledBack: ReadonlySet<string>
  /** In the order in which they came off the wire. */
  readonly arrivals: readonly Arrival[]
  /** In the order in which they happened. */
  readonly effects: readonly Entry[]
}

export interface Findings {
  /** Committed, and never arrived. */
  readonly missing: number
  /** Arrived, though their transaction was rolled back. */
  readonly ghosts: number
  /** Arrived, and were never written or differ from what was written. */
  readonly strangers: number
  /** Arrived for the first time after a later one of their key had. */
  readonly outOfOrder: number
  /** Arrivals of messages that had arrived before. */
  readonly duplicates: number
  readonly missingEffects: number
  readonly doubledEffects: number
  readonly effectsOutOfOrder: number
  /** From the commit to the first arrival, sorted. */
  readonly latenciesMs: readonly number[]
}

/** Compares the two ends; pure. */
export function audit({ entries, rolledBack, arrivals, effects }: Evidence): Findings {
  const written = new Map(entries.map((entry) => [entry.id, entry]))
  const first = new Map<string, Arrival>()
  let duplicates = 0
  let ghosts = 0
  let strangers = 0
  for (const arrival of arrivals) {
    const entry = written.get(arrival.id)
    if (first.has(arrival.id)) duplicates += 1
    else first.set(arrival.id, arrival)
    if (rolledBack.has(arrival.id)) ghosts += 1
    else if (entry?.key !== arrival.key || entry.n !== arrival.n) strangers += 1
  }
  const effective = new Map(effects.map((effect) => [effect.id, effect]))
  return {
    missing: entries.filter(({ id }) => !first.has(id)).length,
    ghosts,
    strangers,
    duplicates,
    outOfOrder: countBackwards([...first.values()]),
    missingEffects: entries.filter(({ id }) => !effective.has(id)).length,
    doubledEffects: effects.length - effective.size,
    effectsOutOfOrder: countBackwards(effects),
    latenciesMs: entries
      .flatMap(({ id, writtenMs }) => {
        const arrival = first.get(id)
        return arrival ? [arrival.atMs - writtenMs] : []
      })
      .sort((a, b) => a - b),
  }
}

/** What must hold of every message, and in their order only of those that have one. */
export function findingLines(found: Findings, isOrdered: boolean): Line[] {
  const ordered: Line[] = [
    { name: 'out of order', value: found.outOfOrder, must: 0 },
    { name: 'effects out of order', value: found.effectsOutOfOrder, must: 0 },
  ]
  return [
    { name: 'missing', value: found.missing, must: 0 },
    { name: 'rolled back, and arrived', value: found.ghosts, must: 0 },
    { name: 'unknown or changed', value: found.strangers, must: 0 },
    { name: 'duplicates on the wire', value: found.duplicates },
    { name: 'effects missing', value: found.missingEffects, must: 0 },
    { name: 'effects doubled', value: found.doubledEffects, must: 0 },
    ...(isOrdered ? ordered : []),
    { name: 'commit to arrival p50/p99/max', value: spread(found.latenciesMs, [0.5, 0.99, 1]) },
  ]
}

/** How many come after a later one of their key. */
export function countBackwards(events: readonly Entry[]): number {
  const highest = new Map<string, number>()
  let backwards = 0
  for (const { key, n } of events) {
    const before = highest.get(key) ?? 0
    if (n < before) backwards += 1
    else highest.set(key, n)
  }
  return backwards
}
