import { setTimeout as sleep } from 'node:timers/promises'

const LOOK_MS = 250

/** Looks until `check` says yes; false when the time is over. A look that fails counts as a no. */
export async function until(
  check: () => Promise<boolean>,
  { withinMs, signal }: { withinMs: number; signal: AbortSignal },
): Promise<boolean> {
  for (const deadline = performance.now() + withinMs; performance.now() < deadline;) {
    signal.throwIfAborted()
    if (await check().catch(() => false)) return true
    await sleep(LOOK_MS)
  }
  return false
}

/** Sleeps, unless the run is called off. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await sleep(ms, undefined, { signal })
}
