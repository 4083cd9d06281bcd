import { backOff } from '../back-off.ts'
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
  /** One run. `'more'`: the next one begins at once; `'done'`: there is no other. */
  step(signal: AbortSignal): Promise<StepResult>
  /** Waits between two runs, where something else than time may end the wait. */
  pause?(ms: number, signal: AbortSignal): Promise<void>
}

// oxlint-disable-next-line typescript/no-invalid-void-type -- most steps have nothing to say
export type StepResult = 'more' | 'done' | void

export interface PeriodicOptions {
  readonly signal: AbortSignal
  readonly log: Log
  readonly metrics?: Metrics
}

/** After the first failure; it doubles with each one that follows. */
const AGAIN = { firstMs: 250, mostMs: 30_000 }

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
  const { name: worker, everyMs, firstMs = 0, pause = sleep } = task
  const failuresAre = (count: number) =>
    metrics.gauge('posthorn_worker_failures', count, { worker })
  let failures = 0
  failuresAre(failures)
  if (firstMs > 0) await pause(firstMs, signal)
  while (!signal.aborted) {
    try {
      const result = await task.step(signal)
      if (failures > 0) {
        log.info({ worker, failures }, 'worker runs again')
        failuresAre((failures = 0))
      }
      if (result === 'done') return
      if (result !== 'more') await pause(everyMs, signal)
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
