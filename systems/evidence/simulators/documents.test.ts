import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { serve } from '@posthorn/simulators/testing'
import { documents } from './index.ts'

interface Answer {
  readonly status: number
  readonly body: { document_mgmt_ids?: string[]; code?: string; message?: string }
}

function formOf(caseId: string | undefined, files: Record<string, string>): FormData {
  const form = new FormData()
  if (caseId !== undefined) form.append('case_id', caseId)
  for (const [name, text] of Object.entries(files)) form.append('files', new File([text], name))
  return form
}

async function openDocuments() {
  const server = await serve({ simulators: [documents()] })
  const send = async (init: RequestInit): Promise<Answer> => {
    const response = await fetch(`${server.url}/sim/documents/attach-evidence`, {
      method: 'POST',
      ...init,
    })
    return { status: response.status, body: (await response.json()) as Answer['body'] }
  }
  const attach = (
    key: string,
    caseId: string,
    files: Record<string, string> = { 'a.pdf': 'one' },
  ) => send({ headers: { 'idempotency-key': key }, body: formOf(caseId, files) })
  const listAttached = async (query = '') =>
    (
      await server.get<{ items: Record<string, unknown>[]; total: number }>(
        `/sim/documents/attachments${query}`,
      )
    ).body
  const statuses = async (times: number, attempt: () => Promise<Answer>) => {
    const seen: number[] = []
    for (let time = 0; time < times; time += 1) seen.push((await attempt()).status)
    return seen
  }
  return { ...server, send, attach, attached: listAttached, statuses }
}

test('files get an id each, in their order, and are in the record', async () => {
  const { attach, attached, requests } = await openDocuments()
  const { status, body } = await attach('row-1', 'C-1', { 'b.pdf': 'one', 'a.png': 'two' })
  expect(status).toBe(200)
  expect(new Set(body.document_mgmt_ids).size).toBe(2)
  await attach('row-2', 'C-2')
  expect(await attached('?case_id=C-1')).toEqual({
    items: [
      {
        idempotency_key: 'row-1',
        case_id: 'C-1',
        files: ['b.pdf', 'a.png'],
        document_mgmt_ids: body.document_mgmt_ids,
        attached_at: expect.any(String) as string,
      },
    ],
    total: 1,
  })
  expect((await attached()).items.map((one) => one['case_id'])).toEqual(['C-2', 'C-1'])
  expect(await attached('?limit=1')).toMatchObject({ items: [{ case_id: 'C-2' }], total: 2 })
  expect(await attached('?idempotency_key=row-9')).toEqual({ items: [], total: 0 })
  const sha256 = createHash('sha256').update('one').digest('hex')
  expect((await requests('documents'))[0]).toMatchObject({
    body: { fields: { case_id: 'C-2' }, files: [{ name: 'a.pdf', size: 3, sha256 }] },
    headers: { 'idempotency-key': 'row-2' },
    outcome: 'ok',
  })
})

test('one key attaches once, also if it comes many times at once', async () => {
  const { attach, attached } = await openDocuments()
  const answers = await Promise.all(Array.from({ length: 20 }, () => attach('row-1', 'C-1')))
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
  expect((await attached()).total).toBe(1)
  expect(await attach('row-1', 'C-2')).toMatchObject({ status: 422, body: { code: 'KEY_REUSED' } })
  expect(await attach('row-1', 'C-1', { 'a.pdf': 'other' })).toMatchObject({ status: 422 })
  expect((await attached()).items).toMatchObject([{ case_id: 'C-1' }])
  const [other, first] = [await attach('row-2', 'C-1'), answers[0]]
  expect(other.body.document_mgmt_ids).not.toEqual(first?.body.document_mgmt_ids)
})

test('case ids say how often a key fails first', async () => {
  const { attach, attached, statuses } = await openDocuments()
  expect(await statuses(3, () => attach('a', 'C-FAIL1-7'))).toEqual([503, 200, 200])
  expect(await statuses(2, () => attach('b', 'C-FAIL1-7'))).toEqual([503, 200])
  expect(await statuses(4, () => attach('c', 'FAIL2'))).toEqual([503, 503, 200, 200])
  expect(await statuses(4, () => attach('d', 'FAILX'))).toEqual([503, 503, 503, 503])
  const rejected = await attach('e', 'REJECT-1')
  expect(rejected).toMatchObject({ status: 422, body: { code: 'CASE_REJECTED' } })
  expect(rejected.body.message).toMatch(/./)
  expect((await attached()).items.map((one) => one['idempotency_key'])).toEqual(['c', 'b', 'a'])
})

test('a fault may strike when the files are attached already', async () => {
  const { attach, attached, post } = await openDocuments()
  await post('/sim/documents/faults', { mode: 'error', status: 502, code: 'BUSY', times: 1 })
  expect(await attach('row-1', 'C-1')).toMatchObject({ status: 502, body: { code: 'BUSY' } })
  expect((await attached()).total).toBe(0)
  await post('/sim/documents/faults', { mode: 'drop', effect: true, times: 1 })
  await expect(attach('row-1', 'C-1')).rejects.toThrow('fetch failed')
  expect((await attached()).total).toBe(1)
  expect((await attach('row-1', 'C-1')).status).toBe(200)
  expect((await attached()).total).toBe(1)
})

test('what is missing is named, and attaches nothing', async () => {
  const { attached, send, attach, url } = await openDocuments()
  const headers = { 'idempotency-key': 'row-1' }
  const files = { 'a.pdf': 'one' }
  const expectRefusal = async (init: RequestInit) => {
    const { status, body } = await send(init)
    return [status, body.code]
  }
  const twice = formOf('C-1', files)
  twice.append('case_id', 'C-2')
  const elsewhere = formOf('C-1', {})
  elsewhere.append('attachment', new File(['one'], 'a.pdf'))
  expect(await expectRefusal({ body: formOf('C-1', files) })).toEqual([400, 'KEY_MISSING'])
  expect(await expectRefusal({ headers, body: formOf(undefined, files) })).toEqual([
    422,
    'CASE_ID_MISSING',
  ])
  expect(await expectRefusal({ headers, body: formOf(' ', files) })).toEqual([
    422,
    'CASE_ID_MISSING',
  ])
  expect(await expectRefusal({ headers, body: twice })).toEqual([422, 'CASE_ID_MISSING'])
  expect(await expectRefusal({ headers, body: formOf('C-1', {}) })).toEqual([422, 'FILES_MISSING'])
  expect(await expectRefusal({ headers, body: elsewhere })).toEqual([422, 'FILES_MISSING'])
  expect(await expectRefusal({ headers, body: 'text' })).toEqual([415, 'NOT_MULTIPART'])
  expect(await expectRefusal({ headers })).toEqual([415, 'NOT_MULTIPART'])
  expect((await attached()).total).toBe(0)
  expect((await attach('row-1', 'C-1')).status).toBe(200)
  await fetch(`${url}/sim/documents`, { method: 'DELETE' })
  expect(await attached()).toEqual({ items: [], total: 0 })
})

test('a client that leaves in the middle of a file attaches nothing', async () => {
  const { attached, requests, url } = await openDocuments()
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.write(
    [
      'POST /sim/documents/attach-evidence HTTP/1.1',
      'host: localhost',
      'idempotency-key: row-1',
      'content-type: multipart/form-data; boundary=xx',
      'content-length: 1000',
      '',
      '--xx',
      'Content-Disposition: form-data; name="files"; filename="a.pdf"',
      '',
      'the first half',
    ].join('\r\n'),
  )
  await expect.poll(async () => (await requests('documents')).length).toBe(1)
  socket.destroy()
  await expect
    .poll(async () => (await requests('documents'))[0])
    .toMatchObject({ outcome: 'aborted', body: null })
  expect((await attached()).total).toBe(0)
})

test('large files are hashed as they come, not held', async () => {
  const { requests, send } = await openDocuments()
  const [megabyte, count] = [Buffer.alloc(1024 * 1024, 'm'), 300]
  function* body() {
    yield '--xx\r\nContent-Disposition: form-data; name="case_id"\r\n\r\nC-1\r\n'
    yield '--xx\r\nContent-Disposition: form-data; name="files"; filename="big.pdf"\r\n\r\n'
    for (let n = 0; n < count; n += 1) yield megabyte
    yield '\r\n--xx--\r\n'
  }
  const before = process.memoryUsage()
  let most = 0
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().arrayBuffers)), 5)
  const { status } = await send({
    headers: { 'idempotency-key': 'row-1', 'content-type': 'multipart/form-data; boundary=xx' },
    body: Readable.toWeb(Readable.from(body())) as ReadableStream,
    duplex: 'half',
  } as RequestInit)
  clearInterval(watch)
  expect(status).toBe(200)
  expect(most - before.arrayBuffers).toBeLessThan(count * megabyte.length)
  const hash = createHash('sha256')
  for (let n = 0; n < count; n += 1) hash.update(megabyte)
  const file = { name: 'big.pdf', size: count * megabyte.length, sha256: hash.digest('hex') }
  expect((await requests('documents'))[0]?.body).toMatchObject({ files: [file] })
})
