import type { DeadFilter } from './use-dead-groups.ts'

export interface ReplayFilter extends DeadFilter {
  readonly ids?: string[]
}

export interface ReplayOrder {
  readonly count: number
  /** Messages per second; all at once without it. */
  readonly perSecond: number | undefined
}

/** Small enough that one sees it move and that no transaction is long. */
const BATCH = 500

/** The most of one call. Its messages are spaced out together, so a rate goes in one call. */
const MOST = 10_000

/**
 * Replays so many in batches, and returns how many there were. What dies again meanwhile is not
 * taken again: it ends with the number that was counted.
 */
export async function replayInBatches(
  { count, perSecond }: ReplayOrder,
  replay: (limit: number) => Promise<number>,
  onProgress: (replayed: number) => void,
): Promise<number> {
  if (perSecond !== undefined) return replay(Math.min(count, MOST))
  let replayed = 0
  while (replayed < count) {
    const taken = await replay(Math.min(BATCH, count - replayed))
    if (taken === 0) break
    replayed += taken
    onProgress(replayed)
  }
  return replayed
}
