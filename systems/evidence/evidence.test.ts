import { expect, test } from 'vitest'
import { casesNamed, pdf, zip, zipOfCases } from './testing/archive.ts'
import { evidenceDatabase, runEvidence } from './testing/running.ts'

const running = await runEvidence(await evidenceDatabase())
const acme = await running.as()
const PATH = '/api/v1/file-jobs'

test('a file goes from upload to its final results', async () => {
  const cases = ['case-1', 'case-FAIL1', 'case-FAILX', 'case-REJECT']
  const id = await acme.job(await zipOfCases(cases))
  const initial = { successCount: 1, pendingRetries: 2, errorCount: 1, totalRows: 4 }
  await acme.until(id, { status: 'PROCESSING', ...initial })
  const { body: first } = await acme.get(`${PATH}/${id}/notifications`)
  expect(first.items).toMatchObject([
    { kind: 'N1', round: 1, message: 'Initial Results: 1 success, 2 pending retry, 1 errors' },
  ])

  await running.advance('6h')
  await acme.until(id, { counts: { SUCCESS: 2, ERROR: 1, FAILED: 1 } })
  await running.advance('6h')
  const done = await acme.until(id, { status: 'COMPLETED' })
  expect(done).toMatchObject({
    successCount: 2,
    errorCount: 2,
    pendingRetries: 0,
    counts: { PENDING: 0, PUBLISHED: 0, SUCCESS: 2, FAILED: 0, ERROR: 2 },
    etaSeconds: 0,
    completedAt: expect.any(String),
  })
  const { body: both } = await acme.get(`${PATH}/${id}/notifications`)
  expect(both.items.map(({ message }: { message: string }) => message)).toEqual([
    'Final Results: 2 success, 2 errors',
    'Initial Results: 1 success, 2 pending retry, 1 errors',
  ])
  const mine = running.notified.filter(({ key }) => key === id)
  expect(mine.map(({ type, data }) => ({ type, data }))).toMatchObject([
    {
      type: 'evidence.initial_results',
      data: { fileJobId: id, success: 1, pendingRetries: 2, errors: 1 },
    },
    {
      type: 'evidence.final_results',
      data: { fileJobId: id, success: 2, pendingRetries: 0, errors: 2 },
    },
  ])
  const rows = await acme.rows(id)
  expect(rows.map(({ status, retryCount, errorCode }) => [status, retryCount, errorCode])).toEqual([
    ['SUCCESS', 0, null],
    ['SUCCESS', 1, null],
    ['ERROR', 2, 'MAX_RETRIES_EXCEEDED'],
    ['ERROR', 0, 'CASE_REJECTED'],
  ])
  const { body: retried } = await acme.get(`${PATH}/${id}/rows/${String(rows[1]?.['id'])}`)
  expect(retried.artifacts).toMatchObject([
    { filename: 'a.pdf', attachmentStatus: 'ATTACHED', documentMgmtId: expect.any(String) },
  ])
  const moves = retried.audit.map((each: Record<string, unknown>) => [
    each['oldStatus'],
    each['newStatus'],
    each['retryCount'],
    each['errorCode'],
    each['transitionedBy'],
  ])
  expect(moves).toEqual([
    ['PENDING', 'PUBLISHED', 0, null, 'PUBLISHER'],
    ['PUBLISHED', 'FAILED', 0, 'API_ERROR', 'EVIDENCE_WORKER'],
    ['FAILED', 'PUBLISHED', 1, null, 'PUBLISHER'],
    ['PUBLISHED', 'SUCCESS', 1, null, 'EVIDENCE_WORKER'],
  ])
  const { body: hopeless } = await acme.get(`${PATH}/${id}/rows/${String(rows[2]?.['id'])}`)
  expect(hopeless.artifacts).toMatchObject([{ attachmentStatus: 'FAILED', documentMgmtId: null }])
  expect(hopeless.audit.at(-1)).toMatchObject({
    oldStatus: 'PUBLISHED',
    newStatus: 'ERROR',
    retryCount: 2,
    errorCode: 'MAX_RETRIES_EXCEEDED',
  })
})

test('bad rows and bad files are errors from the start, and the rest go on', async () => {
  const csv = [
    'case_id,evidence_files,amount',
    'good,docs/a.pdf;b.pdf,12',
    ',b.pdf,13',
    'no-file,missing.pdf,14',
    'nothing,,15',
    'broken,bad.pdf,16',
    'ragged,b.pdf',
    'shared, b.pdf ;b.pdf,17',
  ].join('\r\n')
  const files = { 'docs/a.pdf': pdf('a'), 'b.pdf': pdf('b'), 'bad.pdf': 'MZ no pdf at all' }
  const id = await acme.job(await zip({ 'x.csv': csv, ...files, 'unused.pdf': pdf('u') }))
  const job = await acme.until(id, { status: 'COMPLETED', totalRows: 7, errorCount: 5 })
  expect(job['warnings']).toEqual(['No row names these files: unused.pdf.'])
  const rows = await acme.rows(id)
  expect(rows.map(({ status, errorCode }) => `${String(status)} ${String(errorCode)}`)).toEqual([
    'SUCCESS null',
    'ERROR INVALID_ROW',
    'ERROR INVALID_ROW',
    'ERROR INVALID_ROW',
    'ERROR INVALID_FILE',
    'ERROR INVALID_ROW',
    'SUCCESS null',
  ])
  expect(rows[1]).toMatchObject({ errorMessage: 'line 3: case_id is empty', lineNumber: 3 })
  expect(rows[2]).toMatchObject({
    errorMessage: 'line 4: the file "missing.pdf" is not in the ZIP',
  })
  expect(rows[0]).toMatchObject({ metadata: { amount: '12' }, evidenceFiles: 'docs/a.pdf;b.pdf' })
  const { body: good } = await acme.get(`${PATH}/${id}/rows/${String(rows[0]?.['id'])}`)
  expect(good.artifacts.map(({ filename }: { filename: string }) => filename)).toEqual([
    'docs/a.pdf',
    'b.pdf',
  ])
})

test('many rows of one file arrive, each once', async () => {
  const cases = casesNamed('bulk', 1_100)
  const id = await acme.job(await zipOfCases(cases))
  await acme.until(id, { status: 'COMPLETED', successCount: 1_100, errorCount: 0 })
  const { items, total } = await running.documents('GET', '/attachments?limit=10000')
  expect(total).toBeGreaterThan(1_100)
  const attached = (items as { case_id: string }[]).map((each) => each.case_id)
  expect(attached.filter((each) => each.startsWith('bulk-')).toSorted()).toEqual(cases.toSorted())
})
