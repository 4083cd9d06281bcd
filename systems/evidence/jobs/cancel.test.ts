import { silentLog } from '@posthorn/engine'
import { expect, test } from 'vitest'
import { zipOfCases } from '../testing/archive.ts'
import { evidenceDatabase, runEvidence } from '../testing/running.ts'
import { addUpAll } from '../results/add-up.ts'
import { createProgress } from '../progress.ts'
import { stopCancelled } from './cancel.ts'

const db = await evidenceDatabase()
const running = await runEvidence(db, { env: { EVIDENCE_IN_FLIGHT: '2' } })
const acme = await running.as()
const PATH = '/api/v1/file-jobs'
const cancel = (id: string, body: object = { reason: 'wrong month' }, client = acme) =>
  client.send('POST', `${PATH}/${id}/cancel`, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
const fault = (order: object) => running.documents('POST', '/faults', order)

test('what is not published stops, what is published finishes, and the counts come out right', async () => {
  await fault({ mode: 'slow', delayMs: 700 })
  const cases = Array.from({ length: 12 }, (_, n) => `cancel-${n}`)
  const id = await acme.job(await zipOfCases(cases))
  await acme.until(id, { totalRows: 12 })
  await expect
    .poll(async () => (await acme.rows(id, '&status=PUBLISHED')).length)
    .toBeGreaterThan(0)
  expect(await cancel(id, { reason: '' })).toMatchObject({ status: 400 })
  const stranger = await running.as({ org: 'other' })
  expect(await cancel(id, undefined, stranger)).toMatchObject({ status: 404 })
  const cancelled = await cancel(id)
  expect(cancelled).toMatchObject({
    status: 202,
    body: { status: 'PROCESSING', cancelReason: 'wrong month', cancelledBy: 'ada' },
  })
  expect((await cancel(id, { reason: 'again' })).body.cancelReason).toBe('wrong month')
  const job = await acme.until(id, { status: 'COMPLETED' })
  await fault({ mode: 'ok' })
  const rows = await acme.rows(id)
  const stopped = rows.filter(({ errorCode }) => errorCode === 'CANCELLED')
  const done = rows.filter(({ status }) => status === 'SUCCESS')
  expect(stopped.length).toBeGreaterThan(0)
  expect(done.length).toBeGreaterThan(0)
  expect(stopped.length + done.length).toBe(12)
  expect(job).toMatchObject({ successCount: done.length, errorCount: stopped.length })
  const { total } = await running.documents('GET', '/attachments')
  expect(total).toBe(done.length)
  const { items } = (await acme.get(`${PATH}/${id}/notifications`)).body
  expect(items.map(({ kind, message }: Record<string, string>) => [kind, message])).toEqual([
    ['N2', `Final Results: ${done.length} success, ${stopped.length} errors`],
    ['N1', `Initial Results: ${done.length} success, 0 pending retry, ${stopped.length} errors`],
  ])
  const [row] = stopped
  const { body } = await acme.get(`${PATH}/${id}/rows/${String(row?.['id'])}`)
  expect(body.audit.at(-1)).toMatchObject({ newStatus: 'ERROR', transitionedBy: 'OPERATOR' })
  expect(body.artifacts[0]).toMatchObject({ attachmentStatus: 'FAILED' })

  expect(await cancel(id)).toMatchObject({ status: 409, body: { code: 'INVALID_STATE' } })
  expect(await acme.send('POST', `${PATH}/${id}/retry-errors`)).toMatchObject({ status: 409 })
})

test('a row that fails after the cancellation waits for no retry', async () => {
  await fault({ mode: 'error', status: 503, times: 1 })
  const id = await acme.job(await zipOfCases(['fails']))
  await acme.until(id, { counts: { FAILED: 1 } })
  await cancel(id)
  await acme.until(id, { status: 'COMPLETED', errorCount: 1, pendingRetries: 0 })
  expect(await acme.rows(id)).toMatchObject([{ status: 'ERROR', errorCode: 'CANCELLED' }])
})

test('a file that was not read yet ends without a row, also under the hands of its reader', async () => {
  const idle = await evidenceDatabase()
  const waiting = await runEvidence(idle, { parts: [] })
  const client = await waiting.as()
  const id = await client.job(await zipOfCases(['never']))
  await cancel(id, undefined, client)
  const { startWorking } = await import('../testing/serving.ts')
  const working = await startWorking(waiting.system, { pool: idle.connect(), parts: ['workers'] })
  await client.until(id, { status: 'REJECTED', reason: 'CANCELLED', cancelReason: 'wrong month' })
  await working.close()
  expect(await client.rows(id)).toEqual([])
})

test('a row whose publisher died is left to come to its outcome', async () => {
  const idle = await evidenceDatabase()
  const waiting = await runEvidence(idle, { parts: ['workers'] })
  const client = await waiting.as()
  const id = await client.job(await zipOfCases(['claimed', 'lost', 'free']))
  await client.until(id, { totalRows: 3 })
  const set = (row: number, change: string) =>
    idle.pool.query(
      `update evidence.file_outbox_row set ${change} where file_job_id = $1 and row_number = $2`,
      [id, row],
    )
  await set(1, `claim_token = gen_random_uuid(), claimed_until = now() + interval '1 h'`)
  await set(2, 'lost_claims = 1')
  await cancel(id, undefined, client)
  await stopCancelled({ pool: idle.pool, log: silentLog })
  await addUpAll({
    ...{ pool: idle.pool, log: silentLog, everyMs: 0, notify: async () => undefined },
    progress: createProgress(silentLog),
  })
  expect((await client.rows(id)).map(({ status }) => status)).toEqual([
    'PENDING',
    'PENDING',
    'ERROR',
  ])
})
