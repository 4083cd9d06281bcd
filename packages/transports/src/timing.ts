import { sleep } from '@posthorn/engine/operate'

/** Gives what `late` gives, or throws, if the work is not done after `ms`; the work itself goes on. */
export function within<Result, Late>(
  work: Promise<Result>,
  ms: number,
  late: () => Late,
): Promise<Result | Late> {
  let timer: NodeJS.Timeout
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  return Promise.race([work, timeout.then(late)]).finally(() => clearTimeout(timer))
}

/** Waits 1, 2, 4 … 30 s by default. */
export interface Backoff {
  readonly firstMs: number
  readonly maxMs: number
}

/** The wait after the n-th failure in a row, counted from zero. */
export function backoffMs(backoff: Backoff, failures: number): number {
  return Math.min(backoff.firstMs * 2 ** Math.min(failures, 30), backoff.maxMs)
}

export interface Repeating {
  /** Runs as soon as possible; calls while it runs make one more run. */
  now(): void
  /** Resolves when the run under way, if any, is over; there will be no other. */
  stop(): Promise<void>
}

/** A reason of its own: for each abort without one Node makes an error with its stack. */
const WOKEN = Symbol('woken')

/** Runs `work` over and over, never twice at once, at least every `everyMs`. `work` must not throw. */
export function repeat(everyMs: number, work: () => Promise<void>): Repeating {
  const stopped = new AbortController()
  let again = false
  let wake = (): void => undefined
  const loop = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      again = false
      await work()
      if (again || stopped.signal.aborted) continue
      const nap = new AbortController()
      wake = () => nap.abort(WOKEN)
      await sleep(everyMs, nap.signal)
    }
  }
  const running = loop()
  return {
    now() {
      again = true
      wake()
    },
    stop() {
      stopped.abort()
      wake()
      return running
    },
  }
}

/** Runs at most so many pieces of work at once; the others wait in the order in which they came. */
export interface Slots {
  run<Result>(work: () => Promise<Result>): Promise<Result>
}

export function createSlots(size: number): Slots {
  let free = size
  const waiting: (() => void)[] = []
  return {
    async run(work) {
      if (free > 0) free--
      else await new Promise<void>((resolve) => waiting.push(resolve))
      try {
        return await work()
      } finally {
        const next = waiting.shift()
        if (next) next()
        else free++
      }
    },
  }
}
