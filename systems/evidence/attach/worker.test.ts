import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createHash, randomBytes } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { pdf, zip, zipOfCases } from '../testing/archive.ts'
import { evidenceDatabase, runEvidence } from '../testing/running.ts'

const db = await evidenceDatabase()
const running = await runEvidence(db, {
  env: { DOCUMENTS_PROBE_MS: '100', DOCUMENTS_TIMEOUT_MS: '1000' },
})
const acme = await running.as()
const PATH = '/api/v1/file-jobs'

interface Seen {
  readonly headers: Record<string, string>
  readonly body: {
    readonly fields: Record<string, string>
    readonly files: { name: string; size: number; sha256: string }[]
  }
  readonly outcome: string
}

async function requests(): Promise<Seen[]> {
  const { items } = await running.documents('GET', '/requests')
  return items as Seen[]
}

const fault = (order: object) => running.documents('POST', '/faults', order)
const failed = { counts: { FAILED: 1 } }

beforeEach(async () => {
  await running.documents('DELETE', '')
})

test('sends the files as they are, in their order, under the key of the row', async () => {
  const large = Buffer.concat([pdf('large'), randomBytes(3_000_000)])
  const csv = 'case_id,evidence_files\n"Fall ""7""; Größe","docs/b.pdf;a ""quoted"".pdf"\n'
  const files = { 'docs/b.pdf': large, 'a "quoted".pdf': pdf('a') }
  const id = await acme.job(await zip({ 'x.csv': csv, ...files }))
  await acme.until(id, { status: 'COMPLETED', successCount: 1 })
  const [row] = await acme.rows(id)
  const [seen] = await requests()
  const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
  expect(seen?.headers['idempotency-key']).toBe(row?.['id'])
  expect(seen?.body.fields).toEqual({ case_id: 'Fall "7"; Größe' })
  expect(seen?.body.files).toMatchObject([
    { name: 'b.pdf', size: large.length, sha256: sha256(large) },
    { name: 'a "quoted".pdf', sha256: sha256(pdf('a')) },
  ])
  const { items } = (await running.documents('GET', '/attachments')) as {
    items: { document_mgmt_ids: string[] }[]
  }
  const { body } = await acme.get(`${PATH}/${id}/rows/${String(row?.['id'])}`)
  const ids = body.artifacts.map((each: { documentMgmtId: string }) => each.documentMgmtId)
  expect(ids).toEqual(items[0]?.document_mgmt_ids)
})

test.each([
  ['an error', { mode: 'error', status: 503 }],
  ['too many requests', { mode: 'error', status: 429 }],
  ['a dropped connection', { mode: 'drop' }],
  ['no answer in time', { mode: 'timeout' }],
])('%s fails the attempt, to be made again in six hours', async (_name, order) => {
  await fault({ ...order, times: 1 })
  const id = await acme.job(await zipOfCases(['case-1']))
  await acme.until(id, { ...failed, pendingRetries: 1, successCount: 0 })
  expect((await acme.rows(id))[0]).toMatchObject({ errorCode: 'API_ERROR', retryCount: 0 })
  await running.advance('6h')
  await acme.until(id, { status: 'COMPLETED', successCount: 1 })
})

test('what was attached although the answer got lost is not attached twice', async () => {
  await fault({ mode: 'drop', effect: true, times: 1 })
  const id = await acme.job(await zipOfCases(['case-lost']))
  await acme.until(id, failed)
  await running.advance('6h')
  await acme.until(id, { status: 'COMPLETED', successCount: 1 })
  const { total } = await running.documents('GET', '/attachments?case_id=case-lost')
  expect(total).toBe(1)
})

test('another 4xx is the end, with the code that the API gives', async () => {
  await fault({ mode: 'error', status: 404, code: 'CASE_UNKNOWN', times: 1 })
  const id = await acme.job(await zipOfCases(['case-1']))
  await acme.until(id, { status: 'COMPLETED', errorCount: 1 })
  expect((await acme.rows(id))[0]).toMatchObject({ status: 'ERROR', errorCode: 'CASE_UNKNOWN' })
})

test('an unauthorised worker waits, raises an alert, and charges nothing', async () => {
  await fault({ mode: 'error', status: 401 })
  const id = await acme.job(await zipOfCases(['case-1', 'case-2']))
  const alerts = async () =>
    (
      await db.pool.query<{ code: string; recovered: boolean }>(
        `select code, recovered_at is not null as recovered
           from posthorn.alert where source = 'evidence.worker'`,
      )
    ).rows
  await expect.poll(alerts).toEqual([{ code: 'DOCUMENTS_UNAUTHORISED', recovered: false }])
  await expect.poll(async () => (await requests()).length).toBeGreaterThan(1)
  expect((await acme.rows(id)).map(({ status, retryCount }) => [status, retryCount])).toEqual([
    ['PUBLISHED', 0],
    ['PUBLISHED', 0],
  ])
  await running.documents('POST', '/faults', { mode: 'ok' })
  await acme.until(id, { status: 'COMPLETED', successCount: 2 })
  expect(await alerts()).toEqual([{ code: 'DOCUMENTS_UNAUTHORISED', recovered: true }])
})

test('evidence that is lost from storage ends its row', async () => {
  await running.documents('POST', '/faults', { mode: 'error', status: 500, times: 1 })
  const id = await acme.job(await zipOfCases(['case-1']))
  await acme.until(id, failed)
  await rm(join(running.folder, 'staging', id), { recursive: true })
  await running.advance('6h')
  await acme.until(id, { status: 'COMPLETED', errorCount: 1 })
  expect((await acme.rows(id))[0]).toMatchObject({ errorCode: 'EVIDENCE_LOST' })
})

test('repeated, late and foreign events do nothing', async () => {
  const id = await acme.job(await zipOfCases(['case-1']))
  await acme.until(id, { status: 'COMPLETED', successCount: 1 })
  const before = (await requests()).length
  const [row] = await acme.rows(id)
  const [consumer] = running.system.consumers ?? []
  const payload = {
    eventId: row?.['eventId'],
    fileJobId: id,
    rowId: row?.['id'],
    caseId: 'case-1',
    retryCount: 0,
  }
  const context = { ref: {}, signal: new AbortController().signal }
  const message = {
    ...{ id: String(row?.['eventId']), type: 'evidence.requested', version: 1, payload },
    ...{
      key: 'case-1',
      tenant: 'acme',
      occurredAt: new Date(),
      traceparent: undefined,
      headers: {},
    },
  }
  await consumer?.handle(message, context)
  await consumer?.handle({ ...message, payload: { ...payload, retryCount: 1 } }, context)
  await consumer?.handle({ ...message, payload: { rowId: 'nonsense' } }, context)
  const unknown = '01900000-0000-7000-8000-000000000000'
  await consumer?.handle({ ...message, payload: { ...payload, rowId: unknown } }, context)
  expect(await requests()).toHaveLength(before)
  expect((await acme.rows(id))[0]).toMatchObject({ status: 'SUCCESS', retryCount: 0 })
})
