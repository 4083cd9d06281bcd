import { expect, test } from 'vitest'
import { evidenceDatabase } from '../testing/running.ts'

const { pool } = await evidenceDatabase()

test('the failed rows of a job are found through an index of their own', async () => {
  // Without statistics and rows nothing else speaks against a scan.
  const client = await pool.connect()
  try {
    await client.query('set enable_seqscan = off')
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(
      `explain select * from evidence.file_outbox_row
        where file_job_id = gen_random_uuid() and row_number > 0 and status = 'FAILED'
        order by row_number limit 51`,
    )
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('file_outbox_row_failed')
  } finally {
    client.release()
  }
})
