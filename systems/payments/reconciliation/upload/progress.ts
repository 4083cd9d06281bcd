import type { Queryable } from '@posthorn/engine'
import { announce } from '@posthorn/engine/operate'

/** How far an upload is. */
export interface Progress {
  readonly rows: number
  readonly bytes: number
  /** Left out where the client did not say how many come. */
  readonly totalBytes?: number | undefined
}

/** Who follows an upload. */
export interface Follower {
  /** Chosen by the client; undefined: no progress is announced. */
  readonly uploadId: string | undefined
  readonly orgId: string
}

export const UPLOAD_TOPIC = 'reconciliation.upload'

const EVERY_MS = 250

/** Announces how far an upload is, now and then and never twice at once; the upload does not wait. */
export function createProgress(db: Queryable, { uploadId, orgId }: Follower) {
  let last = performance.now()
  let isAnnouncing = false
  return (progress: Progress): void => {
    if (uploadId === undefined || isAnnouncing || performance.now() - last < EVERY_MS) return
    isAnnouncing = true
    last = performance.now()
    const announcement = { topic: UPLOAD_TOPIC, id: uploadId, tenant: orgId, data: progress }
    // A lost announcement is made up for by the next: an upload does not fail for it.
    void announce(db, announcement)
      .catch(() => undefined)
      .finally(() => void (isAnnouncing = false))
  }
}
