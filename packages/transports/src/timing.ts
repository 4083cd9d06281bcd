import type { Log } from '@posthorn/engine'
import { type BackOff, sleep } from '@posthorn/engine/internal'

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

/** Between attempts to join a group, or to read what is stored about it. */
export const AGAIN: BackOff = { firstMs: 200, mostMs: 5_000 }

export interface Repeating {
  /** Runs as soon as possible; calls while it runs make one more run. */
  now(): void
  /** Resolves when the run under way, if any, is over; there will be no other. */
  stop(): Promise<void>
}

/** A reason of its own: for each abort without one Node makes an error with its stack. */
const WOKEN = Symbol('woken')

/**
 * Runs `work` over and over, never twice at once, at least every `everyMs` or as soon as it says. It must not
 * throw.
 */
// oxlint-disable-next-line typescript/no-invalid-void-type -- most work has nothing to say
export function repeat(everyMs: number, work: () => Promise<number | void>): Repeating {
  const stopped = new AbortController()
  let again = false
  let wake = (): void => undefined
  const loop = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      again = false
      const soonMs = await work()
      if (again || stopped.signal.aborted) continue
      const nap = new AbortController()
      wake = () => nap.abort(WOKEN)
      await sleep(Math.min(everyMs, soonMs ?? everyMs), nap.signal)
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

/** How long an abandoned handler is still waited for after its signal was aborted. */
const GRACE_MS = 1_000

/**
 * Waits for handlers that still run; when the time is over tells them, and soon waits no more. `about`
 * says in the log whose handlers they are.
 */
export async function drain(
  running: Promise<unknown>,
  drainMs: number,
  { abandon, log, about }: { abandon: () => void; log: Log; about: Record<string, unknown> },
): Promise<void> {
  await within(running, drainMs, abandon)
  await within(running, GRACE_MS, () =>
    log.warn(about, 'closed while a handler runs; its message will be delivered again'),
  )
}
