import { crc32, deflateRawSync } from 'node:zlib'

/** What a header says of an entry; a lie where it differs from the entry. */
export interface Header {
  readonly name: Buffer
  readonly flags: number
  readonly method: number
  readonly crc: number
  readonly packedSize: number
  readonly size: number
  readonly extra: Buffer
}

export interface MadeEntry {
  readonly name: string | Buffer
  readonly data?: Buffer | string
  readonly method?: number
  /** The bytes in the file, if they are not `data` packed by `method`. */
  readonly packed?: Buffer
  /** A Unix mode, e.g. 0o120777 for a link. */
  readonly mode?: number
  readonly flags?: number
  readonly local?: Partial<Header>
  readonly central?: Partial<Header> & { readonly headerStart?: number }
  /** Follow the data, e.g. a data descriptor. */
  readonly behind?: Buffer
}

export interface MadeEnd {
  readonly entries?: number
  readonly bytes?: number
  readonly directoryStart?: number
  readonly disk?: number
  readonly comment?: Buffer
  readonly zip64?: true
  /** Between the directory and the end. */
  readonly before?: Buffer
}

const UTF8 = 0x800

/** A ZIP file byte by byte, so that any part of it can lie. */
export function makeZip(entries: readonly MadeEntry[], end: MadeEnd = {}): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let position = 0
  for (const entry of entries) {
    const truth = headerOf(entry)
    const packed = packBytes(entry)
    directory.push(centralHeader(entry, truth, position))
    const bytes = [localHeader({ ...truth, ...entry.local }), packed, entry.behind ?? EMPTY]
    parts.push(...bytes)
    position += sum(bytes)
  }
  const ending = endOf({ entries: entries.length, bytes: sum(directory), position }, end)
  return Buffer.concat([...parts, ...directory, end.before ?? EMPTY, ending])
}

/** A data descriptor: checksum and sizes behind the data, for who did not know them before. */
export function descriptorOf(data: string, packed: Buffer): Buffer {
  const bytes = Buffer.alloc(16)
  bytes.write('PK\u0007\u0008', 'latin1')
  bytes.writeUInt32LE(crc32(data), 4)
  bytes.writeUInt32LE(packed.length, 8)
  bytes.writeUInt32LE(Buffer.byteLength(data), 12)
  return bytes
}

export function localHeader({ name, flags, method, crc, ...rest }: Header): Buffer {
  const bytes = Buffer.alloc(30)
  bytes.write('PK\u0003\u0004', 'latin1')
  bytes.writeUInt16LE(20, 4)
  bytes.writeUInt16LE(flags, 6)
  bytes.writeUInt16LE(method, 8)
  bytes.writeUInt32LE(crc, 14)
  bytes.writeUInt32LE(rest.packedSize, 18)
  bytes.writeUInt32LE(rest.size, 22)
  bytes.writeUInt16LE(name.length, 26)
  bytes.writeUInt16LE(rest.extra.length, 28)
  return Buffer.concat([bytes, name, rest.extra])
}

const EMPTY = Buffer.alloc(0)

function dataOf({ data = '' }: MadeEntry): Buffer {
  return typeof data === 'string' ? Buffer.from(data) : data
}

function packBytes(entry: MadeEntry): Buffer {
  const { method = 8, packed } = entry
  return packed ?? (method === 8 ? deflateRawSync(dataOf(entry)) : dataOf(entry))
}

function headerOf(entry: MadeEntry): Header {
  const data = dataOf(entry)
  return {
    name: typeof entry.name === 'string' ? Buffer.from(entry.name) : entry.name,
    flags: entry.flags ?? UTF8,
    method: entry.method ?? 8,
    crc: crc32(data),
    packedSize: packBytes(entry).length,
    size: data.length,
    extra: EMPTY,
  }
}

function centralHeader({ mode = 0, central }: MadeEntry, truth: Header, position: number): Buffer {
  const says = { ...truth, headerStart: position, ...central }
  const bytes = Buffer.alloc(46)
  bytes.write('PK\u0001\u0002', 'latin1')
  bytes.writeUInt16LE((3 << 8) | 20, 4)
  bytes.writeUInt16LE(20, 6)
  bytes.writeUInt16LE(says.flags, 8)
  bytes.writeUInt16LE(says.method, 10)
  bytes.writeUInt32LE(says.crc, 16)
  bytes.writeUInt32LE(says.packedSize, 20)
  bytes.writeUInt32LE(says.size, 24)
  bytes.writeUInt16LE(says.name.length, 28)
  bytes.writeUInt16LE(says.extra.length, 30)
  bytes.writeUInt32LE((mode << 16) >>> 0, 38)
  bytes.writeUInt32LE(says.headerStart, 42)
  return Buffer.concat([bytes, says.name, says.extra])
}

interface Truth {
  readonly entries: number
  readonly bytes: number
  readonly position: number
}

function endOf(truth: Truth, end: MadeEnd): Buffer {
  const entries = end.entries ?? truth.entries
  const bytes = end.bytes ?? truth.bytes
  const directoryStart = end.directoryStart ?? truth.position
  const comment = end.comment ?? EMPTY
  const plain = Buffer.alloc(22)
  plain.write('PK\u0005\u0006', 'latin1')
  plain.writeUInt16LE(end.disk ?? 0, 4)
  plain.writeUInt16LE(Math.min(entries, 0xffff), 8)
  plain.writeUInt16LE(Math.min(entries, 0xffff), 10)
  plain.writeUInt32LE(bytes, 12)
  plain.writeUInt32LE(directoryStart, 16)
  plain.writeUInt16LE(comment.length, 20)
  if (!end.zip64) return Buffer.concat([plain, comment])
  const large = Buffer.alloc(56 + 20)
  large.write('PK\u0006\u0006', 'latin1')
  large.writeBigUInt64LE(44n, 4)
  large.writeBigUInt64LE(BigInt(entries), 24)
  large.writeBigUInt64LE(BigInt(entries), 32)
  large.writeBigUInt64LE(BigInt(bytes), 40)
  large.writeBigUInt64LE(BigInt(directoryStart), 48)
  large.write('PK\u0006\u0007', 56, 'latin1')
  large.writeBigUInt64LE(BigInt(truth.position + truth.bytes + (end.before?.length ?? 0)), 64)
  large.writeUInt32LE(1, 72)
  return Buffer.concat([large, plain, comment])
}

function sum(parts: readonly Buffer[]): number {
  return parts.reduce((total, { length }) => total + length, 0)
}
