import { randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { posthorn, silentLog, transaction } from '@posthorn/engine'
import { Value } from 'typebox/value'
import { expect, test } from 'vitest'
import { DEFAULT_LIMITS } from '../archive/limits.ts'
import { receiveObject } from '../jobs/receive.ts'
import { rowsOutbox } from '../outbox.ts'
import { createProgress } from '../progress.ts'
import type { OrgEvent } from '@posthorn/system'
import { folderStorage } from '../storage/folder.ts'
import { evidenceSettings } from '../settings.ts'
import type { Storage } from '../storage/storage.ts'
import { casesNamed, pdf, zip, zipOfCases } from '../testing/archive.ts'
import { evidenceDatabase, runEvidence } from '../testing/running.ts'
import type { ProcessorOptions } from './process.ts'
import { fileProcessors } from './file-processor.ts'

const db = await evidenceDatabase()
// Files come by the API, and are read here, step by step.
const running = await runEvidence(db, { parts: [] })
const acme = await running.as()
const PATH = '/api/v1/file-jobs'
const notified: OrgEvent[] = []
const whole = folderStorage(running.folder)

function processor(more: Partial<ProcessorOptions> = {}): ProcessorOptions {
  return {
    pool: db.pool,
    log: silentLog,
    storage: whole,
    outbox: rowsOutbox({ perMerchant: 1_000 }),
    notify: async (_tx, event) => void notified.push(event),
    progress: createProgress(silentLog),
    limits: { ...DEFAULT_LIMITS, rows: 5_000 },
    batchRows: 1_000,
    ...more,
  }
}

const relayOf = (options: ProcessorOptions) =>
  posthorn({
    ...{ pool: db.pool, log: silentLog, drain: '1ms' },
    handlers: fileProcessors({ ...options, atOnce: 1 }),
  })

/** One look, as a relay of its own; whether there was a file. */
const process = async (options = processor()) => (await relayOf(options).runOnce()) > 0

async function read(id: string): Promise<Record<string, unknown>> {
  return (await acme.get(`${PATH}/${id}`)).body
}

async function numbersOf(id: string): Promise<number[]> {
  const { rows } = await db.pool.query<{ row_number: number }>(
    'select row_number from evidence.file_outbox_row where file_job_id = $1 order by row_number',
    [id],
  )
  return rows.map((row) => row.row_number)
}

async function artifactsOf(id: string): Promise<number> {
  const { rows } = await db.pool.query<{ count: number }>(
    `select count(*)::int as count from evidence.file_job_artifact as a
       join evidence.file_outbox_row as r on r.id = a.file_outbox_row_id
      where r.file_job_id = $1 and a.attachment_status = 'PENDING'`,
    [id],
  )
  return rows[0]?.count ?? 0
}

const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1)

/** Lets a file's work fail for so long; what it throws is not the file's fault. */
function failTimes(storage: Storage, verb: 'put' | 'read', times: number): Storage {
  let left = times
  const act = storage[verb].bind(storage) as (...args: unknown[]) => Promise<unknown>
  return {
    ...storage,
    [verb]: async (...args: unknown[]) => {
      left -= 1
      if (left >= 0) throw new Error('the storage is away')
      return act(...args)
    },
  }
}

const again = () => db.pool.query('update evidence.file_job set not_before = posthorn.now()')

test('stores every row once, with its files', async () => {
  const id = await acme.job(await zipOfCases(casesNamed('case', 2_345)))
  expect(await process()).toBe(true)
  expect(await numbersOf(id)).toEqual(upTo(2_345))
  expect(await artifactsOf(id)).toBe(2_345)
  expect(await read(id)).toMatchObject({
    status: 'PROCESSING',
    totalRows: 2_345,
    rowsRead: 2_345,
    counts: { PENDING: 2_345 },
  })
  expect(await process()).toBe(false)
})

test('long rows are stored in smaller batches: no file fills the memory', async () => {
  // Of random bytes: what packs too well is taken for a bomb.
  const wide = () => randomBytes(3_500).toString('hex')
  const rows = upTo(800).map((n) => `case-${n},a.pdf,${wide()},${wide()}`)
  const csv = ['case_id,evidence_files,one,two', ...rows].join('\n')
  const id = await acme.job(await zip({ 'a.csv': csv, 'a.pdf': pdf('a') }))
  await process(processor({ batchRows: 5_000 }))
  expect(await numbersOf(id)).toEqual(upTo(800))
  const { rows: batches } = await db.pool.query(
    'select from evidence.file_job_delta where file_job_id = $1 and pending > 0',
    [id],
  )
  expect(batches.length).toBeGreaterThan(1)
})

test.each([
  ['in windows-1252', 'latin1', ''],
  ['in UTF-8', 'utf8', ''],
  ['in UTF-8 with its mark', 'utf8', '\uFEFF'],
] as const)('takes semicolons %s, and files however deep', async (_name, encoding, mark) => {
  const deep = `März/${'ordner/'.repeat(40)}beleg.pdf`
  const csv = [
    'case_id;evidence_files;Händler, Ort',
    `Fall-1;"a.pdf;${deep}";Müller, Köln`,
    `Fall-2;${deep};Groß`,
    '',
  ]
  const id = await acme.job(
    await zip({
      'a.csv': Buffer.from(mark + csv.join('\r\n'), encoding),
      'a.pdf': pdf('a'),
      [deep]: pdf('b'),
    }),
  )
  await process()
  expect(await read(id)).toMatchObject({ status: 'PROCESSING', counts: { PENDING: 2 } })
  const { rows } = await db.pool.query(
    `select metadata from evidence.file_outbox_row where file_job_id = $1 order by row_number`,
    [id],
  )
  expect(rows).toEqual([
    { metadata: { 'Händler, Ort': 'Müller, Köln' } },
    { metadata: { 'Händler, Ort': 'Groß' } },
  ])
  expect(await artifactsOf(id)).toBe(3)
})

test('a file that is UTF-8 but for a byte is damaged, not windows-1252', async () => {
  const csv = ['case_id,evidence_files,note', 'c1,a.pdf,Müller', 'c2,a.pdf,x', '']
  const bytes = Buffer.from(csv.join('\n'))
  bytes[bytes.lastIndexOf('x')] = 0xfc
  const id = await acme.job(await zip({ 'a.csv': bytes, 'a.pdf': pdf('a') }))
  await process()
  expect(await read(id)).toMatchObject({ status: 'REJECTED', reason: 'CSV_ENCODING' })
})

test('a transaction stores 1,000 rows unless another number is set', async () => {
  expect(Value.Default(evidenceSettings, {})).toMatchObject({ EVIDENCE_BATCH_ROWS: 1_000 })
  const id = await acme.job(await zipOfCases(casesNamed('batch', 2_500)))
  const { batchRows: _, ...unset } = processor()
  await process(unset)
  const { rows } = await db.pool.query(
    'select pending from evidence.file_job_delta where file_job_id = $1 and pending > 0',
    [id],
  )
  // A few more than 1,000 each, since they are read some at a time.
  expect(rows).toHaveLength(3)
})

test('a file of bad rows alone has no artifacts, and every row is an error', async () => {
  const csv = `case_id,evidence_files\n${upTo(300)
    .map((n) => `case-${n},not-there.pdf`)
    .join('\n')}`
  const id = await acme.job(await zip({ 'a.csv': csv, 'a.pdf': pdf('a') }))
  await process()
  expect(await numbersOf(id)).toEqual(upTo(300))
  expect(await artifactsOf(id)).toBe(0)
  expect(await read(id)).toMatchObject({ totalRows: 300, counts: { ERROR: 300 } })
})

test('goes on after a failure in the middle, with every row once', async () => {
  const id = await acme.job(await zipOfCases(casesNamed('case', 3_100)))
  // The database is away while the third batch is stored.
  let batches = 0
  const dying = new Proxy(db.pool, {
    get(pool, name) {
      if (name !== 'connect') {
        const value: unknown = Reflect.get(pool, name)
        return typeof value === 'function' ? value.bind(pool) : value
      }
      return async () => {
        const client = await pool.connect()
        if (batches < 0) return client
        batches += 1
        if (batches < 5) return client
        batches = -1
        client.release()
        throw new Error('the database is away')
      }
    },
  })
  await process(processor({ pool: dying }))
  const stored = await numbersOf(id)
  expect(stored.length).toBeGreaterThan(0)
  expect(stored.length).toBeLessThan(3_100)
  expect(await read(id)).toMatchObject({ status: 'PROCESSING', totalRows: null })
  expect((await read(id))['rowsRead']).toBe(stored.length)
  await again()
  await process()
  expect(await numbersOf(id)).toEqual(upTo(3_100))
  expect(await artifactsOf(id)).toBe(3_100)
  expect(await read(id)).toMatchObject({ totalRows: 3_100 })
})

test('stages each file once, and not again after a failure', async () => {
  const names = Array.from({ length: 130 }, (_, n) => `f${n}.pdf`)
  const csv = `case_id,evidence_files\n${names.map((name, n) => `c${n},${name};f0.pdf`).join('\n')}`
  const files = Object.fromEntries(names.map((name) => [name, pdf(name)]))
  const id = await acme.job(await zip({ 'a.csv': csv, ...files }))
  const puts: string[] = []
  let left = 100
  const storage: Storage = {
    ...whole,
    put: async (key, bytes, options) => {
      left -= 1
      if (left < 0) throw new Error('the storage is away')
      puts.push(key)
      return whole.put(key, bytes, options)
    },
  }
  await process(processor({ storage }))
  expect(await read(id)).toMatchObject({ status: 'PROCESSING', rowsRead: 0 })
  left = Infinity
  await again()
  await process(processor({ storage }))
  expect(await numbersOf(id)).toEqual(upTo(130))
  const { rows } = await db.pool.query<{ filename: string; storage_key: string }>(
    'select distinct filename, storage_key from evidence.file_job_artifact where file_job_id = $1',
    [id],
  )
  expect(rows).toHaveLength(130)
  for (const { filename, storage_key: key } of rows) {
    const [chunk] = await (await whole.read(key)).toArray()
    expect(String(chunk)).toBe(String(pdf(filename)))
  }
  // What was remembered is not put again; what was under way may be.
  expect(new Set(puts).size).toBe(130)
  expect(puts.length).toBeLessThan(130 + 60)
})

test('a process that lost its lease changes nothing, and the next one finishes', async () => {
  const id = await acme.job(await zipOfCases(casesNamed('case', 2_000)))
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  let entered = () => {}
  const inside = new Promise<void>((resolve) => (entered = resolve))
  const slow: Storage = {
    ...whole,
    put: async (key, bytes, options) => {
      entered()
      await held
      return whole.put(key, bytes, options)
    },
  }
  const zombie = process(processor({ storage: slow }))
  await inside
  await db.pool.query(
    `update evidence.file_job set claimed_until = now() - interval '1 s' where id = $1`,
    [id],
  )
  expect(await process()).toBe(true)
  expect(await numbersOf(id)).toEqual(upTo(2_000))
  release()
  await zombie
  expect(await numbersOf(id)).toEqual(upTo(2_000))
  expect(await artifactsOf(id)).toBe(2_000)
  expect(await read(id)).toMatchObject({ totalRows: 2_000, status: 'PROCESSING' })
})

test('two processes never read the same file', async () => {
  const ids = [await acme.job(await zipOfCases(['a'])), await acme.job(await zipOfCases(['b']))]
  await Promise.all([process(), process(), process()])
  for (const id of ids) expect(await numbersOf(id)).toEqual([1])
})

const good = 'case_id,evidence_files\ncase-1,a.pdf\n'
const BAD: [name: string, entries: () => Promise<Buffer>, reason: string][] = [
  ['rubbish', async () => Buffer.from('no zip at all'), 'NOT_A_ZIP'],
  ['nothing', async () => Buffer.alloc(0), 'NOT_A_ZIP'],
  ['no CSV', () => zip({ 'a.pdf': pdf() }), 'NO_CSV'],
  ['two CSVs', () => zip({ 'a.csv': good, 'b.csv': good, 'a.pdf': pdf() }), 'SEVERAL_CSVS'],
  ['an empty CSV', () => zip({ 'a.csv': '', 'a.pdf': pdf() }), 'NO_HEADER'],
  ['no header', () => zip({ 'a.csv': 'case-1,a.pdf\n', 'a.pdf': pdf() }), 'NO_HEADER'],
  ['no rows', () => zip({ 'a.csv': 'case_id,evidence_files\r\n\r\n' }), 'NO_ROWS'],
  [
    'a column twice',
    () => zip({ 'a.csv': 'case_id,evidence_files,Case_ID\n1,2,3\n' }),
    'BAD_HEADER',
  ],
  ['UTF-16', () => zip({ 'a.csv': Buffer.from(`\ufeff${good}`, 'utf16le') }), 'CSV_ENCODING'],
  ['too many rows', () => zipOfCases(casesNamed('case', 5_001)), 'TOO_MANY_ROWS'],
]

test.each(BAD)('%s is rejected, with its reason and no row', async (_name, entries, reason) => {
  const id = await acme.job(await entries())
  await process()
  expect(await read(id)).toMatchObject({
    status: 'REJECTED',
    reason,
    reasonDetail: expect.stringMatching(/^[A-Z].+\.$/s),
    totalRows: null,
    completedAt: expect.any(String),
  })
  expect(await numbersOf(id)).toEqual([])
  expect(notified.at(-1)).toMatchObject({
    type: 'evidence.rejected',
    data: { fileJobId: id, reason, message: expect.stringContaining('Rejected: ') },
  })
  const { body } = await acme.get(`${PATH}/${id}/notifications`)
  expect(body.items).toMatchObject([{ kind: 'REJECTED' }])
})

test('a mistake in the last line rejects the file before its first row is stored', async () => {
  const rows = casesNamed('case', 3_000).map((id) => `${id},a.pdf`)
  const csv = ['case_id,evidence_files', ...rows, '"never closed,a.pdf'].join('\n')
  const id = await acme.job(await zip({ 'a.csv': csv, 'a.pdf': pdf() }))
  await process()
  expect(await read(id)).toMatchObject({ status: 'REJECTED', reason: 'CSV_UNCLOSED_QUOTE' })
  expect((await read(id))['reasonDetail']).toContain('line 3002')
  expect(await numbersOf(id)).toEqual([])
})

test('a file that went away or changed is rejected', async () => {
  const gone = await acme.job(await zipOfCases(['a']))
  await rm(join(running.folder, 'uploads', `${gone}.zip`))
  await process()
  expect(await read(gone)).toMatchObject({ status: 'REJECTED', reason: 'OBJECT_MISSING' })
  const changed = await acme.job(await zipOfCases(['a']))
  await writeFile(join(running.folder, 'uploads', `${changed}.zip`), await zipOfCases(['b', 'c']))
  await process()
  expect(await read(changed)).toMatchObject({ status: 'REJECTED', reason: 'OBJECT_CHANGED' })
})

test('a file over which processes die is rejected, and one that cannot be read now is not', async () => {
  const deadly = await acme.job(await zipOfCases(['a']))
  await db.pool.query(
    `update evidence.file_job
        set status = 'PROCESSING', lost_claims = 2, claim_token = gen_random_uuid(),
            claimed_until = now() - interval '1 s'
      where id = $1`,
    [deadly],
  )
  await process()
  expect(await read(deadly)).toMatchObject({ status: 'REJECTED', reason: 'PROCESSING_FAILED' })

  const later = await acme.job(await zipOfCases(['a']))
  const away = failTimes(whole, 'read', 100)
  for (let i = 0; i < 3; i += 1) {
    await process(processor({ storage: away }))
    await again()
  }
  expect(await read(later)).toMatchObject({ status: 'PROCESSING', reason: null })
  const alerts = async () =>
    (
      await db.pool.query<{ code: string; recovered_at: Date | null }>(
        'select code, recovered_at from posthorn.alert where subject = $1',
        [later],
      )
    ).rows
  expect(await alerts()).toEqual([{ code: 'FILE_JOB_STUCK', recovered_at: null }])
  await process()
  expect(await numbersOf(later)).toEqual([1])
  expect(await alerts()).toEqual([{ code: 'FILE_JOB_STUCK', recovered_at: expect.any(Date) }])
})

const waitsOf = async (id: string) => {
  const { rows } = await db.pool.query(
    'select reading, claim_token, failures from evidence.file_job where id = $1 and status = $2',
    [id, 'PROCESSING'],
  )
  return rows as unknown[]
}

test('a process that stops gives its file back at once', async () => {
  const id = await acme.job(await zipOfCases(['a']))
  const stopping: Storage = {
    ...whole,
    head: async (key) => {
      void relay.stop()
      // The signal aborts the reading at its next step.
      await new Promise((resolve) => setTimeout(resolve, 200))
      return whole.head(key)
    },
  }
  const relay = relayOf(processor({ storage: stopping }))
  await relay.start()
  await expect
    .poll(() => waitsOf(id))
    .toEqual([{ reading: 'small', claim_token: null, failures: 0 }])
  await relay.stop()
  await process()
  expect(await numbersOf(id)).toEqual([1])
})

test('an object has one job, however it is announced', async () => {
  const object = { bucket: 'b', key: 'incoming/acme/x.zip', etag: 'e1', size: 10, org: 'acme' }
  const receive = (more: object = {}) =>
    transaction(db.pool, (tx) => receiveObject(tx, { ...object, ...more }))
  const versioned = await Promise.all([1, 2, 3].map(() => receive({ version: 'v1' })))
  expect(versioned.filter(({ created }) => created)).toHaveLength(1)
  const [{ jobId } = { jobId: '' }] = versioned
  // A listing knows no version.
  expect(await receive()).toEqual({ jobId, created: false })
  expect(await receive({ version: 'v2' })).toMatchObject({ created: true })
  expect(await receive({ version: 'v2', etag: 'e2' })).toMatchObject({ created: false })
  expect(await receive({ etag: 'e3' })).toMatchObject({ created: true })
  expect(await receive({ bucket: 'c' })).toMatchObject({ created: true })
})
