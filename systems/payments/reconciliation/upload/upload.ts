import { pipeline } from 'node:stream/promises'
import { SpoolFile } from '@posthorn/bulk/spool'
import { transaction, uuid, type Queryable, type Transaction } from '@posthorn/engine'
import { announce } from '@posthorn/operate'
import type { Pool } from 'pg'
import { balanceCounts } from '../formats/findings.ts'
import { BEGINNING_BYTES, formatOf, refuseOthers } from '../formats/format.ts'
import { STANDARD_RULES, type Profile } from '../profiles/rules.ts'
import { peek, type FileBody } from './body.ts'
import { spoolRecords } from './loading.ts'
import { problem } from '../../problems.ts'
import { recordAudit } from '../../queries.ts'
import {
  copyRecords,
  findRunOfFile,
  insertRun,
  insertStatements,
  type FileKey,
  type NewRun,
} from './queries.ts'

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

const UPLOAD_TOPIC = 'reconciliation.upload'

const ANNOUNCE_EVERY_MS = 250

/** A file that a client sends. */
export interface Upload {
  readonly orgId: string
  readonly userId: string
  readonly filename: string
  readonly body: FileBody
  readonly contentType: string | undefined
  /** How many bytes the request says to have. */
  readonly totalBytes: number | undefined
  /** Where it waits until all of it is here. */
  readonly folder: string
  /** Undefined: it is read by the standard rules. */
  readonly profile: Profile | undefined
  readonly uploadId: string | undefined
  readonly maxRecords: number
  tell(progress: Progress): void
}

/**
 * Stores a file with all its records and its run; a mistake is thrown as its problem. It is read and
 * checked at the client's pace, on the local disk; then one transaction copies what is ready.
 */
export async function storeUpload(pool: Pool, upload: Upload): Promise<NewRun> {
  const { orgId, userId, filename, body, profile, contentType, tell, totalBytes } = upload
  const rules = profile?.rules ?? STANDARD_RULES
  const { beginning, bytes: arriving } = await peek(body, BEGINNING_BYTES)
  refuseOthers(beginning, contentType)
  const format = formatOf(beginning, { contentType, rules })
  const id = uuid()
  const spool = await SpoolFile.create(upload.folder)
  try {
    const loaded = await spoolRecords(spool, {
      runId: id,
      format,
      bytes: arriving,
      rules,
      maxRecords: upload.maxRecords,
      loaded: (rows) => tell({ rows, bytes: body.bytes, totalBytes }),
    })
    const file = { hash: body.digest(), bytes: body.bytes }
    const balances = format === 'csv' ? null : balanceCounts(loaded.statements)
    const about = { id, orgId, userId, filename, profile, format, balances }
    const run: NewRun = { ...about, ...file, ...loaded }
    await refuseKnown(pool, run)
    return await transaction(pool, async (tx) => {
      await pipeline(spool.lines(), copyRecords(tx))
      // Of two uploads at the same time only one gets here first.
      if (!(await insertRun(tx, run))) {
        await refuseKnown(tx, run)
        throw problem('FILE_ALREADY_UPLOADED')
      }
      await insertStatements(tx, run)
      const { total, hash } = run
      const details = { filename, format, total, balances, sha256: hash.toString('hex') }
      await recordAudit(tx, {
        ...{ org: orgId, actor: userId, action: 'reconciliation.uploaded' },
        ...{ entity: 'reconciliation', entityId: id, details },
      })
      await tellStored(tx, run, upload.uploadId)
      return run
    })
  } finally {
    await spool.close()
  }
}

async function refuseKnown(db: Queryable, key: FileKey): Promise<void> {
  const first = await findRunOfFile(db, key)
  if (first !== undefined) throw problem('FILE_ALREADY_UPLOADED', { extensions: { id: first } })
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
export function createProgress(db: Queryable, { uploadId, orgId }: Follower) {
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
