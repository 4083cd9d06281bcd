import { tmpdir } from 'node:os'
import { Readable, pipeline } from 'node:stream'
import { finished } from 'node:stream/promises'
import { SpoolFile } from '@posthorn/bulk/spool'
import type { Archive, ArchiveSource, EvidenceStream, OpenedArchive } from './archive.ts'
import { type Entry, foldName, isAdded, readDirectory, showName, windowOn } from './directory.ts'
import { findEnd } from './end-record.ts'
import { type PlacedEntry, placeEntries } from './layout.ts'
import { type ArchiveLimits, DEFAULT_LIMITS } from './limits.ts'
import { ArchiveRejected, BadFileError } from './reasons.ts'
import { TELLING_BYTES, evidenceType, isArchiveName } from './magic.ts'
import { crc32, createInflateRaw } from 'node:zlib'

/** How ZIP files begin: with an entry, or with their end if they have none. */
const BEGINNINGS = ['PK\u0003\u0004', 'PK\u0005\u0006']

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
    await copy(bytes, spool, limits.zipBytes)
    return spool
  } catch (error) {
    await spool.close()
    throw error
  } finally {
    bytes?.destroy()
  }
}

async function copy(bytes: Readable, spool: SpoolFile, maxBytes: number): Promise<void> {
  let beginning = ''
  for await (const piece of bytes as AsyncIterable<Buffer>) {
    if (beginning.length < 4) {
      beginning += piece.toString('latin1', 0, 4 - beginning.length)
      checkBeginning(beginning)
    }
    if (spool.size + piece.length > maxBytes) throw tooLarge(maxBytes)
    await spool.append(piece)
  }
  if (beginning.length < 4) {
    throw new ArchiveRejected('NOT_A_ZIP', `The file has ${spool.size} bytes.`)
  }
}

function checkBeginning(beginning: string): void {
  if (BEGINNINGS.some((known) => known.startsWith(beginning))) return
  throw new ArchiveRejected('NOT_A_ZIP', 'The file does not begin as a ZIP archive does.')
}

function tooLarge(maxBytes: number): ArchiveRejected {
  return new ArchiveRejected('TOO_LARGE', `The archive has more than ${maxBytes} bytes.`)
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

/** Reads the CSV once and keeps nothing: its checksum stands at its end, behind the last row. */
async function checkCsv(
  spool: SpoolFile,
  entry: PlacedEntry,
  signal: AbortSignal | undefined,
): Promise<void> {
  await finished(readCsvFile(spool, entry).resume(), signal ? { signal } : {})
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

/** Checks all entries together: what they are called, and what they cost. */
function checkContents(entries: readonly Entry[], zipBytes: number, limits: ArchiveLimits): void {
  checkNames(entries)
  let total = 0
  for (const { name, size, packedSize } of entries) {
    checkRatio({ size, packed: packedSize, what: showName(name) }, limits)
    total += size
  }
  checkRatio({ size: total, packed: zipBytes, what: 'the archive' }, limits)
  if (total <= limits.inflatedBytes) return
  const detail = `The archive unpacks to ${total} bytes; ${limits.inflatedBytes} are allowed.`
  throw new ArchiveRejected('TOO_MUCH_INFLATED', detail)
}

function checkNames(entries: readonly Entry[]): void {
  const seen = new Map<string, string>()
  for (const { name } of entries) {
    if (isArchiveName(name)) {
      throw new ArchiveRejected('NESTED_ARCHIVE', `${showName(name)} is an archive itself.`)
    }
    const folded = foldName(name)
    const other = seen.get(folded)
    if (other !== undefined) {
      const detail = `${showName(other)} and ${showName(name)} are the same name on some systems.`
      throw new ArchiveRejected('DUPLICATE_NAME', detail)
    }
    seen.set(folded, name)
  }
}

interface Packing {
  readonly size: number
  readonly packed: number
  readonly what: string
}

function checkRatio({ size, packed, what }: Packing, limits: ArchiveLimits): void {
  if (size <= limits.ratioGraceBytes || size <= packed * limits.ratio) return
  const detail = `${what} unpacks to ${size} bytes from ${packed}; ${limits.ratio}:1 is allowed.`
  throw new ArchiveRejected('RATIO_EXCEEDED', detail)
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
    if (!(error instanceof ArchiveRejected)) throw error
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
  const end = await findEnd(spool)
  const window = windowOn(spool, signal)
  const entries = await readDirectory({ window, end, limits })
  checkContents(entries, spool.size, limits)
  const placed = await placeEntries(window, entries, end.directoryStart)
  const files = placed.filter(({ name, isFolder }) => !isFolder && !isAdded(name))
  const csv = findCsv(files, limits)
  await checkCsv(spool, csv, signal)
  return archiveOf(spool, { csv, files: files.filter((file) => file !== csv) }, limits)
}

interface Contents {
  readonly csv: PlacedEntry
  readonly files: readonly PlacedEntry[]
}

function archiveOf(spool: SpoolFile, { csv, files }: Contents, limits: ArchiveLimits): Archive {
  const byName = new Map(files.map((file) => [file.name, file]))
  // Who packs a folder names its files as they lie beside the CSV.
  const beside = csv.name.slice(0, csv.name.lastIndexOf('/') + 1)
  const find = (name: string) => {
    const normal = name.normalize('NFC')
    return byName.get(normal) ?? byName.get(beside + normal)
  }
  return {
    csv: { name: csv.name, size: csv.size },
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

/** The bytes of an entry are not what the archive says of them. */
class DamagedEntry extends Error {
  readonly fault: 'packing' | 'longer' | 'shorter' | 'checksum'

  constructor(fault: DamagedEntry['fault'], detail: string, options?: ErrorOptions) {
    super(detail, options)
    this.name = 'DamagedEntry'
    this.fault = fault
  }
}

/**
 * Unpacks an entry. It never gives more bytes than the archive says the entry has, so what was
 * checked against the limits by the directory holds for what is really unpacked; and it only ends
 * well if size and checksum are right.
 */
async function* unpack(spool: SpoolFile, entry: PlacedEntry): AsyncIterable<Buffer> {
  let size = 0
  let crc = 0
  for await (const piece of unpackPieces(spool, entry)) {
    size += piece.length
    if (size > entry.size) throw new DamagedEntry('longer', `It has more than ${entry.size} bytes.`)
    crc = crc32(piece, crc)
    yield piece
  }
  if (size < entry.size) {
    throw new DamagedEntry('shorter', `It has ${size} bytes instead of ${entry.size}.`)
  }
  if (crc !== entry.crc) throw new DamagedEntry('checksum', 'Its checksum is wrong.')
}

async function* unpackPieces(spool: SpoolFile, entry: PlacedEntry): AsyncIterable<Buffer> {
  const { dataStart, packedSize, method } = entry
  const packed = spool.stream(dataStart, dataStart + packedSize)
  if (method === 0) return yield* packed
  const inflate = createInflateRaw()
  let broken: unknown
  pipeline(Readable.from(packed, { objectMode: false }), inflate, (error) => (broken = error))
  try {
    yield* inflate
  } catch (error) {
    if (isPackingFault(error))
      throw new DamagedEntry('packing', 'It cannot be unpacked.', { cause: error })
    throw broken ?? error
  } finally {
    inflate.destroy()
  }
  if (inflate.bytesWritten !== packedSize) {
    throw new DamagedEntry('packing', 'It has bytes that do not belong to it.')
  }
}

/** zlib's own complaints; all others are about the local file. */
function isPackingFault(error: unknown): boolean {
  const { code = '' } = error as NodeJS.ErrnoException
  return code.startsWith('Z_')
}
