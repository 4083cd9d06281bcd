import { setTimeout as timeout } from 'node:timers/promises'

/** Waits, or until the signal aborts: both are a normal end. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await timeout(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
}

/** What the work comes to; undefined as soon as the signal aborts, whatever becomes of the work then. */
export async function untilAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
): Promise<Result | undefined> {
  const { promise: aborted, resolve } = Promise.withResolvers<undefined>()
  const onAbort = () => resolve(undefined)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
