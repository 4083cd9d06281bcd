import { NULL_CELL, copyCell } from '@posthorn/bulk/copy'
import type { FileJob } from '../jobs/job.ts'
import type { ReadRow } from './columns.ts'
import type { StagedFile } from './staging.ts'

/** A row with its number and the id it is stored by. */
export interface NumberedRow {
  readonly id: string
  readonly number: number
  readonly row: ReadRow
  readonly fault: ReadRow['fault']
}

/** A row as a line of COPY, in the order of its columns. */
export function rowLine({ id: jobId, org_id: org }: FileJob, numbered: NumberedRow): string {
  const { id, number, row, fault } = numbered
  const said = `${copyCell(row.caseId)}\t${copyCell(row.evidenceFiles)}`
  const metadata = copyCell(JSON.stringify(row.metadata))
  const outcome = fault
    ? `ERROR\t${fault.code}\t${copyCell(fault.message)}\tERROR`
    : `PENDING\t${NULL_CELL}\t${NULL_CELL}\t${NULL_CELL}`
  return `${id}\t${jobId}\t${copyCell(org)}\t${number}\t${row.line}\t${said}\t${metadata}\t${outcome}\n`
}

/** The artifacts of a good row as lines of COPY: where each of its files was staged. */
export function artifactLines(
  { id: jobId }: FileJob,
  { id, row }: NumberedRow,
  files: ReadonlyMap<string, StagedFile>,
): string {
  let lines = ''
  for (const [position, name] of row.files.entries()) {
    const file = files.get(name)
    if (file?.kind !== 'staged') continue
    const { key, size, contentType } = file
    lines += `${jobId}\t${id}\t${position}\t${copyCell(name)}\t${copyCell(key)}\t${size}\t${copyCell(contentType)}\n`
  }
  return lines
}
