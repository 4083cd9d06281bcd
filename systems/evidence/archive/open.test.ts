import { randomBytes } from 'node:crypto'
import { readdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { deflateRawSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { ZipFile } from 'yazl'
import { folderStorage } from '../storage/folder.ts'
import { NotStored } from '../storage/storage.ts'
import { openArchive } from './open.ts'
import { BadFileError } from './reasons.ts'
import { descriptorOf, makeZip } from '@posthorn/bulk/zip/testing'
import { CSV, PDF, useOpening } from './testing/opening.ts'

const { open, openZip: opened } = useOpening()

describe('an archive', () => {
  test('gives its CSV and its files', async () => {
    const archive = await opened(
      makeZip([CSV, { name: 'files/', method: 0 }, { name: 'files/a.pdf', data: PDF }]),
    )
    expect(archive.csv).toEqual({
      name: 'rows.csv',
      size: Buffer.byteLength(CSV.data),
      style: { delimiter: ',', encoding: 'utf-8' },
    })
    expect(archive.names()).toEqual(['files/a.pdf'])
    expect(archive.has('files/a.pdf')).toBe(true)
    expect(archive.has('files/b.pdf')).toBe(false)
    expect(archive.has('rows.csv')).toBe(false)
    expect(archive.has('files/')).toBe(false)
    expect(await text(await archive.readCsv())).toBe(CSV.data)
    const file = await archive.readFile('files/a.pdf')
    expect(file).toMatchObject({ contentType: 'application/pdf', size: PDF.length })
    expect(await text(file)).toBe(PDF)
    await expect(archive.readFile('b.pdf')).rejects.toMatchObject({ code: 'FILE_MISSING' })
  })

  test.each([
    ['application/pdf', '%PDF-1.4'],
    ['image/jpeg', '\u00ff\u00d8\u00ff\u00e0'],
    ['image/png', '\u0089PNG\r\n\u001a\n'],
    ['image/tiff', 'II*\0'],
    ['image/tiff', 'MM\0*'],
  ])('knows %s by its first bytes', async (contentType, beginning) => {
    const data = Buffer.concat([Buffer.from(beginning, 'latin1'), randomBytes(200_000)])
    const archive = await opened(makeZip([CSV, { name: 'other.exe', data }]))
    const file = await archive.readFile('other.exe')
    expect(file.contentType).toBe(contentType)
    expect((await buffer(file)).equals(data)).toBe(true)
  })

  test('is what other programs write: sizes behind the data, names in UTF-8, a comment', async () => {
    const zip = new ZipFile()
    zip.addBuffer(Buffer.from(CSV.data), 'Fälle.csv')
    zip.addReadStream(Readable.from([Buffer.from(PDF)]), 'ä/東京.pdf', { compress: true })
    zip.addReadStream(Readable.from([Buffer.from(PDF)]), 'ä/stored.pdf', { compress: false })
    zip.addEmptyDirectory('empty')
    zip.end({ comment: 'by hand', forceZip64Format: false })
    const archive = await opened(await buffer(zip.outputStream as Readable))
    expect(archive.csv.name).toBe('Fälle.csv')
    for (const name of archive.names()) expect(await text(await archive.readFile(name))).toBe(PDF)
    expect(archive.names().toSorted()).toEqual(['ä/stored.pdf', 'ä/東京.pdf'])
  })

  test('may be a ZIP64', async () => {
    const zip = new ZipFile()
    const options = { forceZip64Format: true }
    zip.addBuffer(Buffer.from(CSV.data), 'rows.csv', options)
    zip.addReadStream(Readable.from([Buffer.from(PDF)]), 'a.pdf', options)
    zip.end({ ...options, comment: '' })
    const archive = await opened(await buffer(zip.outputStream as Readable))
    expect(await text(await archive.readFile('a.pdf'))).toBe(PDF)
  })

  test('may lack sizes in front of the data', async () => {
    const packed = deflateRawSync(PDF)
    const flags = 0x808
    const archive = await opened(
      makeZip([
        {
          name: 'a.pdf',
          data: PDF,
          flags,
          local: { crc: 0, size: 0, packedSize: 0 },
          behind: descriptorOf(PDF, packed),
        },
        CSV,
      ]),
    )
    expect(await text(await archive.readFile('a.pdf'))).toBe(PDF)
  })

  test('may hold what operating systems add', async () => {
    const archive = await opened(
      makeZip([
        CSV,
        { name: 'a.pdf', data: PDF },
        { name: '__MACOSX/', method: 0 },
        { name: '__MACOSX/._rows.csv', data: 'Mac OS X' },
        { name: '__MACOSX/a/b/c/d/._a.pdf', data: 'Mac OS X' },
        { name: '._rows.csv', data: 'Mac OS X' },
        { name: '.DS_Store', data: 'Bud1' },
        { name: 'Thumbs.db', data: 'thumbs' },
      ]),
    )
    expect(archive.names()).toEqual(['a.pdf'])
  })

  test('may be a packed folder: files are found beside the CSV', async () => {
    const archive = await opened(
      makeZip([
        { ...CSV, name: 'upload/rows.csv' },
        { name: 'upload/a.pdf', data: PDF },
        { name: 'upload/more/b.pdf', data: PDF },
      ]),
    )
    expect(archive.resolve('a.pdf')).toBe('upload/a.pdf')
    expect(archive.resolve('more/b.pdf')).toBe('upload/more/b.pdf')
    expect(archive.resolve('upload/a.pdf')).toBe('upload/a.pdf')
    expect(archive.resolve('b.pdf')).toBeUndefined()
    expect(await text(await archive.readFile('a.pdf'))).toBe(PDF)
  })

  test('has its names in one form, however they were written', async () => {
    const archive = await opened(
      makeZip([
        CSV,
        { name: 'cafe\u0301.pdf', data: PDF },
        { name: 'unsaid-ü.pdf', data: PDF, flags: 0 },
        { name: Buffer.from([0x81, 0x2e, 0x70, 0x64, 0x66]), data: PDF, flags: 0 },
      ]),
    )
    expect(archive.names()).toEqual(['café.pdf', 'unsaid-ü.pdf', 'ü.pdf'])
    expect(archive.has('cafe\u0301.pdf')).toBe(true)
    expect(archive.has('café.pdf')).toBe(true)
  })

  test('is read by several at once', async () => {
    const files = Array.from({ length: 30 }, (_, index) => ({
      name: `${index}.pdf`,
      data: Buffer.concat([Buffer.from(PDF), randomBytes(300_000)]),
      method: index % 2 === 0 ? 8 : 0,
    }))
    const archive = await opened(makeZip([CSV, ...files]))
    const read = await Promise.all(
      files.map(async ({ name }) => buffer(await archive.readFile(name))),
    )
    expect(read.every((bytes, index) => files[index]?.data.equals(bytes))).toBe(true)
  })

  test('that is not there is no bad archive', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'posthorn-nothing-'))
    const opening = openArchive({ storage: folderStorage(folder), key: 'none.zip' })
    await expect(opening).rejects.toThrow(NotStored)
    await rm(folder, { recursive: true })
  })

  test('leaves nothing on the disk, closed or not, and stops at a signal', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'posthorn-spool-'))
    const storage = folderStorage(join(folder, 'storage'))
    const spoolFolder = join(folder, 'spool')
    await storage.put('a.zip', Readable.from([makeZip([CSV, { name: 'a.pdf', data: PDF }])]))
    const result = await openArchive({ storage, key: 'a.zip', spoolFolder })
    if (result.kind === 'rejected') expect.fail(result.detail)
    expect(await readdir(spoolFolder)).toEqual([])
    const file = await result.archive.readFile('a.pdf')
    await result.archive.close()
    await expect(result.archive.readFile('a.pdf')).rejects.toThrow('closed')
    expect(await text(file)).toBe(PDF)
    const aborted = openArchive({ storage, key: 'a.zip', signal: AbortSignal.abort() })
    await expect(aborted).rejects.toMatchObject({ name: 'AbortError' })
    await rm(folder, { recursive: true })
  })
})

describe('a bad file', () => {
  const other = { name: 'good.pdf', data: PDF }
  const packed = deflateRawSync(PDF)
  const damaged = Buffer.from(packed)
  damaged.fill(0xff, 2, 6)

  test.each([
    ['of another type', 'FILE_TYPE', { data: 'MZ a program' }],
    ['whose name lies', 'FILE_TYPE', { data: '<html></html>' }],
    [
      'that is a picture with a script',
      'FILE_TYPE',
      { name: 'a.svg', data: '<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>' },
    ],
    ['that is an Office document', 'FILE_TYPE', { name: 'a.docx', data: 'PK\u0003\u0004 word' }],
    ['that is empty', 'FILE_EMPTY', { data: '' }],
    ['that is too large', 'FILE_TOO_LARGE', { data: Buffer.from(PDF.padEnd(1_001, 'x')) }],
    [
      'with a wrong checksum',
      'FILE_DAMAGED',
      { data: PDF, local: { crc: 1 }, central: { crc: 1 } },
    ],
    ['whose packing is broken', 'FILE_DAMAGED', { data: PDF, packed: damaged }],
    ['that is shorter than it says', 'FILE_DAMAGED', lying(PDF.length + 1)],
    ['that is longer than it says', 'FILE_DAMAGED', lying(PDF.length - 1)],
    ['that is much longer than it says', 'FILE_DAMAGED', { ...lying(900), packed: bomb() }],
    ['with rubbish behind its packing', 'FILE_DAMAGED', { data: PDF, packed: withRubbish(packed) }],
    ['whose packing has no end', 'FILE_DAMAGED', { data: PDF, packed: packed.subarray(0, -3) }],
  ])('%s is one bad file', async (_, code, bad) => {
    const archive = await opened(makeZip([CSV, { name: 'bad.pdf', ...bad }, other]), {
      fileBytes: 1_000,
    })
    const [name = ''] = archive.names()
    const failure: unknown = await archive
      .readFile(name)
      .then(buffer)
      .catch((error) => error)
    expect(failure).toBeInstanceOf(BadFileError)
    expect(failure).toMatchObject({ code, detail: expect.stringContaining(name) })
    expect(await text(await archive.readFile('good.pdf'))).toBe(PDF)
  })

  test('never gives more bytes than it says', async () => {
    const bad = { name: 'bad.pdf', ...lying(200_000), packed: bomb() }
    const archive = await opened(makeZip([CSV, bad]))
    let given = 0
    const reading = (async () => {
      for await (const piece of await archive.readFile('bad.pdf')) given += (piece as Buffer).length
    })()
    await expect(reading).rejects.toMatchObject({ code: 'FILE_DAMAGED' })
    expect(given).toBeLessThanOrEqual(200_000)
  })

  function lying(size: number) {
    return { data: PDF, local: { size }, central: { size } }
  }

  function bomb(): Buffer {
    return deflateRawSync(Buffer.concat([Buffer.from(PDF), Buffer.alloc(50_000_000)]))
  }

  function withRubbish(bytes: Buffer): Buffer {
    return Buffer.concat([bytes, randomBytes(10)])
  }
})

test('limits are the configured ones', async () => {
  const bytes = makeZip([CSV, { name: 'a.pdf', data: PDF }])
  expect(await open(bytes, { entries: 2, zipBytes: bytes.length })).toMatchObject({
    kind: 'opened',
  })
  expect(await open(bytes, { entries: 1 })).toMatchObject({ reason: 'TOO_MANY_ENTRIES' })
  expect(await open(bytes, { zipBytes: bytes.length - 1 })).toMatchObject({ reason: 'TOO_LARGE' })
})
