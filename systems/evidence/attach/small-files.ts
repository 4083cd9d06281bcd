import type { Storage } from '../storage/storage.ts'

/** Files of one poll that are read whole, once for all rows which name them. */
export interface SmallFiles {
  /** The bytes; undefined where the file is streamed instead. */
  read(key: string, size: number): Promise<Uint8Array> | undefined
}

const SMALL_BYTES = 64 * 1024
/** Of all that is kept for one poll. */
const MOST_BYTES = 4 * 1024 * 1024

/** Reads each small file once, as long as they are few megabytes together. */
export function createSmallFiles(storage: Storage): SmallFiles {
  const files = new Map<string, Promise<Uint8Array>>()
  let bytes = 0
  return {
    read(key, size) {
      const known = files.get(key)
      if (known || size > SMALL_BYTES || bytes + size > MOST_BYTES) return known
      bytes += size
      const reading = readWhole(storage, key)
      // A row whose call is over before its file is read leaves no caller for a failure.
      reading.catch(() => undefined)
      files.set(key, reading)
      return reading
    },
  }
}

async function readWhole(storage: Storage, key: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of await storage.read(key)) chunks.push(chunk as Uint8Array)
  return Buffer.concat(chunks)
}
