import type { SpoolFile } from '../spool.ts'
import { ZipRejected } from './rejected.ts'

/** Where the directory of an archive is, and how many entries it has. */
export interface EndRecord {
  readonly directoryStart: number
  readonly directoryEnd: number
  readonly entries: number
}

const RECORD_BYTES = 22
const LONGEST_COMMENT = 65_535
const RECORD = Buffer.from('PK\u0005\u0006', 'latin1')
const LOCATOR_BYTES = 20
const LOCATOR = 0x07064b50
const RECORD64_BYTES = 56
const RECORD64 = 0x06064b50
/** What the fields of the record say when the real value is in the ZIP64 record. */
const SEE_ZIP64 = { entries: 0xffff, bytes: 0xffffffff }

/**
 * Finds the record at the end of an archive. Readers disagree about archives with a comment that
 * looks like a record, rubbish behind the end or gaps before it: none of these is taken.
 */
export async function findEnd(spool: SpoolFile): Promise<EndRecord> {
  const length = Math.min(spool.size, RECORD_BYTES + LONGEST_COMMENT + LOCATOR_BYTES)
  const tail = await spool.read(spool.size - length, length)
  const at = tail.length < RECORD_BYTES ? -1 : tail.lastIndexOf(RECORD, tail.length - RECORD_BYTES)
  if (at < 0) throw corrupt('It has no end: it was cut off, or more follows behind it.')
  const record = tail.subarray(at)
  checkComment(record)
  const position = spool.size - record.length
  const plain = {
    disks: record.readUInt16LE(4) + record.readUInt16LE(6),
    entriesHere: record.readUInt16LE(8),
    entries: record.readUInt16LE(10),
    bytes: record.readUInt32LE(12),
    directoryStart: record.readUInt32LE(16),
  }
  const locator = at < LOCATOR_BYTES ? undefined : tail.subarray(at - LOCATOR_BYTES, at)
  if (locator?.readUInt32LE(0) !== LOCATOR) return checkRecord(plain, position)
  const locatorPosition = position - LOCATOR_BYTES
  const large = await readRecord64(spool, locator, locatorPosition)
  checkAgreement(plain, large)
  return checkRecord(large, large.position)
}

interface Fields {
  readonly disks: number
  readonly entriesHere: number
  readonly entries: number
  readonly bytes: number
  readonly directoryStart: number
}

function checkComment(record: Buffer): void {
  const stated = record.readUInt16LE(20)
  const found = record.length - RECORD_BYTES
  if (stated > found) throw corrupt('It ends within its comment.')
  if (stated < found) {
    throw new ZipRejected('EXTRA_BYTES', `${found - stated} bytes follow behind the archive.`)
  }
}

async function readRecord64(spool: SpoolFile, locator: Buffer, locatorPosition: number) {
  const position = uint64(locator, 8)
  const record = await spool.read(position, RECORD64_BYTES)
  if (record.length < RECORD64_BYTES || record.readUInt32LE(0) !== RECORD64) {
    throw corrupt('Its ZIP64 end is not where it should be.')
  }
  // The record says its length without the first twelve bytes.
  if (position + 12 + uint64(record, 4) !== locatorPosition) {
    throw corrupt('Its ZIP64 end has another length than it says.')
  }
  return {
    position,
    disks: record.readUInt32LE(16) + record.readUInt32LE(20),
    entriesHere: uint64(record, 24),
    entries: uint64(record, 32),
    bytes: uint64(record, 40),
    directoryStart: uint64(record, 48),
  }
}

/** Some readers look at the one record, some at the other: both must lead to the same entries. */
function checkAgreement(plain: Fields, large: Fields): void {
  const agrees =
    (plain.entries === SEE_ZIP64.entries || plain.entries === large.entries) &&
    (plain.bytes === SEE_ZIP64.bytes || plain.bytes === large.bytes) &&
    (plain.directoryStart === SEE_ZIP64.bytes || plain.directoryStart === large.directoryStart)
  if (agrees) return
  throw new ZipRejected('HEADER_MISMATCH', 'The two ends of the archive contradict each other.')
}

function checkRecord(fields: Fields, end: number): EndRecord {
  const { disks, entriesHere, entries, bytes, directoryStart } = fields
  if (disks !== 0 || entriesHere !== entries) throw corrupt('It is a part of a split archive.')
  if (directoryStart + bytes !== end) throw corrupt('Its directory is not where it should be.')
  return { directoryStart, directoryEnd: end, entries }
}

/** Exact as far as files reach; what is larger fails every comparison with a file's size. */
export function uint64(buffer: Buffer, offset: number): number {
  return buffer.readUInt32LE(offset + 4) * 0x1_0000_0000 + buffer.readUInt32LE(offset)
}

function corrupt(detail: string): ZipRejected {
  return new ZipRejected('CORRUPT', `The archive is damaged. ${detail}`)
}
