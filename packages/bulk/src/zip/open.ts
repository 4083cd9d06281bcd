import type { SpoolFile } from '../spool.ts'
import { type Entry, foldName, isAdded, readDirectory, showName, windowOn } from './directory.ts'
import { findEnd } from './end-record.ts'
import { type PlacedEntry, placeEntries } from './layout.ts'
import type { ZipLimits } from './limits.ts'
import { isArchiveName } from './nested.ts'
import { ZipRejected } from './rejected.ts'

/** How ZIP files begin: with an entry, or with their end if they have none. */
const BEGINNINGS = ['PK\u0003\u0004', 'PK\u0005\u0006']

/** Whether a file begins as a ZIP does. */
export function beginsAsZip(beginning: Buffer): boolean {
  return BEGINNINGS.includes(beginning.toString('latin1', 0, 4))
}

/** Appends the bytes of a ZIP to a file; one that does not begin as a ZIP is not read to its end. */
export async function spoolZip(
  spool: SpoolFile,
  bytes: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<void> {
  let beginning = ''
  for await (const piece of bytes) {
    if (beginning.length < 4) {
      beginning += Buffer.from(piece.subarray(0, 4 - beginning.length)).toString('latin1')
      checkBeginning(beginning)
    }
    if (spool.size + piece.length > maxBytes) throw tooLarge(maxBytes)
    await spool.append(piece)
  }
  if (beginning.length < 4) {
    throw new ZipRejected('NOT_A_ZIP', `The file has ${spool.size} bytes.`)
  }
}

function checkBeginning(beginning: string): void {
  if (BEGINNINGS.some((known) => known.startsWith(beginning))) return
  throw new ZipRejected('NOT_A_ZIP', 'The file does not begin as a ZIP archive does.')
}

export function tooLarge(maxBytes: number): ZipRejected {
  return new ZipRejected('TOO_LARGE', `The archive has more than ${maxBytes} bytes.`)
}

/**
 * Checks a ZIP, every part of it but the bytes of its files, and gives the files: neither folders nor
 * what an operating system adds. Throws `ZipRejected`.
 */
export async function openZip(
  spool: SpoolFile,
  limits: ZipLimits,
  signal?: AbortSignal,
): Promise<PlacedEntry[]> {
  const end = await findEnd(spool)
  const window = windowOn(spool, signal)
  const entries = await readDirectory({ window, end, limits })
  checkContents(entries, spool.size, limits)
  const placed = await placeEntries(window, entries, end.directoryStart)
  return placed.filter(({ name, isFolder }) => !isFolder && !isAdded(name))
}

/** Checks all entries together: what they are called, and what they cost. */
function checkContents(entries: readonly Entry[], zipBytes: number, limits: ZipLimits): void {
  checkNames(entries)
  let total = 0
  for (const { name, size, packedSize } of entries) {
    checkRatio({ size, packed: packedSize, what: showName(name) }, limits)
    total += size
  }
  checkRatio({ size: total, packed: zipBytes, what: 'the archive' }, limits)
  if (total <= limits.inflatedBytes) return
  const detail = `The archive unpacks to ${total} bytes; ${limits.inflatedBytes} are allowed.`
  throw new ZipRejected('TOO_MUCH_INFLATED', detail)
}

function checkNames(entries: readonly Entry[]): void {
  const seen = new Map<string, string>()
  for (const { name } of entries) {
    if (isArchiveName(name)) {
      throw new ZipRejected('NESTED_ARCHIVE', `${showName(name)} is an archive itself.`)
    }
    const folded = foldName(name)
    const other = seen.get(folded)
    if (other !== undefined) {
      const detail = `${showName(other)} and ${showName(name)} are the same name on some systems.`
      throw new ZipRejected('DUPLICATE_NAME', detail)
    }
    seen.set(folded, name)
  }
}

interface Packing {
  readonly size: number
  readonly packed: number
  readonly what: string
}

function checkRatio({ size, packed, what }: Packing, limits: ZipLimits): void {
  if (size <= limits.ratioGraceBytes || size <= packed * limits.ratio) return
  const detail = `${what} unpacks to ${size} bytes from ${packed}; ${limits.ratio}:1 is allowed.`
  throw new ZipRejected('RATIO_EXCEEDED', detail)
}
