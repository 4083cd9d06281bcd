import { setTimeout as sleep } from 'node:timers/promises'

const LOOK_MS = 250

export interface Waiting {
  readonly withinMs: number
  readonly signal?: AbortSignal
}

/** Looks until `check` says yes; false when the time is over. A look that fails counts as a no. */
export async function until(
  check: () => Promise<boolean>,
  { withinMs, signal }: Waiting,
): Promise<boolean> {
  for (const deadline = performance.now() + withinMs; performance.now() < deadline;) {
    signal?.throwIfAborted()
    if (await check().catch(() => false)) return true
    await sleep(LOOK_MS)
  }
  return false
}

/** The same; throws what was waited for when the time is over. */
export async function waitFor(
  what: string,
  check: () => Promise<boolean>,
  waiting: Waiting,
): Promise<void> {
  if (await until(check, waiting)) return
  throw new Error(`${what}: not within ${waiting.withinMs / 1_000} s`)
}

/** Sleeps, unless the run is called off. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await sleep(ms, undefined, { signal })
}
