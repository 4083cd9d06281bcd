import { parseExtraFields, type ExtraField } from 'yauzl'
import { uint64, type EndRecord } from './end-record.ts'
import { checkName, decodeName, showName } from './entry-name.ts'
import type { ArchiveLimits } from './limits.ts'
import { ArchiveRejected } from './reasons.ts'
import type { Window } from './window.ts'

/** A file or folder as the directory of the archive describes it. */
export interface Entry {
  readonly name: string
  /** The bytes of the name, one character each: the entry itself must say the same. */
  readonly rawName: string
  readonly isFolder: boolean
  readonly flags: number
  readonly method: number
  readonly crc: number
  readonly packedSize: number
  readonly size: number
  readonly headerStart: number
}

const HEADER = 0x02014b50
const HEADER_BYTES = 46
const SEE_ZIP64 = 0xffffffff
const MOST_EXTRA_BYTES = 4_096
/** Encrypted, strongly encrypted, and with an encrypted directory. */
export const ENCRYPTED = 0x1 | 0x40 | 0x2000
const METHODS = new Set([0, 8])
const FILE_TYPE = { mask: 0xf000, none: 0, folder: 0x4000, regular: 0x8000 }

export interface DirectoryOptions {
  readonly window: Window
  readonly end: EndRecord
  readonly limits: ArchiveLimits
}

/** Reads the directory of an archive: every entry of it must be one that we take. */
export async function readDirectory({ window, end, limits }: DirectoryOptions): Promise<Entry[]> {
  if (end.entries > limits.entries) {
    const detail = `The archive has ${end.entries} entries; ${limits.entries} are allowed.`
    throw new ArchiveRejected('TOO_MANY_ENTRIES', detail)
  }
  const entries: Entry[] = []
  let position = end.directoryStart
  for (let index = 0; index < end.entries; index += 1) {
    const { length, entry } = await readEntry(window, position, limits)
    entries.push(entry)
    position += length
  }
  if (position === end.directoryEnd) return entries
  throw new ArchiveRejected('HEADER_MISMATCH', 'The directory has other entries than it counts.')
}

async function readEntry(window: Window, position: number, limits: ArchiveLimits) {
  const fixed = await window(position, HEADER_BYTES)
  if (fixed.readUInt32LE(0) !== HEADER) {
    throw new ArchiveRejected('CORRUPT', 'The directory of the archive is damaged.')
  }
  const nameBytes = fixed.readUInt16LE(28)
  const extraBytes = fixed.readUInt16LE(30)
  const length = HEADER_BYTES + nameBytes + extraBytes + fixed.readUInt16LE(32)
  const header = await window(position, length)
  const bytes = header.subarray(HEADER_BYTES, HEADER_BYTES + nameBytes)
  const extra = header.subarray(HEADER_BYTES + nameBytes, HEADER_BYTES + nameBytes + extraBytes)
  const extraFields = readExtraFields(extra)
  const flags = header.readUInt16LE(8)
  const name = decodeName({ bytes, flags, extraFields })
  checkName(name, limits)
  const entry: Entry = {
    name,
    rawName: bytes.toString('latin1'),
    isFolder: name.endsWith('/'),
    flags,
    method: header.readUInt16LE(10),
    crc: header.readUInt32LE(16),
    ...sizesOf(header, extraFields),
  }
  checkKind(entry, header.readUInt32LE(38))
  return { length, entry }
}

/** Large values stand in an extra field, in this order, and only those that are too large. */
function sizesOf(header: Buffer, extraFields: readonly ExtraField[]) {
  const large = extraFields.find(({ id }) => id === 1)?.data ?? Buffer.alloc(0)
  let next = 0
  const value = (offset: number) => {
    const plain = header.readUInt32LE(offset)
    if (plain !== SEE_ZIP64) return plain
    next += 8
    if (next > large.length) {
      throw new ArchiveRejected('CORRUPT', 'The archive does not say how large an entry is.')
    }
    return uint64(large, next - 8)
  }
  const size = value(24)
  const packedSize = value(20)
  return { size, packedSize, headerStart: value(42) }
}

function checkKind(entry: Entry, attributes: number): void {
  const { name, flags, method, size, packedSize, isFolder } = entry
  if ((flags & ENCRYPTED) !== 0) {
    throw new ArchiveRejected('ENCRYPTED', `${showName(name)} is encrypted.`)
  }
  const type = (attributes >>> 16) & FILE_TYPE.mask
  const isPlain = type === FILE_TYPE.none || type === FILE_TYPE.regular
  if (!isPlain && !(type === FILE_TYPE.folder && isFolder)) {
    throw new ArchiveRejected('SPECIAL_ENTRY', `${showName(name)} is neither a file nor a folder.`)
  }
  if (!METHODS.has(method)) {
    const detail = `${showName(name)} is packed by method ${method}.`
    throw new ArchiveRejected('UNSUPPORTED_COMPRESSION', detail)
  }
  if (isFolder && size > 0) {
    throw new ArchiveRejected('SPECIAL_ENTRY', `The folder ${showName(name)} has bytes of its own.`)
  }
  if (method === 0 && size !== packedSize) {
    throw new ArchiveRejected('HEADER_MISMATCH', `${showName(name)} is stored with two sizes.`)
  }
}

/** The extra fields of a header; a huge number of them would only cost time. */
export function readExtraFields(bytes: Buffer): ExtraField[] {
  if (bytes.length > MOST_EXTRA_BYTES) {
    throw new ArchiveRejected('CORRUPT', 'An entry of the archive has too many extra fields.')
  }
  try {
    return parseExtraFields(bytes)
  } catch (cause) {
    throw new ArchiveRejected('CORRUPT', 'An entry of the archive is damaged.', { cause })
  }
}
