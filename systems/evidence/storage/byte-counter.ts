import { TooLarge, type PutOptions } from './storage.ts'

/** The bytes of a put on their way in, counted against its limit. */
export interface ByteCounter extends AsyncIterable<Uint8Array> {
  readonly count: number
}

/** Passes bytes on until there are too many, or until the signal: then it fails instead of ending. */
export function countBytes(
  key: string,
  bytes: AsyncIterable<Uint8Array>,
  { maxBytes = Number.POSITIVE_INFINITY, signal }: PutOptions,
): ByteCounter {
  let count = 0
  return {
    get count() {
      return count
    },
    async *[Symbol.asyncIterator]() {
      const source = bytes[Symbol.asyncIterator]()
      try {
        while (true) {
          const { done, value: chunk } = await unlessAborted(source.next(), signal)
          if (done) return
          count += chunk.byteLength
          if (count > maxBytes) throw new TooLarge(key, maxBytes)
          if (chunk.byteLength > 0) yield chunk
        }
      } finally {
        // Not awaited: a source that says nothing more would not end either.
        void source.return?.().catch(() => undefined)
      }
    },
  }
}

/** A merchant's line may go silent in the middle: then only the signal ends the wait. */
async function unlessAborted<Value>(
  value: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  if (!signal) return value
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason as Error)
  signal.addEventListener('abort', abort)
  try {
    return await Promise.race([value, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
