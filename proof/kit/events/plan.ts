import type { Random } from '../random.ts'

/** One transaction of the writer: so many events of one key. */
export interface PlannedTransaction {
  readonly key: string
  readonly size: number
  /** Everything is written and then rolled back: none of it may ever arrive. */
  readonly rollsBack: boolean
  /** Messages planned before it: when it is due, at a steady rate. */
  readonly after: number
}

const MAX_SIZE = 4
const ROLLBACKS = 0.03

export function keyNames(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `key-${i}`)
}

/** Transactions that commit `messages` messages in all, over all keys. */
export function* planTransactions(
  random: Random,
  { messages, keys }: { messages: number; keys: readonly string[] },
): Generator<PlannedTransaction> {
  for (let after = 0; after < messages;) {
    const key = keys[random.below(keys.length)] as string
    const size = Math.min(1 + random.below(MAX_SIZE), messages - after)
    const rollsBack = random.fraction() < ROLLBACKS
    yield { key, size, rollsBack, after }
    if (!rollsBack) after += size
  }
}

/** Something that dies in the storm, and when. */
export type Blow = {
  readonly atMs: number
} & (
  | { readonly kind: 'relay' | 'consumer'; readonly place: number }
  | { readonly kind: 'postgres' | 'broker' }
)

/**
 * Who dies when: a relay at a random moment of each interval, and once each the broker (early, since
 * it takes long to come back), Postgres and both consumers.
 */
export function planBlows(
  random: Random,
  { durationMs, kills, relays }: { durationMs: number; kills: number; relays: number },
): Blow[] {
  const everyMs = durationMs / kills
  const between = (low: number, high: number) => random.between(low, high) * durationMs
  const blows: Blow[] = Array.from({ length: kills }, (_, i) => ({
    kind: 'relay',
    place: random.below(relays),
    atMs: (i + random.fraction()) * everyMs,
  }))
  blows.push(
    { kind: 'consumer', place: 0, atMs: between(0.05, 0.15) },
    { kind: 'broker', atMs: between(0.2, 0.3) },
    { kind: 'postgres', atMs: between(0.6, 0.7) },
    { kind: 'consumer', place: 1, atMs: between(0.8, 0.9) },
  )
  return blows.sort((a, b) => a.atMs - b.atMs)
}
