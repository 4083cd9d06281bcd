import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { json, type Parser } from '@posthorn/fuzz'
import { DEFAULT_LIMITS } from '../archive/limits.ts'
import { openArchive } from '../archive/open.ts'
import { BadFileError } from '../archive/reasons.ts'
import { makeZip } from '@posthorn/bulk/zip/testing'
import { readNotification } from '../arrivals/notification.ts'
import { folderStorage } from '../storage/folder.ts'

const RECORD = {
  ...{ eventVersion: '2.1', eventName: 's3:ObjectCreated:Put' },
  s3: { bucket: { name: 'b' }, object: { key: 'incoming/a+b%20.zip', size: 1, eTag: '"x"' } },
}

/** What evidence reads of strangers. */
export const parsers: readonly Parser[] = [
  {
    name: 'ZIP',
    samples: [
      makeZip([
        { name: 'a.pdf', data: '%PDF-1.7 an invoice'.padEnd(300, 'a') },
        { name: 'rows.csv', data: 'case_id,evidence_files\nc-1,a.pdf\n' },
      ]).toString('latin1'),
    ],
    read: readZip,
    isRefusal: (error) => error instanceof BadFileError,
  },
  json("a bucket's event", { Records: [RECORD, RECORD] }, readNotification),
  json('a wrapped event of a bucket', { Type: 'Notification', Message: '{}' }, readNotification),
]

async function readZip(bytes: Buffer): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-fuzz-'))
  const key = 'cases.zip'
  await writeFile(join(folder, key), bytes)
  try {
    const opened = await openArchive({ storage: folderStorage(folder), key }, DEFAULT_LIMITS)
    if (opened.kind !== 'opened') return
    try {
      await buffer(await opened.archive.readCsv())
      for (const name of opened.archive.names()) await opened.archive.readFile(name).then(buffer)
    } finally {
      await opened.archive.close()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
