import { pipeline } from 'node:stream/promises'
import { SpoolFile } from '@posthorn/bulk/spool'
import { beginsAsZip } from '@posthorn/bulk/zip'
import { transaction, uuid, type Queryable, type Transaction } from '@posthorn/engine'
import { announce } from '@posthorn/operate'
import type { Pool } from 'pg'
import { balanceCounts, MOST_STATEMENTS, type StoredStatement } from '../formats/findings.ts'
import { BEGINNING_BYTES, formatOf, refuseOthers, zippedFormat } from '../formats/format.ts'
import type { Profile } from '../profiles/rules.ts'
import { STANDARD_RULES } from '../profiles/standard.ts'
import { selectStatements } from '../records/queries.ts'
import { peek, type FileBody } from './body.ts'
import { spoolRecords } from './loading.ts'
import { problem } from '../../problems.ts'
import { recordAudit } from '../../queries.ts'
import {
  copyRecords,
  findKnownStatement,
  findRunOfFile,
  insertRun,
  insertStatements,
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

/** A run that is stored, and its statements with others missing before them. */
export type StoredUpload = NewRun & { readonly gaps: readonly StoredStatement[] }

/**
 * Stores a file with all its records and its run; a mistake is thrown as its problem. It is read and
 * checked at the client's pace, on the local disk; then one transaction copies what is ready.
 */
export async function storeUpload(pool: Pool, upload: Upload): Promise<StoredUpload> {
  const { orgId, userId, filename, body, profile, contentType, tell, totalBytes } = upload
  const rules = profile?.rules ?? STANDARD_RULES
  const { beginning, bytes: arriving } = await peek(body, BEGINNING_BYTES)
  refuseOthers(beginning, contentType)
  const zip = beginsAsZip(beginning)
    ? { folder: upload.folder, maxBytes: body.maxBytes }
    : undefined
  const format = zip ? zippedFormat(rules) : formatOf(beginning, { contentType, rules })
  const id = uuid()
  const spool = await SpoolFile.create(upload.folder)
  try {
    const loaded = await spoolRecords(spool, {
      runId: id,
      format,
      bytes: arriving,
      zip,
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
      if (!(await insertStatements(tx, run))) {
        await refuseKnown(tx, run)
        throw problem('STATEMENT_ALREADY_UPLOADED')
      }
      const { total, hash } = run
      const details = { filename, format, total, balances, sha256: hash.toString('hex') }
      await recordAudit(tx, {
        ...{ org: orgId, actor: userId, action: 'reconciliation.uploaded' },
        ...{ entity: 'reconciliation', entityId: id, details },
      })
      await tellStored(tx, run, upload.uploadId)
      return { ...run, gaps: await findGaps(tx, run) }
    })
  } finally {
    await spool.close()
  }
}

/** The statements with others missing before them. */
async function findGaps(tx: Transaction, { id: runId, statements }: NewRun) {
  if (statements.every(({ sequence }) => sequence === null)) return []
  const page = { runId, after: [0, ''], limit: MOST_STATEMENTS } as const
  return (await selectStatements(tx, page)).filter(({ missing }) => missing !== null)
}

async function refuseKnown(db: Queryable, run: NewRun): Promise<void> {
  const first = await findRunOfFile(db, run)
  if (first !== undefined) throw problem('FILE_ALREADY_UPLOADED', { extensions: { id: first } })
  if (run.statements.length === 0) return
  const known = await findKnownStatement(db, run)
  if (known === undefined) return
  const { id, number, statement_id: statementId } = known
  throw problem('STATEMENT_ALREADY_UPLOADED', {
    detail: `Statement ${statementId} of the same account and days was in an earlier file.`,
    extensions: { id, number, statementId },
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
