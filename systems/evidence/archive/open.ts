import { tmpdir } from 'node:os'
import { Readable, addAbortSignal } from 'node:stream'
import { detectCsv, type CsvStyle } from '@posthorn/bulk/csv'
import { SpoolFile } from '@posthorn/bulk/spool'
import {
  DamagedEntry,
  openZip,
  type PlacedEntry,
  showName,
  spoolZip,
  TELLING_BYTES,
  tooLarge,
  unpack,
  ZipRejected,
} from '@posthorn/bulk/zip'
import type { Archive, ArchiveSource, EvidenceStream, OpenedArchive } from './archive.ts'
import { type ArchiveLimits, DEFAULT_LIMITS } from './limits.ts'
import { ArchiveRejected, BadFileError } from './reasons.ts'
import { evidenceType } from './magic.ts'

/**
 * Copies an archive to a local file, by one request however many entries it has, and all of it from
 * the same version.
 */
async function spoolArchive(source: ArchiveSource, limits: ArchiveLimits): Promise<SpoolFile> {
  const { storage, key, version, signal } = source
  const options = { ...(version !== undefined && { version }), ...(signal && { signal }) }
  // The file first: a stream that fails before it has a reader would end the process.
  const spool = await SpoolFile.create(source.spoolFolder ?? tmpdir())
  let bytes: Readable | undefined
  try {
    bytes = await storage.read(key, options)
    await spoolZip(spool, bytes, limits.zipBytes)
    return spool
  } catch (error) {
    await spool.close()
    throw error
  } finally {
    bytes?.destroy()
  }
}

/** Opens one evidence file: its first bytes are checked here, the rest at its end. */
async function readEvidence(
  spool: SpoolFile,
  entry: PlacedEntry,
  { fileBytes }: ArchiveLimits,
): Promise<EvidenceStream> {
  const { name, size } = entry
  if (size === 0) throw new BadFileError('FILE_EMPTY', `${showName(name)} is empty.`)
  if (size > fileBytes) {
    const detail = `${showName(name)} has ${size} bytes; ${fileBytes} are allowed.`
    throw new BadFileError('FILE_TOO_LARGE', detail)
  }
  const pieces = withFileFaults(unpack(spool, entry), name)[Symbol.asyncIterator]()
  const first = await firstPieces(pieces)
  const contentType = evidenceType(first)
  if (contentType === undefined) {
    await pieces.return?.()
    throw new BadFileError('FILE_TYPE', `${showName(name)} is no PDF, JPEG, PNG or TIFF.`)
  }
  const stream = Readable.from(joinBytes(first, pieces), { objectMode: false })
  return Object.assign(stream, { contentType, size })
}

async function firstPieces(pieces: AsyncIterator<Buffer>): Promise<Buffer> {
  let first = Buffer.alloc(0)
  while (first.length < TELLING_BYTES) {
    const { done, value } = await pieces.next()
    if (done) break
    first = Buffer.concat([first, value])
  }
  return first
}

async function* joinBytes(first: Buffer, rest: AsyncIterator<Buffer>): AsyncIterable<Buffer> {
  try {
    yield first
    while (true) {
      const { done, value } = await rest.next()
      if (done) return
      yield value
    }
  } finally {
    await rest.return?.()
  }
}

async function* withFileFaults(pieces: AsyncIterable<Buffer>, name: string): AsyncIterable<Buffer> {
  try {
    yield* pieces
  } catch (error) {
    if (!(error instanceof DamagedEntry)) throw error
    throw new BadFileError('FILE_DAMAGED', `${showName(name)} is damaged. ${error.message}`, {
      cause: error,
    })
  }
}

/** The one CSV among the files of an archive. */
function findCsv(files: readonly PlacedEntry[], { csvBytes }: ArchiveLimits): PlacedEntry {
  const [csv, second] = files.filter(({ name }) => /\.csv$/i.test(name))
  if (!csv) throw new ArchiveRejected('NO_CSV', 'The archive has no file that ends in .csv.')
  if (second) {
    const detail = `The archive has ${showName(csv.name)} and ${showName(second.name)}.`
    throw new ArchiveRejected('SEVERAL_CSVS', detail)
  }
  if (csv.size > csvBytes) {
    const detail = `${showName(csv.name)} has ${csv.size} bytes; ${csvBytes} are allowed.`
    throw new ArchiveRejected('CSV_TOO_LARGE', detail)
  }
  return csv
}

function readCsvFile(spool: SpoolFile, entry: PlacedEntry): Readable {
  return Readable.from(withArchiveFaults(unpack(spool, entry), entry.name), { objectMode: false })
}

/**
 * Reads the CSV once and keeps nothing but how it is written: its checksum stands at its end, behind
 * the last row.
 */
async function checkCsv(
  spool: SpoolFile,
  entry: PlacedEntry,
  signal: AbortSignal | undefined,
): Promise<CsvStyle> {
  const bytes = readCsvFile(spool, entry)
  return detectCsv(signal ? addAbortSignal(signal, bytes) : bytes)
}

async function* withArchiveFaults(
  pieces: AsyncIterable<Buffer>,
  name: string,
): AsyncIterable<Buffer> {
  try {
    yield* pieces
  } catch (cause) {
    if (!(cause instanceof DamagedEntry)) throw cause
    const reason = cause.fault === 'longer' ? 'HEADER_MISMATCH' : 'CSV_DAMAGED'
    throw new ArchiveRejected(reason, `${showName(name)} is damaged. ${cause.message}`, { cause })
  }
}

/**
 * Opens an archive whose every part has been checked but the evidence itself: once it is open, single
 * files can turn out to be bad, the archive cannot. Throws `NotStored` if there is no such object.
 */
export async function openArchive(
  source: ArchiveSource,
  limits: ArchiveLimits = DEFAULT_LIMITS,
): Promise<OpenedArchive> {
  let spool: SpoolFile | undefined
  try {
    await checkSize(source, limits)
    spool = await spoolArchive(source, limits)
    return { kind: 'opened', archive: await checkArchive(spool, source.signal, limits) }
  } catch (error) {
    await spool?.close()
    if (!(error instanceof ArchiveRejected || error instanceof ZipRejected)) throw error
    return { kind: 'rejected', reason: error.reason, detail: error.detail }
  }
}

/** Before a byte of it is fetched. A version has no size that could be asked for: it is counted. */
async function checkSize(source: ArchiveSource, { zipBytes }: ArchiveLimits): Promise<void> {
  if (source.version !== undefined) return
  const object = await source.storage.head(source.key)
  if (object && object.size > zipBytes) throw tooLarge(zipBytes)
}

async function checkArchive(
  spool: SpoolFile,
  signal: AbortSignal | undefined,
  limits: ArchiveLimits,
): Promise<Archive> {
  const files = await openZip(spool, limits, signal)
  const csv = findCsv(files, limits)
  const style = await checkCsv(spool, csv, signal)
  return archiveOf(spool, { csv, style, files: files.filter((file) => file !== csv) }, limits)
}

interface Contents {
  readonly csv: PlacedEntry
  readonly style: CsvStyle
  readonly files: readonly PlacedEntry[]
}

function archiveOf(
  spool: SpoolFile,
  { csv, style, files }: Contents,
  limits: ArchiveLimits,
): Archive {
  const byName = new Map(files.map((file) => [file.name, file]))
  // Who packs a folder names its files as they lie beside the CSV.
  const beside = csv.name.slice(0, csv.name.lastIndexOf('/') + 1)
  const find = (name: string) => {
    const normal = name.normalize('NFC')
    return byName.get(normal) ?? byName.get(beside + normal)
  }
  return {
    csv: { name: csv.name, size: csv.size, style },
    names: () => [...byName.keys()],
    resolve: (name) => find(name)?.name,
    has: (name) => find(name) !== undefined,
    readCsv: async () => readCsvFile(spool, csv),
    readFile: async (name) => {
      const file = find(name)
      if (file) return readEvidence(spool, file, limits)
      throw new BadFileError('FILE_MISSING', `The archive has no file ${showName(name)}.`)
    },
    close: () => spool.close(),
  }
}
