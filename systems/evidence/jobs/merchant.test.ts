import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { posthorn, silentLog, transaction, uuid } from '@posthorn/engine'
import { signTestToken } from '@posthorn/system/testing/serve'
import { expect, test } from 'vitest'
import { pdf, zip, zipOfCases } from '../testing/archive.ts'
import { evidenceDatabase, runEvidence } from '../testing/running.ts'
import { fileProcessors } from '../processor/file-processor.ts'
import { DEFAULT_LIMITS } from '../archive/limits.ts'
import { createProgress } from '../progress.ts'
import { rowsOutbox } from '../outbox.ts'
import { folderStorage } from '../storage/folder.ts'
import { receiveObject } from './receive.ts'

const db = await evidenceDatabase()
const running = await runEvidence(db, {
  env: {
    EVIDENCE_UPLOADS_PER_MERCHANT: '2',
    EVIDENCE_UPLOADS_AT_ONCE: '3',
    EVIDENCE_UPLOAD_BYTES_PER_SECOND: '1000',
    EVIDENCE_UPLOAD_WINDOW_MS: '500',
  },
})
const acme = await running.as()
const PATH = '/api/v1/file-jobs'
const json = (body: object) => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

test('rows are found by their case, and files are downloaded as they were uploaded', async () => {
  const csv = 'case_id,evidence_files\nC-1,"docs/Größe ""1"".pdf"\nC-2,a.pdf\nC-1,a.pdf\n'
  const files = { 'docs/Größe "1".pdf': pdf('<script>'), 'a.pdf': pdf('a') }
  const id = await acme.job(await zip({ 'x.csv': csv, ...files }))
  await acme.until(id, { status: 'COMPLETED', successCount: 3 })
  const ofCase = await acme.rows(id, '&caseId=C-1')
  expect(ofCase.map(({ rowNumber }) => rowNumber)).toEqual([1, 3])
  expect(await acme.rows(id, '&caseId=C-1&status=FAILED')).toEqual([])
  expect(await acme.rows(id, '&caseId=C')).toEqual([])
  const { body: row } = await acme.get(`${PATH}/${id}/rows/${String(ofCase[0]?.['id'])}`)
  const content = `${PATH}/${id}/artifacts/${row.artifacts[0].id}/content`
  const answer = await acme.get(content)
  expect(answer.status).toBe(200)
  expect(answer.text).toBe(pdf('<script>').toString())
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'application/pdf',
    'content-disposition': `attachment; filename="Gr__e _1_.pdf"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%221%22.pdf`,
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'",
  })
  const stranger = await running.as({ org: 'other' })
  expect((await stranger.get(content)).status).toBe(404)
  expect((await acme.get(content.replace(row.artifacts[0].id, uuid()))).status).toBe(404)
})

test('the same file without a key is taken, with a warning', async () => {
  const bytes = new Uint8Array(await zipOfCases(['same']))
  const first = await acme.upload(bytes, { filename: 'may.zip' })
  expect(first.body).toMatchObject({ warnings: [] })
  const again = await acme.upload(bytes, { filename: 'june.zip' })
  const warning = expect.stringContaining(`as may.zip (job ${first.body.fileJobId})`) as string
  expect(again).toMatchObject({ status: 202, body: { warnings: [warning] } })
  await acme.until(String(again.body.fileJobId), { status: 'COMPLETED', warnings: [warning] })
  const stranger = await running.as({ org: 'other' })
  expect((await stranger.upload(bytes)).body).toMatchObject({ warnings: [] })
})

test('results are mailed to whom the organisation names, and what became of them is shown', async () => {
  const client = await running.as({ org: 'mailed' })
  const settings = `${PATH}/settings`
  expect((await client.get(settings)).body).toEqual({ notificationEmail: null })
  const wrong = await client.send('PUT', settings, json({ notificationEmail: 'a@b\r\nbcc: c@d' }))
  expect(wrong).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } })
  const notificationEmail = 'back.office@mailed.test'
  await client.send('PUT', settings, json({ notificationEmail }))
  expect((await client.get(settings)).body).toEqual({ notificationEmail })
  expect((await acme.get(settings)).body).toEqual({ notificationEmail: null })

  const id = await client.job(await zipOfCases(['m-1', 'm-2']))
  await client.until(id, { status: 'COMPLETED' })
  const notifications = async () => (await client.get(`${PATH}/${id}/notifications`)).body.items
  await expect
    .poll(async () => (await notifications()).map((each: { mail: object }) => each.mail))
    .toMatchObject([
      { recipient: notificationEmail, status: 'SENT' },
      { recipient: notificationEmail, status: 'SENT' },
    ])
  expect((await notifications())[0].deliveries).toMatchObject([
    { url: 'https://merchant.test/hook', status: 'delivered', attempts: 1 },
  ])
  const response = await fetch(`${running.url}/sim/mail/requests`)
  const { items } = (await response.json()) as { items: { body: object }[] }
  expect(JSON.stringify(items)).toContain('Final Results: 2 success, 0 errors')
})

test('a form without a boundary is the client’s mistake', async () => {
  for (const type of ['multipart/form-data', 'multipart/form-data; boundary=']) {
    const answer = await acme.send('POST', PATH, {
      headers: { 'content-type': type },
      body: 'nothing of the kind',
    })
    expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION_FAILED'])
  }
})

/** An upload that sends so many bytes and then only holds the connection. */
async function hold(
  org: string,
  bytes: number,
  type = 'application/zip',
): Promise<{ status: Promise<number>; end(): void }> {
  const client = await running.as({ org })
  const { headers } = await client.get(PATH)
  expect(headers.get('content-type')).toContain('json')
  const token = await tokenOf(org)
  const { port, hostname } = new URL(running.url)
  const status = Promise.withResolvers<number>()
  const sending = request({
    ...{ host: hostname, port, path: `${PATH}?filename=slow.zip`, method: 'POST' },
    headers: { authorization: `Bearer ${token}`, 'content-type': type },
  })
  sending.on('response', (response) => {
    response.resume()
    status.resolve(response.statusCode ?? 0)
  })
  sending.on('error', () => status.resolve(0))
  sending.write(Buffer.alloc(bytes))
  return { status: status.promise, end: () => sending.destroy() }
}

async function tokenOf(org: string): Promise<string> {
  return signTestToken({ sub: 'ada', org, role: 'admin' })
}

test('uploads that only hold their connection are ended, and there are never too many', async () => {
  const slow = [await hold('slow', 10), await hold('slow', 10)]
  await sleep(100)
  const bytes = new Uint8Array(await zipOfCases(['quick']))
  const third = await (await running.as({ org: 'slow' })).upload(bytes)
  expect(third).toMatchObject({ status: 429, body: { code: 'MERCHANT_LIMIT' } })
  // A form whose file never begins.
  const other = await hold('another', 10, 'multipart/form-data; boundary=b')
  await sleep(100)
  const full = await (await running.as({ org: 'third' })).upload(bytes)
  expect(full).toMatchObject({ status: 503, body: { code: 'UPLOADS_BUSY' } })
  expect(await Promise.all([...slow, other].map(({ status }) => status))).toEqual([408, 408, 408])
  expect((await (await running.as({ org: 'slow' })).upload(bytes)).status).toBe(202)
})

test('an object that comes by itself waits while its merchant is over the daily limit', async () => {
  const idle = await evidenceDatabase()
  const waiting = await runEvidence(idle, { parts: [] })
  const storage = folderStorage(waiting.folder)
  const key = 'incoming/daily/a.zip'
  const bytes = await zipOfCases(['d-1', 'd-2'])
  const { etag } = await storage.put(
    key,
    (async function* () {
      yield bytes
    })(),
  )
  const arrive = () =>
    transaction(idle.pool, (tx) =>
      receiveObject(tx, { bucket: 'b', key, etag, size: bytes.length, org: 'daily' }),
    )
  const { jobId } = await arrive()
  await idle.pool.query(
    `insert into evidence.file_job (id, org_id, filename, storage_key, storage_etag, size_bytes,
                                    status, staged_at, rows_read, total_rows)
     values ($1, 'daily', 'x.zip', 'uploads/x', 'x', 1, 'PROCESSING', now(), 100, 100)`,
    [uuid()],
  )
  const options = {
    ...{ pool: idle.pool, log: silentLog, storage, outbox: rowsOutbox({ perMerchant: 0 }) },
    ...{ notify: async () => undefined, progress: createProgress(silentLog) },
    ...{ limits: { ...DEFAULT_LIMITS, rows: 1_000 } },
  }
  const look = async (rowsPerDay: number) => {
    const handlers = fileProcessors({ ...options, rowsPerDay, atOnce: 1 })
    return (await posthorn({ pool: idle.pool, handlers, log: silentLog }).runOnce()) > 0
  }
  expect(await look(100)).toBe(true)
  const client = await waiting.as({ org: 'daily' })
  const job = async () => (await client.get(`${PATH}/${jobId}`)).body
  expect(await job()).toMatchObject({ waitsFor: 'DAILY_LIMIT', rowsRead: 0, status: 'PROCESSING' })
  // It waits, and is not tried again at once.
  expect(await look(100)).toBe(false)
  await idle.pool.query('update evidence.file_job set not_before = posthorn.now()')
  expect(await look(1_000)).toBe(true)
  expect(await job()).toMatchObject({ waitsFor: null, totalRows: 2 })
})
