import { createWriteStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { Readable } from 'node:stream'
import { crc32, createDeflateRaw } from 'node:zlib'
import { uuid } from '@posthorn/engine'

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
  const packed = `${path}.csv.deflated`
  let crc = 0
  let size = 0
  function* csv() {
    yield* ['case_id,evidence_files,amount\n']
    yield* chunkLines(count, (i) => `${caseOf(i)},${fileOf(i)},${amountOf(i)}\n`)
  }
  function* countLines() {
    for (const text of csv()) {
      const bytes = Buffer.from(text)
      crc = crc32(bytes, crc)
      size += bytes.length
      yield bytes
    }
  }
  await pipeline(Readable.from(countLines()), createDeflateRaw(), createWriteStream(packed))
  const entries: Entry[] = [
    { name: 'cases.csv', method: 8, crc, size, packed: (await stat(packed)).size },
    ...FILES.map((name): Entry => {
      const bytes = evidenceContent(name)
      return { name, method: 0, crc: crc32(bytes), size: bytes.length, packed: bytes.length }
    }),
  ]
  await using file = await open(path, 'w')
  const directory: Buffer[] = []
  let at = 0
  for (const entry of entries) {
    const local = Buffer.concat([signatureBytes(0x04034b50), fieldsOf(entry), nameOf(entry)])
    directory.push(directoryEntry(entry, at))
    await file.write(local)
    if (entry.method === 0) await file.write(evidenceContent(entry.name))
    else await copyInto(file, packed)
    at += local.length + entry.packed
  }
  const all = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(all.length, 12)
  end.writeUInt32LE(at, 16)
  await file.write(Buffer.concat([all, end]))
}

interface Entry {
  readonly name: string
  readonly method: 0 | 8
  readonly crc: number
  readonly size: number
  readonly packed: number
}

/** The bytes of an evidence file. */
export function evidenceContent(name: string): Buffer {
  return Buffer.from(`%PDF-1.7\n${name}\n`.padEnd(1_018, '.') + '\n%%EOF')
}

function nameOf({ name }: Entry): Buffer {
  return Buffer.from(name)
}

function signatureBytes(signature: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(signature)
  return bytes
}

/** What a local header and the directory say alike. */
function fieldsOf({ name, method, crc, size, packed }: Entry): Buffer {
  const fields = Buffer.alloc(26)
  fields.writeUInt16LE(20, 0)
  fields.writeUInt16LE(method, 4)
  fields.writeUInt16LE(0x21, 8)
  fields.writeUInt32LE(crc, 10)
  fields.writeUInt32LE(packed, 14)
  fields.writeUInt32LE(size, 18)
  fields.writeUInt16LE(Buffer.byteLength(name), 22)
  return fields
}

function directoryEntry(entry: Entry, at: number): Buffer {
  const rest = Buffer.alloc(14)
  rest.writeUInt32LE(at, 10)
  const madeBy = Buffer.from([20, 0])
  return Buffer.concat([signatureBytes(0x02014b50), madeBy, fieldsOf(entry), rest, nameOf(entry)])
}

async function copyInto(file: Awaited<ReturnType<typeof open>>, path: string): Promise<void> {
  await using from = await open(path)
  for await (const chunk of from.createReadStream()) await file.write(chunk as Buffer)
}
