import type { Pool } from 'pg'
import { deleteRemovals, listRemovals } from './queries.ts'
import type { Storage } from './storage.ts'

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
