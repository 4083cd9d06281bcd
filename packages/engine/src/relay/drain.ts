import { sleep } from '../sleep.ts'
import type { WatchedRelay } from './relay.ts'

/** Between two looks whether work is over. */
const LOOK_MS = 5

/** What is due and cannot be claimed is asked for less often: others have it, or a limit or a breaker does. */
const MOST_MS = 250

export interface Draining extends Pick<WatchedRelay, 'look' | 'wake'> {
  isBusy(): boolean
}

/** Lets a relay work until nothing is due, at most so long. Returns the milliseconds until something is due. */
export async function drainWithin(
  forMs: number,
  { isBusy, look, wake }: Draining,
): Promise<number> {
  const endsAt = performance.now() + forMs
  let pauseMs = LOOK_MS
  for (;;) {
    while (isBusy() && performance.now() < endsAt) {
      await sleep(LOOK_MS)
      pauseMs = LOOK_MS
    }
    if (performance.now() >= endsAt) return 0
    const dueInMs = await look()
    if (dueInMs > 0) return dueInMs
    if (!isBusy()) wake()
    await sleep(Math.min(pauseMs, Math.max(endsAt - performance.now(), 0)))
    pauseMs = Math.min(2 * pauseMs, MOST_MS)
  }
}
