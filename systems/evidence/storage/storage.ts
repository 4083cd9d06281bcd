import type { Readable } from 'node:stream'
import type { Pool } from 'pg'
import { deleteRemovals, listRemovals } from '../rows/queries.ts'

/** Objects whose removal is noted at once, each after the other. */
const BATCH = 100

/**
 * Removes what is marked from the storage, then the mark: a crash between the two removes what is no
 * longer there, which is no mistake. Two processes at once do no harm either. Returns how many marks.
 */
export async function sweepRemovals(
  { pool, storage }: { pool: Pool; storage: Storage },
  signal: AbortSignal,
): Promise<number> {
  let removed = 0
  while (!signal.aborted) {
    const keys = await listRemovals(pool, BATCH)
    for (const key of keys) {
      signal.throwIfAborted()
      await removeMarked(storage, key)
    }
    await deleteRemovals(pool, keys)
    removed += keys.length
    if (keys.length < BATCH) break
  }
  return removed
}

async function removeMarked(storage: Storage, key: string): Promise<void> {
  if (!key.endsWith('/')) return storage.remove(key)
  for await (const found of storage.list(key)) await storage.remove(found.key)
}

/** What is known of an object without reading it. */
export interface StoredObject {
  readonly key: string
  readonly size: number
  /** Changes whenever the bytes do; without quotes. */
  readonly etag: string
  /** Only in buckets that keep versions. */
  readonly version?: string
  readonly modifiedAt: Date
}

export interface PutOptions {
  readonly contentType?: string
  /** More than this ends in `TooLarge`, and nothing is stored. */
  readonly maxBytes?: number
  readonly signal?: AbortSignal
}

export interface ReadOptions {
  /** The first byte, counted from 0. */
  readonly start?: number
  /** The byte after the last one; an end behind the object's own is the object's. */
  readonly end?: number
  readonly version?: string
  readonly signal?: AbortSignal
}

/** Where bytes are kept under keys such as `incoming/acme/evidence.zip`. */
export interface Storage {
  /** Stores the bytes; they are visible only when they are whole. The last of two puts stands. */
  put(key: string, bytes: AsyncIterable<Uint8Array>, options?: PutOptions): Promise<StoredObject>
  /** The bytes of one object as it is now, even if it is replaced meanwhile; else `NotStored`. */
  read(key: string, options?: ReadOptions): Promise<Readable>
  head(key: string): Promise<StoredObject | undefined>
  /** Every object whose key begins with the prefix, in no promised order. */
  list(prefix: string): AsyncIterable<StoredObject>
  /** Removing what is not there is no mistake. */
  remove(key: string): Promise<void>
}

/** There is no object of that key, or not in that version. */
export class NotStored extends Error {
  readonly code = 'NOT_STORED'
  readonly key: string

  constructor(key: string, options?: ErrorOptions) {
    super(`nothing is stored under "${key}"`, options)
    this.name = 'NotStored'
    this.key = key
  }
}

/** There were more bytes than allowed. */
export class TooLarge extends Error {
  readonly code = 'TOO_LARGE'
  readonly maxBytes: number

  constructor(key: string, maxBytes: number) {
    super(`"${key}" has more than ${maxBytes} bytes`)
    this.name = 'TooLarge'
    this.maxBytes = maxBytes
  }
}

/**
 * A stream that may fail before its reader listens, when the signal comes between: an
 * unhandled error would end the process. The reader still finds the stream failed.
 */
export function ignoreErrors(stream: Readable): Readable {
  return stream.on('error', () => undefined)
}

/** The bytes of a put on their way in, counted against its limit. */
interface ByteCounter extends AsyncIterable<Uint8Array> {
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
