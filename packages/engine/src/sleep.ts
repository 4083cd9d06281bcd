/** Resolves after `ms`, or at once when the signal is aborted: both are a normal end. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    // A longer one would end at once.
    const timer = setTimeout(end, Math.min(ms, 2 ** 31 - 1))
    signal?.addEventListener('abort', end)
  })
}
