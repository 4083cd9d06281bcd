import { Readable } from 'node:stream'
import type { Pool } from 'pg'
import { writeCsvRow } from '@posthorn/bulk/csv'
import type { FileJob } from '../jobs/job.ts'
import { ERROR_COLUMNS } from '../processor/columns.ts'
import { listErrors } from './queries.ts'
import type { FileOutboxRow } from './row.ts'

const PAGE = 1_000

/**
 * The failed rows of a job as they were uploaded, and why: to be corrected and uploaded again. Text
 * that a spreadsheet would run has a `'` before it, which an upload with these columns takes away.
 */
export function errorsCsv(pool: Pool, job: FileJob): Readable {
  return Readable.from(lines(pool, job), { objectMode: false })
}

async function* lines(pool: Pool, { id: jobId, columns }: FileJob): AsyncGenerator<string> {
  const names = columns ?? ['case_id', 'evidence_files']
  yield writeCsvRow([...names, ...ERROR_COLUMNS])
  for (let after = 0; ;) {
    const rows = await listErrors(pool, { jobId, after, limit: PAGE })
    if (rows.length > 0) yield rows.map((row) => writeCsvRow(cellsOf(row, names))).join('')
    if (rows.length < PAGE) return
    after = rows.at(-1)?.row_number ?? after
  }
}

function cellsOf(row: FileOutboxRow, names: readonly string[]) {
  const cells = names.map((name) => {
    if (name.toLowerCase() === 'case_id') return row.case_id
    if (name.toLowerCase() === 'evidence_files') return row.evidence_files
    return row.metadata[name] ?? ''
  })
  return [...cells, row.row_number, row.error_code, row.error_message]
}
