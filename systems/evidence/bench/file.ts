import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { Readable } from 'node:stream'
import { uuid } from '@posthorn/engine'
import { ZipFile } from 'yazl'

/** Evidence files that all rows share. */
const FILES = ['invoice.pdf', 'receipt.pdf', 'terms.pdf', 'letter.pdf']

export interface EvidenceFiles {
  /** As a merchant sends it. */
  readonly zip: string
  /** The same rows and artifacts as the tables have them, ready for COPY. */
  readonly rows: string
  readonly artifacts: string
}

/** Writes the same rows twice: into a ZIP, and ready for COPY under the job's id. */
export async function writeEvidence(
  { zip, rows, artifacts }: EvidenceFiles,
  { count, jobId }: { readonly count: number; readonly jobId: string },
): Promise<void> {
  await writeZip(zip, count)
  await pipeline(Readable.from(copyRows(count, jobId)), createWriteStream(rows))
  // The same ids again: they are made from the number.
  await pipeline(Readable.from(copyArtifacts(count, jobId)), createWriteStream(artifacts))
}

const CHUNK = 5_000

function* chunkLines(count: number, line: (i: number) => string): Generator<string> {
  for (let from = 0; from < count; from += CHUNK) {
    let text = ''
    for (let i = from; i < Math.min(from + CHUNK, count); i += 1) text += line(i)
    yield text
  }
}

const caseOf = (i: number) => `case-${String(i).padStart(8, '0')}`
const fileOf = (i: number) => FILES[i % FILES.length] ?? ''
const amountOf = (i: number) => `${100 + ((i * 7_919) % 90_000)}.50`

/** Ids in the order of the rows, as those of the engine are. */
const base = uuid().slice(0, 14)
const idOf = (i: number) => {
  const hex = i.toString(16).padStart(15, '0')
  return `${base}7${hex.slice(0, 3)}-8${hex.slice(3, 6)}-${hex.slice(6).padStart(12, '0')}`
}

function* copyRows(count: number, jobId: string): Generator<string> {
  yield* chunkLines(
    count,
    (i) =>
      `${idOf(i)},${jobId},bench,${i + 1},${i + 2},${caseOf(i)},${fileOf(i)},"{""amount"": ""${amountOf(i)}""}"\n`,
  )
}

function* copyArtifacts(count: number, jobId: string): Generator<string> {
  yield* chunkLines(
    count,
    (i) =>
      `${jobId},${idOf(i)},0,${fileOf(i)},staging/${jobId}/00000${i % FILES.length},1024,application/pdf\n`,
  )
}

/** A ZIP with the CSV deflated and the evidence stored. */
async function writeZip(path: string, count: number): Promise<void> {
  function* csv() {
    yield 'case_id,evidence_files,amount\n'
    yield* chunkLines(count, (i) => `${caseOf(i)},${fileOf(i)},${amountOf(i)}\n`)
  }
  const zip = new ZipFile()
  zip.addReadStream(Readable.from(csv(), { objectMode: false }), 'cases.csv')
  for (const name of FILES) zip.addBuffer(evidenceContent(name), name, { compress: false })
  zip.end()
  await pipeline(zip.outputStream, createWriteStream(path))
}

/** The bytes of an evidence file. */
export function evidenceContent(name: string): Buffer {
  return Buffer.from(`%PDF-1.7\n${name}\n`.padEnd(1_018, '.') + '\n%%EOF')
}
