import type { Pool } from 'pg'
import { jobExists } from '../jobs/queries.ts'
import type { Storage } from '../storage/storage.ts'

export interface OrphanOptions {
  readonly pool: Pool
  readonly storage: Storage
}

/**
 * Removes uploads whose process died between the last byte and the job; returns how many. What is not
 * named as ours is left alone.
 */
export async function sweepOrphans(
  { pool, storage }: OrphanOptions,
  { ageMs, signal }: { ageMs: number; signal: AbortSignal },
): Promise<number> {
  let removed = 0
  for await (const { key, modifiedAt } of storage.list('uploads/')) {
    if (signal.aborted) break
    const jobId = /^uploads\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.zip$/.exec(key)?.[1]
    if (jobId === undefined || Date.now() - modifiedAt.getTime() < ageMs) continue
    if (await jobExists(pool, jobId)) continue
    await storage.remove(key)
    removed += 1
  }
  return removed
}
