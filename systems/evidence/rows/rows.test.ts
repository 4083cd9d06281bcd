import { expect, test } from 'vitest'
import { casesNamed, pdf, zip, zipOfCases } from '../testing/archive.ts'
import { evidenceDatabase, runEvidence } from '../testing/running.ts'

const running = await runEvidence(await evidenceDatabase())
const acme = await running.as()
const PATH = '/api/v1/file-jobs'

test('the errors of a file can be corrected and uploaded again', async () => {
  const csv = [
    'Reference,case_id,evidence_files,note',
    'r1,good,a.pdf,fine',
    '=1+1,=cmd|calc,a.pdf;b.pdf,"two ""words"", and\na line"',
    '-5,,a.pdf,@sum',
    `'quoted,case-REJECT,a.pdf,`,
  ].join('\r\n')
  const id = await acme.job(await zip({ 'x.csv': csv, 'a.pdf': pdf() }))
  await acme.until(id, { status: 'COMPLETED', successCount: 1, errorCount: 3 })
  const errors = await acme.get(`${PATH}/${id}/errors.csv`)
  expect(errors.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(errors.text.split('\r\n')).toEqual([
    'Reference,case_id,evidence_files,note,row_number,error_code,error_message',
    `'=1+1,'=cmd|calc,a.pdf;b.pdf,"two ""words"", and\na line",2,INVALID_ROW,"line 3: the file ""b.pdf"" is not in the ZIP"`,
    `'-5,,a.pdf,'@sum,3,INVALID_ROW,line 5: case_id is empty`,
    `'quoted,case-REJECT,a.pdf,,4,CASE_REJECTED,The document API answered 422: The case takes no evidence.`,
    '',
  ])

  const corrected = errors.text.replace("'-5,,", "'-5,case-3,").replace('REJECT,', 'OK,')
  const files = { 'a.pdf': pdf(), 'b.pdf': pdf('b') }
  const second = await acme.job(await zip({ 'errors.csv': corrected, ...files }))
  await acme.until(second, { status: 'COMPLETED', successCount: 3, errorCount: 0 })
  const rows = await acme.rows(second)
  expect(rows.map(({ caseId, metadata }) => [caseId, metadata])).toEqual([
    ['=cmd|calc', { Reference: '=1+1', note: 'two "words", and\na line' }],
    ['case-3', { Reference: '-5', note: '@sum' }],
    ['case-OK', { Reference: "'quoted", note: '' }],
  ])
})

test('rows are listed in pages, by state, in the order of the file', async () => {
  const cases = [...casesNamed('case', 250), 'case-REJECT']
  const id = await acme.job(await zipOfCases(cases))
  await acme.until(id, { status: 'COMPLETED', successCount: 250, errorCount: 1 })
  const seen: string[] = []
  let cursor = ''
  for (let page = 0; page < 5; page += 1) {
    const { body } = await acme.get(`${PATH}/${id}/rows?limit=100${cursor}`)
    seen.push(...body.items.map(({ caseId }: { caseId: string }) => caseId))
    if (body.nextCursor === null) break
    cursor = `&cursor=${encodeURIComponent(body.nextCursor)}`
  }
  expect(seen).toEqual(cases)
  const { body: errors } = await acme.get(`${PATH}/${id}/rows?status=ERROR`)
  expect(errors.items).toMatchObject([{ caseId: 'case-REJECT', rowNumber: 251 }])
  expect((await acme.get(`${PATH}/${id}/rows?status=NONE`)).status).toBe(400)
  expect((await acme.get(`${PATH}/${id}/rows?cursor=x`)).status).toBe(400)
  const unknown = '01900000-0000-7000-8000-000000000000'
  expect((await acme.get(`${PATH}/${id}/rows/${unknown}`)).status).toBe(404)
})

test('files are listed newest first', async () => {
  const lister = await running.as({ org: 'lister' })
  const ids: string[] = []
  for (let i = 0; i < 3; i += 1) ids.push(await lister.job(await zipOfCases([`c${i}`])))
  ids.push(await lister.job(Buffer.from('rubbish')))
  for (const id of ids.slice(0, 3)) await lister.until(id, { status: 'COMPLETED' })
  await lister.until(ids[3] ?? '', { status: 'REJECTED' })
  const { body: first } = await lister.get(`${PATH}?limit=3`)
  const { body: second } = await lister.get(`${PATH}?limit=3&cursor=${first.nextCursor}`)
  const listed = [...first.items, ...second.items].map(({ id }: { id: string }) => id)
  expect(listed).toEqual(ids.toReversed())
  expect(second.nextCursor).toBeNull()
  const { body: rejected } = await lister.get(`${PATH}?status=REJECTED`)
  expect(rejected.items).toMatchObject([{ id: ids[3], reason: 'NOT_A_ZIP' }])
})

test('errors are tried again on request', async () => {
  await running.documents('POST', '/faults', { mode: 'error', status: 400, times: 2 })
  const csv = 'case_id,evidence_files\nc1,a.pdf\nc2,a.pdf\n,a.pdf\n'
  const id = await acme.job(await zip({ 'x.csv': csv, 'a.pdf': pdf() }))
  await acme.until(id, { status: 'COMPLETED', errorCount: 3 })
  const { status, body } = await acme.send('POST', `${PATH}/${id}/retry-errors`)
  expect([status, body]).toEqual([202, { requeued: 2 }])
  await acme.until(id, { status: 'COMPLETED', successCount: 2, errorCount: 1, round: 2 })
  const { body: notifications } = await acme.get(`${PATH}/${id}/notifications`)
  expect(
    notifications.items.map(({ kind, round }: Record<string, unknown>) => [kind, round]),
  ).toEqual([
    ['N2', 2],
    ['N2', 1],
    ['N1', 1],
  ])
  const [row] = await acme.rows(id)
  const { body: detail } = await acme.get(`${PATH}/${id}/rows/${String(row?.['id'])}`)
  expect(detail.artifacts).toMatchObject([{ attachmentStatus: 'ATTACHED' }])
  expect(detail.audit.map((each: Record<string, unknown>) => each['newStatus'])).toEqual([
    'PUBLISHED',
    'ERROR',
    'PENDING',
    'PUBLISHED',
    'SUCCESS',
  ])
  expect(detail.audit[2]).toMatchObject({ transitionedBy: 'OPERATOR' })
})
