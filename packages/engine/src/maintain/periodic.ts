import { backOff } from '../back-off.ts'
import { everyone, type Bell } from '../database/bell.ts'
import type { Log } from '../log.ts'
import { noMetrics, type Metrics } from '../metrics.ts'
import { sleep } from '../sleep.ts'

/** Work that is done again and again, in as many processes as there are. */
export interface PeriodicTask {
  readonly name: string
  /** Between two runs. */
  readonly everyMs: number
  /** Before the first run. Default none. */
  readonly firstMs?: number
  /** The time between two runs doubles up to this while they find nothing. Default `everyMs`. */
  readonly idleMs?: number
  /** Rings in this process when there is something to do; the next run is still `everyMs` after the last. */
  readonly bell?: Bell
  /** One run. `'more'`: the next one begins at once; `'idle'`: it found nothing; `'done'`: there is no other. */
  step(signal: AbortSignal): Promise<StepResult>
}

// oxlint-disable-next-line typescript/no-invalid-void-type -- most steps have nothing to say
export type StepResult = 'more' | 'idle' | 'done' | void

export interface PeriodicOptions {
  readonly signal: AbortSignal
  readonly log: Log
  readonly metrics?: Metrics
}

/** After the first failure; it doubles with each one that follows. */
const AGAIN = { firstMs: 250, mostMs: 30_000 }

/** A reason of its own: for each abort without one Node makes an error with its stack. */
const RUNG = Symbol('rung')

/** Failures in a row from which on they are errors in the log: it will not pass by itself. */
const ERROR_AT = 3

/**
 * Runs a task until the signal aborts, one run at a time; resolves once nothing of it is under way.
 * A run that fails is tried again, later each time. How often it has failed in a row is in the log
 * and in `posthorn_worker_failures`.
 */
export async function runPeriodically(
  task: PeriodicTask,
  { signal, log, metrics = noMetrics }: PeriodicOptions,
): Promise<void> {
  const { name: worker, everyMs, firstMs = 0, idleMs = everyMs, bell } = task
  const failuresAre = (count: number) =>
    metrics.gauge('posthorn_worker_failures', count, { worker })
  let failures = 0
  failuresAre(failures)
  let idleForMs = everyMs
  let rung = new AbortController()
  const bells = [bell, task.idleMs === undefined ? undefined : everyone]
  const unhear = bells.map((each) => each?.listen(() => rung.abort(RUNG)))
  using _ = { [Symbol.dispose]: () => unhear.forEach((stop) => stop?.()) }
  if (firstMs > 0) await sleep(firstMs, signal)
  while (!signal.aborted) {
    try {
      // A ring from here on may be of something that this run does not see.
      rung = new AbortController()
      const result = await task.step(signal)
      if (failures > 0) {
        log.info({ worker, failures }, 'worker runs again')
        failuresAre((failures = 0))
      }
      if (result === 'done') return
      if (result === 'more') continue
      const isIdle = result === 'idle'
      if (!isIdle) idleForMs = everyMs
      await sleep(everyMs, signal)
      await sleep(idleForMs - everyMs, AbortSignal.any([signal, rung.signal]))
      idleForMs = isIdle && !rung.signal.aborted ? Math.min(idleForMs * 2, idleMs) : everyMs
    } catch (error) {
      // A run that was called off may end by an error.
      if (signal.aborted) return
      failuresAre((failures += 1))
      const retryInMs = backOff(failures - 1, AGAIN)
      const details = { worker, failures, retryInMs, err: error }
      if (failures < ERROR_AT) log.warn(details, 'worker failed; backing off')
      else log.error(details, 'worker failed; backing off')
      await sleep(retryInMs, signal)
    }
  }
}

/** Runs tasks side by side; returns how to stop them, which resolves when all have ended. */
export function startPeriodically(
  tasks: readonly PeriodicTask[],
  options: Omit<PeriodicOptions, 'signal'>,
): () => Promise<void> {
  const stop = new AbortController()
  const running = tasks.map((task) => runPeriodically(task, { ...options, signal: stop.signal }))
  return async () => {
    stop.abort()
    await Promise.all(running)
  }
}
