import { randomBytes } from 'node:crypto'
import { crc32, deflateRawSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { ArchiveLimits } from './limits.ts'
import type { ArchiveReason } from './reasons.ts'
import { localHeader, makeZip, type MadeEnd, type MadeEntry } from '@posthorn/bulk/zip/testing'
import { CSV, PDF, useOpening } from './testing/opening.ts'

const { open } = useOpening()

const FILE: MadeEntry = { name: 'a.pdf', data: PDF }
const GOOD = makeZip([CSV, FILE])

interface Trick {
  readonly entries?: readonly MadeEntry[]
  readonly end?: MadeEnd
  readonly bytes?: Buffer
  readonly limits?: Partial<ArchiveLimits>
}

function rejects(title: string, reason: ArchiveReason, trick: Trick): void {
  test(`${title}: ${reason}`, async () => {
    const { entries = [], end = {}, bytes = makeZip([CSV, FILE, ...entries], end), limits } = trick
    const result = await open(bytes, limits)
    expect(result).toMatchObject({ kind: 'rejected', reason })
    if (result.kind === 'rejected') expect(result.detail).toMatch(/^[^\p{Cc}]{1,400}\.$/u)
  })
}

const trickNamed = (name: string | Buffer): Trick => ({ entries: [{ name, data: PDF }] })

describe('no ZIP', () => {
  rejects('nothing', 'NOT_A_ZIP', { bytes: Buffer.alloc(0) })
  rejects('two bytes', 'NOT_A_ZIP', { bytes: Buffer.from('PK') })
  rejects('a text', 'NOT_A_ZIP', { bytes: Buffer.from('case_id,evidence_files\n') })
  rejects('a program in front', 'NOT_A_ZIP', { bytes: Buffer.concat([Buffer.from('MZ'), GOOD]) })
  rejects('a gzip', 'NOT_A_ZIP', { bytes: gzipSync(GOOD) })
  rejects('an entry and nothing more', 'CORRUPT', { bytes: GOOD.subarray(0, 60) })
  rejects('no entries', 'NO_CSV', { bytes: makeZip([]) })
})

describe('names', () => {
  rejects('climbing', 'UNSAFE_NAME', trickNamed('../../etc/passwd'))
  rejects('climbing in the middle', 'UNSAFE_NAME', trickNamed('a/../../b.pdf'))
  rejects('climbing at the end', 'UNSAFE_NAME', trickNamed('a/..'))
  rejects('from the root', 'UNSAFE_NAME', trickNamed('/etc/passwd'))
  rejects('of a drive', 'UNSAFE_NAME', trickNamed('C:/b.pdf'))
  rejects('of a drive without a slash', 'UNSAFE_NAME', trickNamed('c:b.pdf'))
  rejects('with backslashes', 'UNSAFE_NAME', trickNamed('..\\b.pdf'))
  rejects('of a network share', 'UNSAFE_NAME', trickNamed('\\\\host\\b.pdf'))
  rejects('with a NUL', 'UNSAFE_NAME', trickNamed('b.pdf\0.exe'))
  rejects('with a line break', 'UNSAFE_NAME', trickNamed('b\n.pdf'))
  rejects('with half a character', 'UNSAFE_NAME', trickNamed(Buffer.from([0x62, 0xc3, 0x28])))
  rejects('empty', 'UNSAFE_NAME', trickNamed(''))
  rejects('with empty folders', 'UNSAFE_NAME', trickNamed('a//b.pdf'))
  rejects('with folders that are none', 'UNSAFE_NAME', trickNamed('./b.pdf'))
  rejects('too long', 'UNSAFE_NAME', trickNamed(`${'ü'.repeat(511)}.pdf`))
  rejects('twice the same', 'DUPLICATE_NAME', trickNamed('a.pdf'))
  rejects('the same in capitals', 'DUPLICATE_NAME', trickNamed('A.PDF'))
  rejects('a file and a folder', 'DUPLICATE_NAME', { entries: [{ name: 'a.pdf/', method: 0 }] })
  rejects('the same in another form', 'DUPLICATE_NAME', {
    entries: [
      { name: 'caf\u00e9.pdf', data: PDF },
      { name: 'cafe\u0301.pdf', data: PDF },
    ],
  })
  rejects('the same folded', 'DUPLICATE_NAME', {
    entries: [
      { name: 'Straße.pdf', data: PDF },
      { name: 'STRASSE.pdf', data: PDF },
    ],
  })
  const innocent = Buffer.from('innocent.pdf')
  const climbing = Buffer.from('../climbing.pdf')
  const extra = Buffer.concat([
    Buffer.from([0x75, 0x70, 5 + climbing.length, 0, 1]),
    uint32(crc32(innocent)),
    climbing,
  ])
  rejects('climbing by a second name', 'UNSAFE_NAME', {
    entries: [{ name: innocent, data: PDF, flags: 0, central: { extra } }],
  })
})

describe('special entries', () => {
  rejects('a link', 'SPECIAL_ENTRY', {
    entries: [{ name: 'link.pdf', data: '/etc/passwd', mode: 0o120777 }],
  })
  rejects('a device', 'SPECIAL_ENTRY', { entries: [{ name: 'tty', mode: 0o020666 }] })
  rejects('a pipe', 'SPECIAL_ENTRY', { entries: [{ name: 'pipe', mode: 0o010666 }] })
  rejects('a folder called as a file', 'SPECIAL_ENTRY', {
    entries: [{ name: 'folder.pdf', mode: 0o040755 }],
  })
  rejects('a folder with bytes', 'SPECIAL_ENTRY', { entries: [{ name: 'b/', data: PDF }] })
  rejects('encrypted', 'ENCRYPTED', { entries: [{ name: 'b.pdf', data: PDF, flags: 0x801 }] })
  rejects('strongly encrypted', 'ENCRYPTED', {
    entries: [{ name: 'b.pdf', data: PDF, flags: 0x841 }],
  })
  rejects('encrypted in secret', 'HEADER_MISMATCH', {
    entries: [{ name: 'b.pdf', data: PDF, local: { flags: 0x801 } }],
  })
  for (const method of [1, 9, 12, 14, 93, 99]) {
    rejects(`packed by method ${method}`, 'UNSUPPORTED_COMPRESSION', {
      entries: [{ name: 'b.pdf', data: PDF, packed: Buffer.from(PDF), method }],
    })
  }
  rejects('packed otherwise in secret', 'HEADER_MISMATCH', {
    entries: [{ name: 'b.pdf', data: PDF, method: 0, local: { method: 8 } }],
  })
})

describe('archives in archives', () => {
  rejects('by name', 'NESTED_ARCHIVE', trickNamed('more.ZIP'))
  rejects('a ZIP called PDF', 'NESTED_ARCHIVE', { entries: [{ name: 'b.pdf', data: GOOD }] })
  rejects('a stored ZIP', 'NESTED_ARCHIVE', {
    entries: [{ name: 'b.pdf', data: GOOD, method: 0 }],
  })
  rejects('a gzip', 'NESTED_ARCHIVE', { entries: [{ name: 'b', data: gzipSync(PDF) }] })
  rejects('a tar', 'NESTED_ARCHIVE', {
    entries: [{ name: 'b', data: Buffer.from(`${'\0'.repeat(257)}ustar\0${'\0'.repeat(250)}`) }],
  })
  rejects('a ZIP as the CSV', 'NESTED_ARCHIVE', {
    bytes: makeZip([{ name: 'rows.csv', data: GOOD }, FILE]),
  })
  rejects('a ZIP packed tightly', 'NESTED_ARCHIVE', {
    entries: [{ name: 'b.pdf', data: Buffer.concat([GOOD, Buffer.alloc(80_000)]) }],
  })
  const level = (depth: number): Buffer => {
    if (depth === 0) return makeZip([{ name: '0.pdf', data: Buffer.alloc(4_000_000) }])
    const data = level(depth - 1)
    const names = Array.from({ length: 16 }, (_, index) => `${depth}-${index}`)
    return makeZip(names.map((name) => ({ name, data })))
  }
  rejects('42.zip', 'NESTED_ARCHIVE', { entries: [{ name: 'b.pdf', data: level(2) }] })
})

describe('bombs', () => {
  const zeros = Buffer.alloc(10_000_000)
  rejects('one flat file', 'RATIO_EXCEEDED', { entries: [{ name: 'b.pdf', data: zeros }] })
  rejects('the CSV', 'RATIO_EXCEEDED', { bytes: makeZip([{ name: 'rows.csv', data: zeros }]) })
  const data = Buffer.alloc(90_000)
  const small = { data, packed: deflateRawSync(data) }
  const many = Array.from({ length: 500 }, (_, index) => ({ ...small, name: `${index}.pdf` }))
  rejects('many small files', 'RATIO_EXCEEDED', { entries: many })
  rejects('more than all may have', 'TOO_MUCH_INFLATED', {
    entries: many,
    limits: { inflatedBytes: 10_000_000, ratio: 100_000 },
  })
  rejects('a CSV that is too large', 'CSV_TOO_LARGE', { limits: { csvBytes: 10 } })
  rejects('a CSV that is larger than it says', 'HEADER_MISMATCH', {
    bytes: makeZip([
      {
        name: 'rows.csv',
        packed: deflateRawSync(zeros),
        local: { size: 900 },
        central: { size: 900 },
      },
    ]),
  })

  const kernel = { name: 'k.pdf', data: Buffer.alloc(90_000) }
  const start = makeZip([CSV]).indexOf('PK\u0001\u0002')
  const sameKernel = Array.from({ length: 50 }, (_, index) => ({
    ...{ name: `${index}.pdf`, data: kernel.data, packed: Buffer.alloc(0) },
    central: { headerStart: start, packedSize: deflateRawSync(kernel.data).length },
  }))
  rejects('entries that share their bytes', 'OVERLAPPING_ENTRIES', {
    bytes: makeZip([CSV, kernel, ...sameKernel]),
    limits: { ratio: 1_000_000 },
  })
  rejects('entries that quote each other', 'OVERLAPPING_ENTRIES', {
    bytes: quotedOverlap(20),
    limits: { ratio: 1_000_000 },
  })
})

describe('contradictions', () => {
  const lie = (lies: Partial<MadeEntry>): Trick => ({
    entries: [{ name: 'b.pdf', data: PDF, ...lies }],
  })
  rejects('another name', 'HEADER_MISMATCH', lie({ local: { name: Buffer.from('c.pdf') } }))
  rejects(
    'another length of the name',
    'HEADER_MISMATCH',
    lie({ local: { name: Buffer.from('c') } }),
  )
  rejects('another size', 'HEADER_MISMATCH', lie({ local: { size: 1 } }))
  rejects('another checksum', 'HEADER_MISMATCH', lie({ local: { crc: 1 } }))
  rejects('another packed size', 'HEADER_MISMATCH', lie({ local: { packedSize: 1 } }))
  rejects('two sizes of a stored file', 'HEADER_MISMATCH', lie({ method: 0, central: { size: 5 } }))
  rejects('a packed size to the end', 'OVERLAPPING_ENTRIES', {
    entries: [
      { name: 'b.pdf', data: PDF, local: { packedSize: 9_000 }, central: { packedSize: 9_000 } },
    ],
  })
  rejects(
    'no header where it should be',
    'OVERLAPPING_ENTRIES',
    lie({ central: { headerStart: 7 } }),
  )
  rejects('a header behind the end', 'EXTRA_BYTES', lie({ central: { headerStart: 0xfffffff0 } }))
  rejects('extra fields without end', 'CORRUPT', lie({ central: { extra: Buffer.alloc(60_000) } }))
  rejects('sizes that stand nowhere', 'CORRUPT', lie({ central: { size: 0xffffffff } }))
  rejects('fewer entries counted', 'HEADER_MISMATCH', { end: { entries: 1 } })
  rejects('more entries counted', 'CORRUPT', { end: { entries: 3 } })
  rejects('a directory elsewhere', 'CORRUPT', { end: { directoryStart: 3 } })
  rejects('a directory of another length', 'CORRUPT', { end: { bytes: 3 } })
  rejects('a part of a split archive', 'CORRUPT', { end: { disk: 1 } })
  rejects('a wrong checksum of the CSV', 'CSV_DAMAGED', {
    bytes: makeZip([{ ...CSV, local: { crc: 1 }, central: { crc: 1 } }, FILE]),
  })
  rejects('a CSV that cannot be unpacked', 'CSV_DAMAGED', {
    bytes: makeZip([{ ...CSV, packed: Buffer.alloc(30, 0xff) }, FILE]),
  })
  const large = makeZip([CSV, FILE], { zip64: true })
  const contrary = Buffer.from(large)
  contrary.writeUInt16LE(1, contrary.length - 12)
  rejects('a ZIP64 with two counts', 'HEADER_MISMATCH', { bytes: contrary })
  const elsewhere = Buffer.from(large)
  elsewhere.writeUInt32LE(5, elsewhere.length - 22 - 12)
  rejects('a ZIP64 that points elsewhere', 'CORRUPT', { bytes: elsewhere })
})

describe('rubbish', () => {
  const rubbish = randomBytes(50)
  rejects('behind the end', 'EXTRA_BYTES', { bytes: Buffer.concat([GOOD, rubbish]) })
  rejects('so much that the end is lost', 'CORRUPT', {
    bytes: Buffer.concat([GOOD, Buffer.alloc(70_000)]),
  })
  rejects('between entries', 'EXTRA_BYTES', {
    entries: [{ ...FILE, name: 'b.pdf', behind: rubbish }],
  })
  rejects('before the end', 'CORRUPT', { end: { before: rubbish } })
  rejects('another archive in the comment', 'CORRUPT', { end: { comment: GOOD } })
  rejects('an end in the comment', 'EXTRA_BYTES', {
    end: { comment: Buffer.from(`PK\u0005\u0006${'\0'.repeat(30)}`, 'latin1') },
  })
  test('a comment is none', async () => {
    const bytes = makeZip([CSV, FILE], { comment: Buffer.from('made by hand') })
    expect(await open(bytes)).toMatchObject({ kind: 'opened' })
  })
})

describe('CSVs', () => {
  rejects('none', 'NO_CSV', { bytes: makeZip([FILE]) })
  rejects('two', 'SEVERAL_CSVS', { entries: [{ ...CSV, name: 'files/OTHER.CSV' }] })
  rejects('only the shadow of one', 'NO_CSV', {
    bytes: makeZip([FILE, { name: '__MACOSX/._rows.csv', data: 'x' }]),
  })
})

test('an archive that is cut off anywhere is rejected', async () => {
  const archive = makeZip([CSV, FILE, { name: 'b.pdf', data: randomBytes(500) }])
  for (let length = 0; length < archive.length; length += 7) {
    const result = await open(archive.subarray(0, length))
    expect(result).toMatchObject({ kind: 'rejected' })
    if (result.kind === 'rejected') expect(['NOT_A_ZIP', 'CORRUPT']).toContain(result.reason)
  }
})

/** The bomb of David Fifield: each file holds, unpacked as it is, the header of the next one. */
function quotedOverlap(files: number): Buffer {
  let tail = deflateRawSync(Buffer.alloc(90_000))
  let data = Buffer.alloc(90_000)
  const found: { name: string; length: number; packedSize: number; size: number; crc: number }[] =
    []
  for (let index = files; index > 0; index -= 1) {
    const name = `${index}.pdf`
    const truth = { packedSize: tail.length, size: data.length, crc: crc32(data) }
    const header = localHeader({
      ...{ name: Buffer.from(name), flags: 0x800, method: 8, extra: Buffer.alloc(0) },
      ...truth,
    })
    found.unshift({ name, length: header.length, ...truth })
    tail = Buffer.concat([storedBlock(header.length), header, tail])
    data = Buffer.concat([header, data])
  }
  // Bytes in front of the first header belong to no entry.
  const bytes = tail.subarray(5)
  let headerStart = makeZip([CSV]).indexOf('PK\u0001\u0002')
  const [first, ...others] = found.map(({ name, length, ...sizes }) => {
    const central = { ...sizes, headerStart }
    headerStart += length + 5
    return { name, packed: Buffer.alloc(0), central }
  })
  const zip = makeZip([CSV, ...(first ? [first] : []), ...others])
  const directory = zip.indexOf('PK\u0001\u0002')
  const csvEnd = makeZip([CSV]).indexOf('PK\u0001\u0002')
  const whole = Buffer.concat([zip.subarray(0, csvEnd), bytes, zip.subarray(directory)])
  whole.writeUInt32LE(csvEnd + bytes.length, whole.length - 6)
  return whole
}

function storedBlock(length: number): Buffer {
  const block = Buffer.alloc(5)
  block.writeUInt16LE(length, 1)
  block.writeUInt16LE(length ^ 0xffff, 3)
  return block
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
