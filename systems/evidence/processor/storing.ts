import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { transaction, uuid } from '@posthorn/engine'
import type { Pool } from 'pg'
import type { Archive } from '../archive/archive.ts'
import type { CsvRow } from '@posthorn/bulk/csv'
import type { FileJob } from '../jobs/job.ts'
import type { RowsOutbox } from '../outbox.ts'
import { CopyBuffer, NULL_CELL, copyCell } from '@posthorn/bulk/copy'
import { csvRows } from './check.ts'
import { readHeader, readRow, type Header, type ReadRow } from './columns.ts'
import { copyArtifacts, copyRows, moveCheckpoint, type JobClaim } from './queries.ts'
import { rowId } from '../rows/row.ts'
import type { StagedFile } from './staging.ts'

/** A row with its number and the id it is stored by. */
interface NumberedRow {
  readonly id: string
  readonly number: number
  readonly row: ReadRow
  readonly fault: ReadRow['fault']
}

/** The job was taken over by another process: this one must not change anything any more. */
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
  /** Rows of one transaction; a few more, since they are read some at a time. */
  readonly batchRows: number
  readonly signal: AbortSignal
  /** Called after each batch with the number of rows stored. */
  readonly stored: (rows: number) => void
}

/** Of a batch; rows may have 64 KiB each. */
const MOST_BYTES = 4 * 1_024 * 1_024

/** Rows behind the checkpoint `from`, as what is copied into the two tables. */
interface Batch {
  readonly from: number
  readonly to: number
  readonly lines: Lines
}

interface Lines {
  readonly rows: CopyBuffer
  readonly artifacts: CopyBuffer
}

/**
 * Stores the rows behind the checkpoint, a batch with its artifacts and the new checkpoint in one
 * transaction: after a crash the next one goes on with the first row that is not stored. Returns how
 * many rows the file has.
 */
export async function storeRows(storing: Storing): Promise<number> {
  const { claim, signal, stored } = storing
  let to = claim.job.rows_read
  // The next batch is read while the database stores this one: neither waits for the other.
  let last: Promise<void> = Promise.resolve()
  try {
    for await (const batch of batches(storing)) {
      await last
      signal.throwIfAborted()
      last = storeBatch(storing, batch).then(() => stored(batch.to))
      // It is awaited in the next turn; a failure until then is not unheard.
      last.catch(() => undefined)
      to = batch.to
    }
    await last
  } finally {
    await last.catch(() => undefined)
  }
  return to
}

/** A batch is good until the next but one is asked for: two take turns with the same memory. */
async function* batches(storing: Storing): AsyncGenerator<Batch> {
  let [lines, other]: [Lines, Lines] = [newLines(), newLines()]
  let from = storing.claim.job.rows_read
  let to = from
  for await (const few of linesOf(storing)) {
    lines.rows.add(few.rows)
    lines.artifacts.add(few.artifacts)
    to = few.to
    const isFull = to - from >= storing.batchRows || lines.rows.bytes.length >= MOST_BYTES
    if (!isFull) continue
    yield { from, to, lines }
    ;[lines, other] = [other, lines]
    lines.rows.clear()
    lines.artifacts.clear()
    from = to
  }
  if (to > from) yield { from, to, lines }
}

function newLines(): Lines {
  return { rows: new CopyBuffer(), artifacts: new CopyBuffer() }
}

/** What is not stored yet, a few rows at a time. */
async function* linesOf({ archive, claim, files }: Storing) {
  const { job } = claim
  const resolve = (name: string) => archive.resolve(name)
  let header: Header | undefined
  let number = 0
  for await (const few of csvRows(archive)) {
    let rows = ''
    let artifacts = ''
    for (const csvRow of few) {
      if (header === undefined) {
        header = headerOf(csvRow)
        continue
      }
      number += 1
      if (number <= job.rows_read) continue
      const row = readRow(csvRow, header, resolve)
      const numbered = {
        id: rowId(job.id, number),
        number,
        row,
        fault: row.fault ?? badFile(row, files),
      }
      rows += rowLine(job, numbered)
      if (!numbered.fault) artifacts += artifactLines(job, numbered, files)
    }
    if (rows !== '') yield { to: number, rows, artifacts }
  }
}

async function storeBatch(
  { pool, outbox, claim }: Storing,
  { from, to, lines }: Batch,
): Promise<void> {
  await transaction(pool, async (tx) => {
    // First, since it is the fence: no other process writes rows of this job until we have committed.
    if (!(await moveCheckpoint(tx, claim, { from, to }))) throw new JobLost(claim.job.id)
    await copyInto(copyRows(tx), lines.rows)
    await copyInto(copyArtifacts(tx), lines.artifacts)
    tx.ringLater(outbox.bell)
  })
}

async function copyInto(into: Writable, { bytes }: CopyBuffer): Promise<void> {
  into.end(bytes)
  await finished(into)
}

function headerOf(row: CsvRow): Header {
  const read = readHeader(row)
  if (read.kind === 'rejected') throw new Error('the header row changed after it was checked')
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

/** A row as a line of COPY, in the order of its columns. */
function rowLine({ id: jobId, org_id: org }: FileJob, numbered: NumberedRow): string {
  const { id, number, row, fault } = numbered
  const said = `${copyCell(row.caseId)}\t${copyCell(row.evidenceFiles)}`
  const metadata = copyCell(JSON.stringify(row.metadata))
  const outcome = fault
    ? `ERROR\t${fault.code}\t${copyCell(fault.message)}\tERROR`
    : `PENDING\t${NULL_CELL}\t${NULL_CELL}\t${NULL_CELL}`
  return `${id}\t${jobId}\t${copyCell(org)}\t${number}\t${row.line}\t${said}\t${metadata}\t${outcome}\n`
}

/** The artifacts of a good row as lines of COPY: where each of its files was staged. */
function artifactLines(
  { id: jobId }: FileJob,
  { id, row }: NumberedRow,
  files: ReadonlyMap<string, StagedFile>,
): string {
  let lines = ''
  for (const [position, name] of row.files.entries()) {
    const file = files.get(name)
    if (file?.kind !== 'staged') continue
    const { key, size, contentType } = file
    lines += `${uuid()}\t${jobId}\t${id}\t${position}\t${copyCell(name)}\t${copyCell(key)}\t${size}\t${copyCell(contentType)}\n`
  }
  return lines
}
