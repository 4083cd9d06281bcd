import { createAnnouncementFeed } from '@posthorn/operate'
import { expect, test } from 'vitest'
import { casesNamed, zipOfCases } from './testing/archive.ts'
import { evidenceDatabase, runEvidence } from './testing/running.ts'

const db = await evidenceDatabase()
const running = await runEvidence(db, { env: { EVIDENCE_IN_FLIGHT: '40' } })

async function countOf(id: string, status: string): Promise<number> {
  const { rows } = await db.pool.query<{ count: number }>(
    `select count(*)::int as count from evidence.file_outbox_row
      where file_job_id = $1 and status = $2`,
    [id, status],
  )
  return rows[0]?.count ?? 0
}

test('a merchant with many rows does not hold up one with few', async () => {
  const giant = await running.as({ org: 'giant' })
  const corner = await running.as({ org: 'corner' })
  // Its documents are slow: each row waits behind those published before.
  await running.documents('POST', '/faults', { mode: 'slow' })
  const many = await giant.job(await zipOfCases(casesNamed('many', 3_000)))
  await giant.until(many, { totalRows: 3_000 })
  await expect.poll(() => countOf(many, 'PUBLISHED')).toBeGreaterThan(10)
  const few = await corner.job(await zipOfCases(casesNamed('few', 10)))
  await expect.poll(() => countOf(few, 'PUBLISHED')).toBe(10)
  expect(await countOf(many, 'PUBLISHED')).toBeLessThanOrEqual(80)
  await running.documents('POST', '/faults', { mode: 'ok' })
  await corner.until(few, { status: 'COMPLETED', successCount: 10 })
  expect(await countOf(many, 'PENDING')).toBeGreaterThan(1_000)
})

test('the progress of a file is announced', async () => {
  const news = createAnnouncementFeed({ pool: db.connect() })
  const stop = new AbortController()
  const heard: { data?: unknown }[] = []
  const listening = (async () => {
    for await (const items of news.subscribe({ tenant: 'heard', signal: stop.signal })) {
      heard.push(...items.filter(({ topic }) => topic === 'evidence.job'))
    }
  })()
  const client = await running.as({ org: 'heard' })
  const id = await client.job(await zipOfCases(casesNamed('news', 5)))
  await client.until(id, { status: 'COMPLETED' })
  const last = () => heard.at(-1)
  await expect.poll(last).toMatchObject({ id, data: { totalRows: 5, counts: { SUCCESS: 5 } } })
  stop.abort()
  await listening
  await news.close()
})
