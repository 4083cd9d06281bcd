import type { Log } from '../log.ts'

export interface Upkeep {
  /** Runs soon, and then every `ms`. */
  start(ms: number): void
  /** Stops the timer and waits for a run under way, which is told to end. */
  stop(): Promise<void>
}

/** The first run waits until the process has found its feet. */
const FIRST_RUN_MS = 10_000

/** Runs `work` at intervals, one at a time; what it throws is logged and tried again next time. */
export function createPeriodicTask(
  work: (signal: AbortSignal) => Promise<unknown>,
  log: Log,
): Upkeep {
  const ending = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()

  const run = async (everyMs: number) => {
    try {
      await work(ending.signal)
    } catch (error) {
      log.warn({ err: error }, 'the upkeep failed; it is tried again next time')
    }
    if (!ending.signal.aborted) schedule(everyMs, everyMs)
  }
  const schedule = (inMs: number, everyMs: number) => {
    timer = setTimeout(() => void (running = run(everyMs)), inMs)
    // A process that has nothing else to do may end.
    timer.unref()
  }
  return {
    start: (ms) => schedule(Math.min(FIRST_RUN_MS, ms), ms),
    async stop() {
      ending.abort()
      clearTimeout(timer)
      await running
    },
  }
}
