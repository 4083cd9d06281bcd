import { type ExtraField, getFileNameLowLevel, parseExtraFields } from 'yauzl'
import { type EndRecord, uint64 } from './end-record.ts'
import type { ZipLimits } from './limits.ts'
import { ZipRejected } from './rejected.ts'
import { isUtf8 } from 'node:buffer'
import type { SpoolFile } from '../spool.ts'
import { setImmediate as nextTurn } from 'node:timers/promises'

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
  readonly limits: ZipLimits
}

/** Reads the directory of an archive: every entry of it must be one that we take. */
export async function readDirectory({ window, end, limits }: DirectoryOptions): Promise<Entry[]> {
  if (end.entries > limits.entries) {
    const detail = `The archive has ${end.entries} entries; ${limits.entries} are allowed.`
    throw new ZipRejected('TOO_MANY_ENTRIES', detail)
  }
  const entries: Entry[] = []
  let position = end.directoryStart
  for (let index = 0; index < end.entries; index += 1) {
    const { length, entry } = await readEntry(window, position, limits)
    entries.push(entry)
    position += length
  }
  if (position === end.directoryEnd) return entries
  throw new ZipRejected('HEADER_MISMATCH', 'The directory has other entries than it counts.')
}

async function readEntry(window: Window, position: number, limits: ZipLimits) {
  const fixed = await window(position, HEADER_BYTES)
  if (fixed.readUInt32LE(0) !== HEADER) {
    throw new ZipRejected('CORRUPT', 'The directory of the archive is damaged.')
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
      throw new ZipRejected('CORRUPT', 'The archive does not say how large an entry is.')
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
    throw new ZipRejected('ENCRYPTED', `${showName(name)} is encrypted.`)
  }
  const type = (attributes >>> 16) & FILE_TYPE.mask
  const isPlain = type === FILE_TYPE.none || type === FILE_TYPE.regular
  if (!isPlain && !(type === FILE_TYPE.folder && isFolder)) {
    throw new ZipRejected('SPECIAL_ENTRY', `${showName(name)} is neither a file nor a folder.`)
  }
  if (!METHODS.has(method)) {
    const detail = `${showName(name)} is packed by method ${method}.`
    throw new ZipRejected('UNSUPPORTED_COMPRESSION', detail)
  }
  if (isFolder && size > 0) {
    throw new ZipRejected('SPECIAL_ENTRY', `The folder ${showName(name)} has bytes of its own.`)
  }
  if (method === 0 && size !== packedSize) {
    throw new ZipRejected('HEADER_MISMATCH', `${showName(name)} is stored with two sizes.`)
  }
}

/** The extra fields of a header; a huge number of them would only cost time. */
export function readExtraFields(bytes: Buffer): ExtraField[] {
  if (bytes.length > MOST_EXTRA_BYTES) {
    throw new ZipRejected('CORRUPT', 'An entry of the archive has too many extra fields.')
  }
  try {
    return parseExtraFields(bytes)
  } catch (cause) {
    throw new ZipRejected('CORRUPT', 'An entry of the archive is damaged.', { cause })
  }
}

interface RawName {
  readonly bytes: Buffer
  readonly flags: number
  readonly extraFields: ExtraField[]
}

const IS_UTF8 = 0x800

/**
 * The name of an entry in one form, NFC. Archives of macOS and Linux often hold UTF-8 without saying
 * so; other bytes are what DOS had.
 */
function decodeName({ bytes, flags, extraFields }: RawName): string {
  const known = isUtf8(bytes) ? flags | IS_UTF8 : flags
  return getFileNameLowLevel(known, bytes, extraFields, true).normalize('NFC')
}

/** Names that would lead elsewhere if used as a path, or that cannot be written. */
function checkName(name: string, limits: ZipLimits): void {
  const fault = faultOf(name, limits)
  if (fault) throw new ZipRejected('UNSAFE_NAME', `${showName(name)} ${fault}.`)
}

function faultOf(name: string, { nameBytes }: ZipLimits): string | undefined {
  if (name === '') return 'is no name'
  if (Buffer.byteLength(name) > nameBytes) return `has more than ${nameBytes} bytes`
  if (/[\p{Cc}\uFFFD]/u.test(name)) return 'has characters that are no text'
  if (name.includes('\\')) return 'has a backslash'
  if (/^[a-z]:/i.test(name)) return 'begins with a drive'
  if (name.startsWith('/')) return 'begins at the root'
  const folders = name.split('/')
  const file = folders.pop()
  if (folders.some((part) => part === '..') || file === '..') return 'climbs out of the archive'
  if (folders.some((part) => part === '' || part === '.') || file === '.')
    return 'has empty folders'
  return undefined
}

/** What two names have in common if some file system takes them for one. */
export function foldName(name: string): string {
  return name.replace(/\/$/, '').toUpperCase().toLowerCase().normalize('NFC')
}

const ADDED_NAMES = /(^|\/)(\.DS_Store|Thumbs\.db|desktop\.ini|\._[^/]*)$/i

/** Whether an operating system added the entry by itself. */
export function isAdded(name: string): boolean {
  return name.startsWith('__MACOSX/') || ADDED_NAMES.test(name)
}

/** A name for a sentence: quoted, short, and without anything that could not be stored. */
export function showName(name: string): string {
  const clipped = name.length > 80 ? `${name.slice(0, 80)}…` : name
  return JSON.stringify(clipped)
}

/** Gives exactly that many bytes, valid until the next call; asking behind the end is `CORRUPT`. */
export type Window = (position: number, length: number) => Promise<Buffer>

const WINDOW_BYTES = 262_144
/** Looks from memory between two that let others run. */
const LOOKS_A_TURN = 500

/** Looks at a file mostly forwards in small steps: one read of the disk serves many of them. */
export function windowOn(spool: SpoolFile, signal: AbortSignal | undefined): Window {
  let start = 0
  let bytes: Buffer = Buffer.alloc(0)
  let looks = 0
  return async (position, length) => {
    looks += 1
    if (looks % LOOKS_A_TURN === 0) await nextTurn(undefined, signal ? { signal } : {})
    if (position < start || position + length > start + bytes.length) {
      bytes = await spool.read(position, Math.max(length, WINDOW_BYTES))
      start = position
    }
    if (position + length > start + bytes.length) {
      throw new ZipRejected('CORRUPT', 'The archive points behind its own end.')
    }
    return bytes.subarray(position - start, position - start + length)
  }
}
