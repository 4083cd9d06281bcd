import type { Delivery } from '@posthorn/engine'
import type { Addressed } from './sender.ts'

/** A delivery ready to go. */
export interface Ready {
  readonly delivery: Delivery
  readonly record: Addressed
  readonly bytes: number
}

/** Brokers take about 1 MB as one batch of one partition (`message.max.bytes`) by default. */
const PARTITION_BYTES = 900_000
const REQUEST_BYTES = 16 * 1024 * 1024

/**
 * What may be produced together: each partition's batch small enough for the broker and, in an
 * ordered delivery, no key in two topics (two partitions can fail apart, and the later message of
 * the key would overtake). What does not fit waits for a later round, with all behind it.
 */
export function nextRound(
  rest: readonly Ready[],
  { ordered }: { ordered: boolean },
): { round: Ready[]; later: Ready[] } {
  const round: Ready[] = []
  const later: Ready[] = []
  const sizes = new Map<string, number>()
  const topics = new Map<string, string>()
  const waiting = new Set<string>()
  let total = 0
  for (const ready of rest) {
    const { topic, partition, key } = ready.record
    const place = `partition ${topic}:${partition}`
    const size = sizes.get(place) ?? 0
    const fits =
      !waiting.has(place) &&
      (size === 0 || size + ready.bytes <= PARTITION_BYTES) &&
      (total === 0 || total + ready.bytes <= REQUEST_BYTES)
    const apart =
      ordered &&
      key !== undefined &&
      (waiting.has(`key ${key}`) || (topics.get(key) ?? topic) !== topic)
    if (fits && !apart) {
      round.push(ready)
      sizes.set(place, size + ready.bytes)
      total += ready.bytes
      if (key !== undefined) topics.set(key, topic)
    } else {
      later.push(ready)
      waiting.add(place)
      if (key !== undefined) waiting.add(`key ${key}`)
    }
  }
  return { round, later }
}
