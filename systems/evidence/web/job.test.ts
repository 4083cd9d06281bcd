import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { adviceForFile, adviceForRow, type Job, sentenceOfJob } from './job.ts'

const docs = new URL('../', import.meta.url)

test('every reason for which an archive is rejected has advice', async () => {
  const page = await readFile(new URL('files.md', docs), 'utf8')
  const table = page.slice(page.indexOf('### Rejected archives'), page.indexOf('### Bad files'))
  const reasons = [...table.matchAll(/^\| `([A-Z_]+)`/gm)].flatMap(([, code]) => code ?? [])
  expect(reasons.length).toBeGreaterThan(15)
  expect(reasons.filter((code) => adviceForFile(code) === undefined)).toEqual([])
})

test('every code of a row that the system names has advice of its own', async () => {
  const page = await readFile(new URL('README.md', docs), 'utf8')
  const table = page.slice(page.indexOf('| what happens'), page.indexOf('An outcome applies'))
  const codes = new Set([...table.matchAll(/`(?:ERROR|FAILED)` `([A-Z_]+)`/g)].map(([, c]) => c))
  expect(codes.size).toBe(6)
  const unknown = adviceForRow('CASE_CLOSED')
  for (const code of codes) expect(adviceForRow(code ?? '')).not.toBe(unknown)
})

test('a code or a reason that every object has a property for is like any other', () => {
  expect(adviceForRow('constructor')).toBe(adviceForRow('CASE_CLOSED'))
  expect(adviceForFile('toString')).toBeUndefined()
})

test('a file whose rows wait for their retry says when the first of them is due', () => {
  const now = Date.parse('2026-01-01T12:00:00Z')
  const waiting = { status: 'PROCESSING', expectedRows: 2, rowsRead: 2, counts: { FAILED: 2 } }
  const at = (nextRetryAt: string | null) => {
    const job = { ...waiting, cancelledAt: null, waitsFor: null, nextRetryAt }
    return sentenceOfJob(job as unknown as Job, now)
  }
  expect(at('2026-01-01T17:10:00Z')).toBe('2 rows failed; next retry in 5 h 10 min.')
  expect(at('2026-01-01T11:59:00Z')).toBe('2 rows failed; next retry due.')
})
