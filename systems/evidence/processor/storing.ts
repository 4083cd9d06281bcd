import { enqueueAll, transaction, uuid } from '@posthorn/engine'
import type { Pool } from 'pg'
import type { Archive } from '../archive/archive.ts'
import type { CsvRow } from '../../csv/index.ts'
import type { RowsOutbox } from '../outbox.ts'
import type { FileOutboxRow } from '../rows/row.ts'
import { csvRows } from './check.ts'
import type { Header, ReadRow } from './columns.ts'
import { readHeader, readRow } from './columns.ts'
import type { JobClaim, NewArtifact } from './queries.ts'
import { insertArtifacts, moveCheckpoint } from './queries.ts'
import type { StagedFile } from './staging.ts'

/** The job was taken over by another process: whatever this one still does must change nothing. */
export class JobLost extends Error {
  constructor(jobId: string) {
    super(`file job ${jobId} belongs to another process by now`)
    this.name = 'JobLost'
  }
}

export interface Storing {
  readonly pool: Pool
  readonly outbox: RowsOutbox
  readonly claim: JobClaim
  readonly archive: Archive
  readonly files: ReadonlyMap<string, StagedFile>
  readonly leaseMs: number
  readonly signal: AbortSignal
  /** Told after each batch how many rows are stored. */
  readonly stored: (rows: number) => void
}

/**
 * Stores the rows behind the checkpoint, a batch with its artifacts and the new checkpoint in one
 * transaction: after a crash the next one goes on with the first row that is not stored. Returns how
 * many rows the file has.
 */
export async function storeRows(storing: Storing): Promise<number> {
  const { archive, claim, signal, stored } = storing
  const resolve = (name: string) => archive.resolve(name)
  let header: Header | undefined
  let read = 0
  let before = claim.job.rows_read
  // The next batch is read while the database stores this one: neither waits for the other.
  let last: Promise<void> = Promise.resolve()
  try {
    for await (const batch of csvRows(archive)) {
      await last
      signal.throwIfAborted()
      const fresh: { number: number; row: ReadRow }[] = []
      for (const row of batch) {
        if (header === undefined) {
          header = headerOf(row)
          continue
        }
        read += 1
        if (read > before) fresh.push({ number: read, row: readRow(row, header, resolve) })
      }
      if (fresh.length === 0) continue
      const [from, to] = [before, read]
      last = storeBatch(storing, { fresh, from }).then(() => stored(to))
      // It is awaited in the next turn; a failure until then is not unheard.
      last.catch(() => undefined)
      before = read
    }
    await last
  } finally {
    await last.catch(() => undefined)
  }
  return read
}

async function storeBatch(
  { pool, outbox, claim, files, leaseMs }: Storing,
  { fresh, from }: { fresh: readonly { number: number; row: ReadRow }[]; from: number },
): Promise<void> {
  const { job } = claim
  const rows: Partial<FileOutboxRow>[] = []
  const artifacts: NewArtifact[] = []
  const faults = fresh.map(({ row }) => row.fault ?? badFile(row, files))
  // Where all rows are good, the table's defaults say so: four columns less to send.
  const hasFaults = faults.some((fault) => fault !== undefined)
  for (const [i, { number, row }] of fresh.entries()) {
    const id = uuid()
    const fault = faults[i]
    rows.push({
      ...{ id, file_job_id: job.id, org_id: job.org_id },
      row_number: number,
      line_number: row.line,
      case_id: row.caseId,
      evidence_files: row.evidenceFiles,
      metadata: row.metadata,
      ...(hasFaults && {
        status: fault ? 'ERROR' : 'PENDING',
        error_code: fault?.code ?? null,
        error_message: fault?.message ?? null,
        first_outcome: fault ? 'ERROR' : null,
      }),
    })
    if (!fault) artifacts.push(...artifactsOf(id, row, files))
  }
  await transaction(pool, async (tx) => {
    // First, since it is the fence: nobody else writes rows of this job until we have committed.
    const to = fresh.at(-1)?.number ?? from
    if (!(await moveCheckpoint(tx, claim, { from, to, leaseMs }))) throw new JobLost(job.id)
    await enqueueAll(tx, outbox, rows)
    if (artifacts.length > 0) await insertArtifacts(tx, job.id, artifacts)
  })
}

function headerOf(row: CsvRow): Header {
  const read = readHeader(row)
  if (read.kind === 'rejected') throw new Error('a header that was checked is not one any more')
  return read.header
}

function badFile({ line, files: names }: ReadRow, files: Storing['files']): ReadRow['fault'] {
  for (const name of names) {
    const file = files.get(name)
    if (file?.kind === 'staged') continue
    const reason = file?.message ?? 'The file was not staged.'
    return { code: 'INVALID_FILE', message: `line ${line}: ${name}: ${reason}` }
  }
  return undefined
}

function artifactsOf(rowId: string, row: ReadRow, files: Storing['files']): NewArtifact[] {
  return row.files.flatMap((name, position) => {
    const file = files.get(name)
    if (file?.kind !== 'staged') return []
    const { key, size, contentType } = file
    return [{ rowId, position, filename: name, key, size, contentType }]
  })
}
