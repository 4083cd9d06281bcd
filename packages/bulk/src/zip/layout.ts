import { constants, inflateRawSync } from 'node:zlib'
import { ENCRYPTED, type Entry, type Window, readExtraFields, showName } from './directory.ts'
import { uint64 } from './end-record.ts'
import { TELLING_BYTES, isArchive } from './nested.ts'
import { ZipRejected } from './rejected.ts'

/** An entry whose bytes are known to be its own. */
export interface PlacedEntry {
  readonly name: string
  readonly isFolder: boolean
  readonly method: number
  readonly crc: number
  readonly packedSize: number
  readonly size: number
  readonly dataStart: number
}

const HEADER = 0x04034b50
const HEADER_BYTES = 30
const SEE_ZIP64 = 0xffffffff
/** The sizes and the checksum follow behind the data, in at most this many bytes. */
const HAS_DESCRIPTOR = 0x8
const LONGEST_DESCRIPTOR = 24
/**
 * So many packed bytes are tried for the first unpacked ones. The first is enough for all honest
 * files, whose tables take up to 290; a bomb would give too much, and gets fewer.
 */
const PEEKED_BYTES = [400, 100, 32] as const
const MOST_UNPACKED = 4_096

/**
 * Walks through the entries in the order of the file. Each must say of itself what the directory
 * says, and begin where the one before it ends: so no byte is used twice, as in bombs made of
 * overlapping entries, and none is hidden from us that other readers would see.
 */
export async function placeEntries(
  window: Window,
  entries: readonly Entry[],
  directoryStart: number,
): Promise<PlacedEntry[]> {
  const placed: PlacedEntry[] = []
  let free = { from: 0, to: 0 }
  let nested: ZipRejected | undefined
  for (const entry of entries.toSorted((a, b) => a.headerStart - b.headerStart)) {
    checkStart(entry.headerStart, free, showName(entry.name))
    const { dataStart, hasDescriptor } = await readLocalHeader(window, entry, directoryStart)
    const dataEnd = dataStart + entry.packedSize
    if (dataEnd > directoryStart) {
      throw new ZipRejected('OVERLAPPING_ENTRIES', `${showName(entry.name)} has no end of its own.`)
    }
    free = { from: dataEnd, to: dataEnd + (hasDescriptor ? LONGEST_DESCRIPTOR : 0) }
    const peeked = await window(dataStart, Math.min(entry.packedSize, PEEKED_BYTES[0]))
    nested ??= nestingOf(entry, peeked)
    const { name, isFolder, method, crc, packedSize, size } = entry
    placed.push({ name, isFolder, method, crc, packedSize, size, dataStart })
  }
  checkStart(directoryStart, free, 'the directory')
  // Last, since entries that overlap look like archives in archives too.
  if (nested) throw nested
  return placed
}

function checkStart(start: number, free: { from: number; to: number }, what: string): void {
  if (start < free.from) {
    const detail = `${what} begins before the entry in front of it ends.`
    throw new ZipRejected('OVERLAPPING_ENTRIES', detail)
  }
  if (start > free.to) {
    const detail = `${start - free.to} bytes in front of ${what} belong to no entry.`
    throw new ZipRejected('EXTRA_BYTES', detail)
  }
}

async function readLocalHeader(
  window: Window,
  entry: Entry,
  directoryStart: number,
): Promise<{ dataStart: number; hasDescriptor: boolean }> {
  const { headerStart, rawName } = entry
  if (headerStart + HEADER_BYTES > directoryStart) throw mismatch(entry)
  const fixed = await window(headerStart, HEADER_BYTES)
  if (fixed.readUInt32LE(0) !== HEADER) throw mismatch(entry)
  const nameEnd = HEADER_BYTES + fixed.readUInt16LE(26)
  const length = nameEnd + fixed.readUInt16LE(28)
  if (headerStart + length > directoryStart) throw mismatch(entry)
  const header = await window(headerStart, length)
  const flags = header.readUInt16LE(6)
  const says = {
    name: header.toString('latin1', HEADER_BYTES, nameEnd),
    method: header.readUInt16LE(8),
    crc: header.readUInt32LE(14),
    ...localSizes(header, nameEnd),
  }
  if ((flags & ENCRYPTED) !== 0 || says.name !== rawName || says.method !== entry.method) {
    throw mismatch(entry)
  }
  const isSame = (field: 'crc' | 'size' | 'packedSize') =>
    says[field] === entry[field] || (says[field] === 0 && (flags & HAS_DESCRIPTOR) !== 0)
  if (!isSame('crc') || !isSame('size') || !isSame('packedSize')) throw mismatch(entry)
  const hasDescriptor = ((flags | entry.flags) & HAS_DESCRIPTOR) !== 0
  return { dataStart: headerStart + length, hasDescriptor }
}

/** A header with large sizes must have both of them in its extra field. */
function localSizes(header: Buffer, nameEnd: number) {
  const packedSize = header.readUInt32LE(18)
  const size = header.readUInt32LE(22)
  if (packedSize !== SEE_ZIP64 && size !== SEE_ZIP64) return { size, packedSize }
  const extraFields = readExtraFields(header.subarray(nameEnd))
  const large = extraFields.find(({ id }) => id === 1)?.data
  if (!large || large.length < 16) return { size, packedSize }
  return {
    size: size === SEE_ZIP64 ? uint64(large, 0) : size,
    packedSize: packedSize === SEE_ZIP64 ? uint64(large, 8) : packedSize,
  }
}

function mismatch({ name }: Entry): ZipRejected {
  const detail = `${showName(name)} is described otherwise by the directory than by itself.`
  return new ZipRejected('HEADER_MISMATCH', detail)
}

function nestingOf({ name, method }: Entry, packed: Buffer): ZipRejected | undefined {
  const beginning = method === 0 ? packed : inflateStart(packed)
  if (!isArchive(name, beginning.subarray(0, TELLING_BYTES))) return undefined
  return new ZipRejected('NESTED_ARCHIVE', `${showName(name)} is an archive itself.`)
}

/** What the first packed bytes unpack to; nothing if they are damaged, which its reader will find. */
function inflateStart(packed: Buffer): Buffer {
  for (const length of PEEKED_BYTES) {
    try {
      return inflateRawSync(packed.subarray(0, length), {
        finishFlush: constants.Z_SYNC_FLUSH,
        chunkSize: MOST_UNPACKED,
        maxOutputLength: MOST_UNPACKED,
      })
    } catch {
      continue
    }
  }
  return Buffer.alloc(0)
}
