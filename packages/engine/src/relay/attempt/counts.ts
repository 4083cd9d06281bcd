/** How often each name occurred. */
export type Counts = Record<string, number>

/** Names that one heartbeat writes down of a kind; the rest share one. */
const MOST_NAMES = 100
const OTHER = 'other'

export function addCount(counts: Counts, name: string, by = 1): void {
  const known = Object.hasOwn(counts, name)
  const key = known || Object.keys(counts).length < MOST_NAMES ? name : OTHER
  counts[key] = (counts[key] ?? 0) + by
}
