import { transaction, type Transaction } from '@posthorn/engine'
import type { Pool } from 'pg'
import type { ArrivedObject, ReceivedObject } from '../jobs/receive.ts'
import type { Storage } from '../storage/storage.ts'
import { orgOfKey } from './incoming.ts'
import type { CreatedObject } from './notification.ts'

/** What both ways of noticing an object need. */
export interface ArrivalOptions {
  readonly pool: Pool
  readonly storage: Storage
  /** The name that events call the storage by; those of other buckets are not ours. */
  readonly bucket: string
  /** Makes a job of the object unless it has one. */
  readonly receive: (tx: Transaction, object: ArrivedObject) => Promise<ReceivedObject>
  /** Called when there is a new job to work on. */
  readonly received: () => void
}

/** Announces one object in a transaction of its own; false if it has a job already. */
export async function announceObject(
  { pool, receive, received }: ArrivalOptions,
  object: ArrivedObject,
): Promise<boolean> {
  const { created } = await transaction(pool, (tx) => receive(tx, object))
  if (created) received()
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
