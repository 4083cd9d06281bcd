import { transaction, uuid, type Queryable, type Transaction } from '@posthorn/engine'
import { announce } from '@posthorn/engine/operate'
import type { Pool } from 'pg'
import type { Profile } from '../profiles/queries.ts'
import { STANDARD_RULES } from '../profiles/rules.ts'
import type { FileBody } from './body.ts'
import { loadRecords } from './loading.ts'
import { problem } from './problems.ts'
import { auditUpload, findRunOfFile, insertRun, type NewRun } from './queries.ts'

/** How far an upload is. */
interface Progress {
  readonly rows: number
  readonly bytes: number
  /** Left out where the client did not say how many come. */
  readonly totalBytes?: number | undefined
}

/** Who follows an upload. */
interface Follower {
  /** Chosen by the client; undefined: no progress is announced. */
  readonly uploadId: string | undefined
  readonly orgId: string
}

const UPLOAD_TOPIC = 'reconciliation.upload'

const ANNOUNCE_EVERY_MS = 250

/** A file that a client sends. */
export interface Upload {
  readonly orgId: string
  readonly userId: string
  readonly filename: string
  readonly body: FileBody
  /** How many bytes the request says to have. */
  readonly totalBytes: number | undefined
  /** Undefined: it is read by the standard rules. */
  readonly profile: Profile | undefined
  readonly uploadId: string | undefined
  readonly maxRecords: number
}

/** Stores a file with all its records and its run, in one transaction; a mistake is thrown as its problem. */
export async function storeUpload(pool: Pool, upload: Upload): Promise<NewRun> {
  const { orgId, userId, filename, body, profile, totalBytes } = upload
  const tell = createProgress(pool, upload)
  const id = uuid()
  return transaction(pool, async (tx) => {
    const loaded = await loadRecords(tx, {
      runId: id,
      bytes: body,
      rules: profile?.rules ?? STANDARD_RULES,
      maxRecords: upload.maxRecords,
      loaded: (rows) => tell({ rows, bytes: body.bytes, totalBytes }),
    })
    const file = { hash: body.digest(), bytes: body.bytes }
    const run: NewRun = { id, orgId, userId, filename, profile, ...file, ...loaded }
    // Last, since only now the hash is known: an earlier upload of the file is found here.
    if (!(await insertRun(tx, run))) {
      const first = await findRunOfFile(tx, run)
      throw problem('FILE_ALREADY_UPLOADED', { extensions: { id: first } })
    }
    await auditUpload(tx, run)
    await tellStored(tx, run, upload.uploadId)
    return run
  })
}

async function tellStored(
  tx: Transaction,
  { id, orgId: tenant, total, bytes }: NewRun,
  uploadId: string | undefined,
): Promise<void> {
  const data = { status: 'loaded', total, matched: 0, unmatched: total }
  await announce(tx, { topic: 'reconciliation.run', id, tenant, data })
  if (uploadId === undefined) return
  const progress = { rows: total, bytes, totalBytes: bytes, runId: id }
  await announce(tx, { topic: UPLOAD_TOPIC, id: uploadId, tenant, data: progress })
}

/** Announces how far an upload is, now and then and never twice at once; the upload does not wait. */
function createProgress(db: Queryable, { uploadId, orgId }: Follower) {
  let last = performance.now()
  let isAnnouncing = false
  return (progress: Progress): void => {
    if (uploadId === undefined || isAnnouncing || performance.now() - last < ANNOUNCE_EVERY_MS)
      return
    isAnnouncing = true
    last = performance.now()
    const announcement = { topic: UPLOAD_TOPIC, id: uploadId, tenant: orgId, data: progress }
    // A lost announcement is made up for by the next: an upload does not fail for it.
    void announce(db, announcement)
      .catch(() => undefined)
      .finally(() => void (isAnnouncing = false))
  }
}
