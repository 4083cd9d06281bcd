/** Lets somebody sleep until there may be something to do. It holds nothing that may not be lost. */
export interface Nudge {
  /** Ends the sleep of all, and the next one of those who are awake. */
  ring(): void
  /** Sleeps so long, or until somebody rings or the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

export function createNudge(): Nudge {
  let rings = 0
  let seen = 0
  const sleepers = new Set<() => void>()
  return {
    ring() {
      rings += 1
      for (const wake of sleepers) wake()
    },
    sleep(ms, signal) {
      return new Promise((resolve) => {
        if (signal.aborted || rings > seen) {
          seen = rings
          return resolve()
        }
        const wake = () => {
          clearTimeout(timer)
          sleepers.delete(wake)
          signal.removeEventListener('abort', wake)
          seen = rings
          resolve()
        }
        const timer = setTimeout(wake, ms)
        sleepers.add(wake)
        signal.addEventListener('abort', wake)
      })
    },
  }
}
