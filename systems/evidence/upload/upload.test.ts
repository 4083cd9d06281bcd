import { request } from 'node:http'
import { readdir } from 'node:fs/promises'
import { uuid } from '@posthorn/engine'
import { applyRetention } from '@posthorn/operate'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { signTestToken } from '@posthorn/system/testing/serve'
import { expect, test } from 'vitest'
import { inbox } from '../attach/attacher.ts'
import { evidenceRetention, sweepOrphans } from '../retention.ts'
import { folderStorage } from '../storage/folder.ts'
import type { Storage } from '../storage/storage.ts'
import { zipOfCases } from '../testing/archive.ts'
import { evidenceDatabase, runEvidence } from '../testing/running.ts'
import { uploadKey } from './routes.ts'

const db = await evidenceDatabase()
const running = await runEvidence(db, {
  env: { EVIDENCE_MAX_ZIP_BYTES: '100000', EVIDENCE_UNREAD_JOBS: '3' },
  parts: [],
})
const PATH = '/api/v1/file-jobs'

async function jobsOf(org: string): Promise<string[]> {
  const { rows } = await db.pool.query<{ id: string }>(
    'select id from evidence.file_job where org_id = $1 order by id',
    [org],
  )
  return rows.map(({ id }) => id)
}

async function uploads(): Promise<string[]> {
  return readdir(join(running.folder, 'uploads')).catch(() => [])
}

test('takes a ZIP as it comes, or in a form', async () => {
  const client = await running.as({ org: 'forms' })
  const bytes = await zipOfCases(['case-1'])
  const plain = await client.upload(new Uint8Array(bytes), { filename: 'März 2026.zip' })
  expect(plain.status).toBe(202)
  const form = new FormData()
  form.append('note', 'hello')
  form.append('file', new Blob([new Uint8Array(bytes)]), 'form.zip')
  const formed = await client.send('POST', PATH, { body: form })
  expect(formed.status, formed.text).toBe(202)
  const { body: first } = await client.get(`${PATH}/${String(plain.body.fileJobId)}`)
  expect(first).toMatchObject({
    filename: 'März 2026.zip',
    status: 'RECEIVED',
    sizeBytes: bytes.length,
    totalRows: null,
    etaSeconds: null,
  })
  const { body: second } = await client.get(`${PATH}/${String(formed.body.fileJobId)}`)
  expect(second).toMatchObject({ filename: 'form.zip', sizeBytes: bytes.length })
})

test('refuses what is no ZIP by its type, what is too large, and callers without a token', async () => {
  const client = await running.as({ org: 'wrong' })
  const post = (type: string, body: string) =>
    client.send('POST', PATH, { headers: { 'content-type': type }, body })
  expect((await post('text/csv', 'a,b')).status).toBe(415)
  expect((await post('application/json', '{}')).status).toBe(415)
  expect((await post('text/plain', 'x')).status).toBe(415)
  const form = new FormData()
  form.append('note', 'no file at all')
  expect(await client.send('POST', PATH, { body: form })).toMatchObject({ status: 400 })
  const large = await client.upload(new Uint8Array(100_001))
  expect(large).toMatchObject({ status: 413, body: { code: 'PAYLOAD_TOO_LARGE' } })
  const largeForm = new FormData()
  largeForm.append('file', new Blob([new Uint8Array(100_001)]), 'x.zip')
  expect((await client.send('POST', PATH, { body: largeForm })).status).toBe(413)
  const chunked = new ReadableStream({
    pull(controller) {
      controller.enqueue(new Uint8Array(50_000))
    },
  })
  const endless = { body: chunked, duplex: 'half' } as RequestInit
  const answer = await client
    .send('POST', PATH, { ...endless, headers: { 'content-type': 'application/zip' } })
    .catch(() => ({ status: 413 }))
  expect(answer.status).toBe(413)
  const anonymous = await fetch(running.url + PATH, { method: 'POST' })
  expect(anonymous.status).toBe(401)
  expect(await client.upload('x', { filename: 'a\nb' })).toMatchObject({ status: 400 })
  expect(await jobsOf('wrong')).toEqual([])
})

test('the same key is the same job; with another file it is refused', async () => {
  const client = await running.as({ org: 'keys' })
  const bytes = new Uint8Array(await zipOfCases(['case-1']))
  const same = { key: 'once', filename: 'a.zip' }
  const answers = await Promise.all([1, 2, 3].map(() => client.upload(bytes, same)))
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202])
  const [id] = await jobsOf('keys')
  expect(new Set(answers.map(({ body }) => String(body.fileJobId)))).toEqual(new Set([id]))
  const kept = (await uploads()).filter((name) => name === `${id}.zip`)
  expect(kept).toHaveLength(1)
  expect(await jobsOf('keys')).toHaveLength(1)
  const other = new Uint8Array(await zipOfCases(['case-2']))
  expect(await client.upload(other, same)).toMatchObject({
    status: 409,
    body: { code: 'IDEMPOTENCY_KEY_REUSED' },
  })
  expect((await client.upload(bytes, { ...same, filename: 'b.zip' })).status).toBe(409)
  // Another merchant's key is another key.
  const elsewhere = await running.as({ org: 'keys-too' })
  expect((await elsewhere.upload(other, same)).status).toBe(202)
  expect((await uploads()).length).toBe(new Set(await uploads()).size)
})

test('a merchant with too many unread files waits, and no other does', async () => {
  const client = await running.as({ org: 'busy' })
  const bytes = new Uint8Array(await zipOfCases(['case-1']))
  const answers = await Promise.all(
    [1, 2, 3, 4, 5].map((n) => client.upload(bytes, { key: `${n}` })),
  )
  expect(answers.map(({ status }) => `${status}`).toSorted()).toEqual([
    '202',
    '202',
    '202',
    '429',
    '429',
  ])
  const refused = answers.find(({ status }) => status === 429)
  expect(refused?.body).toMatchObject({ code: 'MERCHANT_LIMIT' })
  expect(refused?.headers.get('retry-after')).toBe('10')
  expect(await jobsOf('busy')).toHaveLength(3)
  const taken = answers.findIndex(({ status }) => status === 202) + 1
  expect((await client.upload(bytes, { key: `${taken}` })).status).toBe(202)
  expect((await (await running.as({ org: 'idle' })).upload(bytes)).status).toBe(202)
})

test('uploads of a merchant wait for each other without a connection', async () => {
  const client = await running.as({ org: 'many' })
  const before = (await uploads()).length
  const holder = await db.pool.connect()
  await holder.query('begin')
  await holder.query("select pg_advisory_xact_lock(hashtextextended('evidence.many', 0))")
  const answers = ['a', 'b', 'c', 'd', 'e'].map(async (name) =>
    client.upload(new Uint8Array(await zipOfCases([name])), { filename: `${name}.zip` }),
  )
  await expect.poll(async () => (await uploads()).length).toBe(before + answers.length)
  const countWaiting = async () => {
    const { rows } = await holder.query<{ waiting: number }>(`
      select count(*)::int as waiting
        from pg_stat_activity
       where datname = current_database() and wait_event = 'advisory'`)
    return rows[0]?.waiting
  }
  // As long as others would need to come to the lock.
  await sleep(300)
  const waiting = await countWaiting()
  await holder.query('rollback')
  holder.release()
  expect(waiting).toBe(1)
  const statuses = (await Promise.all(answers)).map(({ status }) => status)
  expect(statuses.toSorted((a, b) => a - b)).toEqual([202, 202, 202, 429, 429])
})

test('rows of a day are counted', async () => {
  const client = await running.as({ org: 'many-rows' })
  const id = await client.job(await zipOfCases(['case-1']))
  await db.pool.query('update evidence.file_job set total_rows = 10000000 where id = $1', [id])
  const again = await client.upload(new Uint8Array(await zipOfCases(['case-2'])))
  expect(again).toMatchObject({ status: 429, body: { code: 'MERCHANT_LIMIT' } })
})

test('a client that hangs up in the middle leaves nothing', async () => {
  const before = await uploads()
  const client = await running.as({ org: 'gone' })
  const token = (await client.get(PATH)).status
  expect(token).toBe(200)
  for (const type of ['application/zip', 'multipart/form-data; boundary=b']) {
    await hangUp(type)
  }
  await expect.poll(uploads).toEqual(before)
  expect(await jobsOf('gone')).toEqual([])
})

async function hangUp(type: string): Promise<void> {
  const token = await signTestToken({ sub: 'ada', org: 'gone' })
  await new Promise<void>((resolve) => {
    const call = request(`${running.url}${PATH}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': type,
        'content-length': '50000',
      },
    })
    call.on('error', () => resolve())
    call.write(
      '--b\r\nContent-Disposition: form-data; name="f"; filename="x.zip"\r\n\r\nPK-beginning',
    )
    setTimeout(() => call.destroy(), 200)
    call.on('close', () => resolve())
  })
}

test("another merchant's file is not there", async () => {
  const id = await (await running.as({ org: 'mine' })).job(await zipOfCases(['case-1']))
  const other = await running.as({ org: 'other' })
  for (const path of ['', '/rows', '/errors.csv', '/notifications', `/rows/${id}`]) {
    expect((await other.get(`${PATH}/${id}${path}`)).status, path).toBe(404)
  }
  expect((await other.send('POST', `${PATH}/${id}/retry-errors`)).status).toBe(404)
  expect((await other.get(PATH)).body.items).toEqual([])
  expect((await other.get(`${PATH}/no-uuid`)).status).toBe(400)
  expect((await other.get(`${PATH}?cursor=nonsense`)).status).toBe(400)
  expect((await other.get(`${PATH}?status=NONE`)).status).toBe(400)
})

test('files leave the storage after their job is marked, also past a crash', async () => {
  const client = await running.as({ org: 'removed' })
  const id = await client.job(await zipOfCases(['case-1']))
  const storage = folderStorage(running.folder)
  const staged = `staging/${id}/000000`
  await storage.put(staged, Readable.from([Buffer.from('x')]))
  await db.pool.query(
    "update evidence.file_job set status = 'COMPLETED', completed_at = now() where id = $1",
    [id],
  )
  let isCrashing = true
  const failing: Storage = {
    ...storage,
    async remove(key) {
      await storage.remove(key)
      if (isCrashing && key.startsWith('staging/')) throw new Error('the process died')
    },
  }
  const { classes } = evidenceRetention({ storage: failing, inbox })
  const files = classes
    .filter(({ name }) => name === 'evidence.files')
    .map((each) => ({ ...each, keep: '0d' as const, least: '0d' as const }))
  await applyRetention(db.pool, { classes: files })
  const marks = 'select from evidence.object_removal where key like $1'
  expect((await db.pool.query(marks, [`%${id}%`])).rows).not.toEqual([])
  isCrashing = false
  await applyRetention(db.pool, { classes: files })
  expect((await db.pool.query(marks, [`%${id}%`])).rows).toEqual([])
  expect(await storage.head(staged)).toBeUndefined()
  expect(await storage.head(uploadKey(id))).toBeUndefined()
  expect(await client.send('POST', `${PATH}/${id}/retry-errors`)).toMatchObject({
    status: 409,
    body: { code: 'FILES_REMOVED' },
  })
})

test('an upload whose process died before its job is swept away, once it is old', async () => {
  const kept = await (await running.as({ org: 'kept' })).job(await zipOfCases(['case-1']))
  const storage = folderStorage(running.folder)
  const orphan = uuid()
  await storage.put(uploadKey(orphan), Readable.from([Buffer.from('x')]))
  await storage.put('uploads/notes.txt', Readable.from([Buffer.from('x')]))
  const sweep = (ageMs: number) =>
    sweepOrphans({ pool: db.pool, storage }, { ageMs, signal: new AbortController().signal })
  expect(await sweep(3_600_000)).toBe(0)
  expect(await sweep(-1_000)).toBe(1)
  expect(await storage.head(uploadKey(orphan))).toBeUndefined()
  expect(await storage.head(uploadKey(kept))).toBeDefined()
  expect(await storage.head('uploads/notes.txt')).toBeDefined()
})
