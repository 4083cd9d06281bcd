import type { Log } from '@posthorn/engine'
import type { PeriodicTask } from '@posthorn/operate'
import type { StoredObject } from '../storage/storage.ts'
import { announceObject, type ArrivalOptions } from './arrival.ts'
import { INCOMING, orgOfKey } from './incoming.ts'

export interface SweepOptions extends ArrivalOptions {
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
