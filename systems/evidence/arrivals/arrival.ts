import { type Log, type Transaction, transaction } from '@posthorn/engine'
import type { Pool } from 'pg'
import type { ArrivedObject, ReceivedObject } from '../jobs/receive.ts'
import type { Storage, StoredObject } from '../storage/storage.ts'
import type { CreatedObject } from './notification.ts'
import type { PeriodicTask } from '@posthorn/operate'

/** What both ways of noticing an object need. */
export interface ArrivalOptions {
  readonly pool: Pool
  readonly storage: Storage
  /** The name that events call the storage by; those of other buckets are not ours. */
  readonly bucket: string
  /** Makes a job of the object unless it has one. */
  readonly receive: (tx: Transaction, object: ArrivedObject) => Promise<ReceivedObject>
}

/** Announces one object in a transaction of its own; false if it has a job already. */
export async function announceObject(
  { pool, receive }: ArrivalOptions,
  object: ArrivedObject,
): Promise<boolean> {
  const { created } = await transaction(pool, (tx) => receive(tx, object))
  return created
}

/**
 * What an event means by now. Events come late, twice and in any order, so the storage is asked: an
 * object that is gone or was replaced since is not announced; the one that replaced it has an event
 * of its own. Where versions are kept, an older one can still be read.
 */
export async function findArrived(
  { storage, bucket }: ArrivalOptions,
  event: CreatedObject,
): Promise<ArrivedObject | undefined> {
  const org = orgOfKey(event.key)
  if (org === undefined || event.bucket !== bucket) return undefined
  const now = await storage.head(event.key)
  if (!now) return undefined
  const { key, version, etag, size } = event
  const isOlder = version !== undefined && now.version !== undefined && version !== now.version
  if (isOlder) {
    return etag === undefined || size === undefined
      ? undefined
      : { bucket, key, version, etag, size, org }
  }
  if (etag !== undefined && etag !== now.etag) return undefined
  return { bucket, key, version: now.version, etag: now.etag, size: now.size, org }
}

/** Objects under this prefix are files of the organisation that the next part of the key names. */
export const INCOMING = 'incoming/'

const LONGEST_KEY = 1_024

/** The organisation of a key; undefined for folders and keys elsewhere. */
export function orgOfKey(key: string): string | undefined {
  if (key.endsWith('/') || key.includes('\0') || Buffer.byteLength(key) > LONGEST_KEY)
    return undefined
  const [prefix, org, ...path] = key.split('/')
  if (`${prefix}/` !== INCOMING || org === undefined || org === '') return undefined
  return path.length > 0 ? org : undefined
}

interface SweepOptions extends ArrivalOptions {
  readonly log: Log
  readonly everyMs: number
  /**
   * A younger object waits for the next sweep: an event may be on its way, and a file that is being
   * copied into a folder is not whole yet. Default 2 s.
   */
  readonly settledMs?: number
}

/** Remembered from one sweep to the next: about 20 MB. */
const MOST_REMEMBERED = 100_000

/** Looks through `incoming/` now and then for objects that no event announced. */
export function arrivalSweep(options: SweepOptions): PeriodicTask {
  let known: ReadonlySet<string> = new Set()
  return {
    name: 'evidence.arrivals',
    everyMs: options.everyMs,
    async step(signal) {
      known = await sweepArrivals(options, known, signal)
    },
  }
}

/**
 * Announces every object under `incoming/` that is not among the known; returns the known of the
 * next sweep, so that the database is asked once for each object and not at every sweep.
 */
export async function sweepArrivals(
  options: SweepOptions,
  known: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const { storage, log, settledMs = 2_000 } = options
  const seen = new Set<string>()
  for await (const object of storage.list(INCOMING)) {
    if (signal.aborted) break
    const identity = `${object.key}\n${object.etag}`
    if (!known.has(identity)) {
      if (Date.now() - object.modifiedAt.getTime() < settledMs) continue
      try {
        await announceFound(options, object)
      } catch (error) {
        // One object that cannot be received must not keep all behind it waiting.
        log.error(
          { err: error, key: object.key },
          'receiving an incoming file failed; the next sweep tries again',
        )
        continue
      }
    }
    if (seen.size < MOST_REMEMBERED) seen.add(identity)
  }
  return seen
}

async function announceFound(options: SweepOptions, found: StoredObject): Promise<void> {
  const { bucket, log } = options
  const { key, etag, size } = found
  const org = orgOfKey(key)
  if (org === undefined) return
  if (await announceObject(options, { bucket, key, etag, size, org })) {
    log.info({ key, org }, 'file found by a sweep, without an event')
  }
}
