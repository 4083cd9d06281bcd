import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, expect, test } from 'vitest'
import { casesNamed, zipOfCases } from './testing/archive.ts'
import { startChild } from './testing/child.ts'
import { clientOf, evidenceDatabase } from './testing/running.ts'

const db = await evidenceDatabase()

test('processes that are killed while they work lose nothing and double nothing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-evidence-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const env = { EVIDENCE_LEASE_MS: '1000' }
  const api = await startChild({ databaseUrl: db.url, folder, parts: [], env })
  const documents = { DOCUMENTS_URL: `${api.url}/sim/documents` }
  const start = () =>
    startChild({
      ...{ databaseUrl: db.url, folder, env: { ...env, ...documents } },
      parts: ['workers', 'relay', 'consumers'],
    })
  const client = await clientOf(api.url)
  const rows = 300
  const id = await client.job(await zipOfCases(casesNamed('killed', rows)))
  const stored = async () => {
    const { rows: found } = await db.pool.query<{ stored: number; ended: number }>(
      `select count(*)::int as stored, count(*) filter (where status = 'SUCCESS')::int as ended
         from evidence.file_outbox_row where file_job_id = $1`,
      [id],
    )
    return found[0] ?? { stored: 0, ended: 0 }
  }
  const first = await start()
  await expect
    .poll(async () => (await stored()).stored, { timeout: 20_000, interval: 5 })
    .toBeGreaterThan(0)
  await first.kill()
  const second = await start()
  await expect
    .poll(async () => (await stored()).ended, { timeout: 60_000, interval: 5 })
    .toBeGreaterThan(50)
  await second.kill()
  await start()
  const read = async () => (await client.get(`/api/v1/file-jobs/${id}`)).body as object
  await expect
    .poll(read, { timeout: 100_000, interval: 200 })
    .toMatchObject({ status: 'COMPLETED', totalRows: rows, successCount: rows, errorCount: 0 })
  const { body } = await client.get(`/api/v1/file-jobs/${id}/notifications`)
  expect(body.items.map(({ kind }: { kind: string }) => kind)).toEqual(['N2', 'N1'])
  const response = await fetch(`${api.url}/sim/documents/attachments?limit=10000`)
  const { items } = (await response.json()) as { items: { case_id: string }[] }
  expect(items.map((each) => each.case_id).toSorted()).toEqual(
    casesNamed('killed', rows).toSorted(),
  )
}, 180_000)
