/** Lets a worker sleep until there may be work. A lost ring costs only time. */
export interface Nudge {
  /** Ends the sleep of all, and the next one of those who are awake. */
  ring(): void
  /** Sleeps so long, or until a ring or the signal's abort. */
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
