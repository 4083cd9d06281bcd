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
  /** Chosen by the client; undefined: nobody follows. */
  readonly uploadId: string | undefined
  readonly orgId: string
}

export const UPLOAD_TOPIC = 'reconciliation.upload'

const EVERY_MS = 250

/** Tells how far an upload is, now and then and never twice at once; the upload does not wait. */
export function createProgress(db: Queryable, { uploadId, orgId }: Follower) {
  let last = performance.now()
  let isTelling = false
  return (progress: Progress): void => {
    if (uploadId === undefined || isTelling || performance.now() - last < EVERY_MS) return
    isTelling = true
    last = performance.now()
    const news = { topic: UPLOAD_TOPIC, id: uploadId, tenant: orgId, data: progress }
    // What is not told now is told with the next: an upload does not fail for it.
    void announce(db, news)
      .catch(() => undefined)
      .finally(() => void (isTelling = false))
  }
}
