/** A transport whose attempt is aborted has this long to say what became of its messages. */
const GRACE_MS = 5_000

/**
 * Waits for an attempt until it is over or has taken `ms`. Then it is aborted, as it is by `signal`,
 * and if it goes on in spite of that it is left alone: undefined, and what it still says is dropped.
 */
export async function attemptWithin<Result>(
  attempt: (signal: AbortSignal) => Promise<Result>,
  { ms, signal }: { ms: number; signal: AbortSignal },
): Promise<Result | undefined> {
  const overdue = new AbortController()
  const aborted = AbortSignal.any([signal, overdue.signal])
  const timer = setTimeout(() => overdue.abort(), ms)
  let grace: NodeJS.Timeout | undefined
  const { promise: ignored, resolve: ignore } = Promise.withResolvers<undefined>()
  const wait = () => {
    grace = setTimeout(() => ignore(undefined), Math.min(GRACE_MS, ms))
  }
  if (aborted.aborted) wait()
  else aborted.addEventListener('abort', wait, { once: true })
  try {
    return await Promise.race([attempt(aborted), ignored])
  } finally {
    // Node keeps a joined signal that is listened to for as long as one of its sources lives, and with
    // it the messages of the attempt: the source here lives as long as the relay.
    aborted.removeEventListener('abort', wait)
    clearTimeout(timer)
    clearTimeout(grace)
  }
}
