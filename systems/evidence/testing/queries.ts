import { type Transaction, enqueueAll, sql, transaction, uuid } from '@posthorn/engine'
import type { Pool } from 'pg'
import { insertJob } from '../jobs/queries.ts'
import type { RowsOutbox } from '../outbox.ts'

/** As the file processor leaves a job whose rows are all stored. */
export async function markStored(tx: Transaction, jobId: string, rows: number): Promise<void> {
  await tx.query(sql`
    update evidence.file_job
       set status = 'PROCESSING', staged_at = now(), rows_read = ${rows}, total_rows = ${rows}
     where id = ${jobId}`)
}

/** A job as the file processor leaves it, without a file. Returns the ids of its rows. */
export async function storeJob(
  pool: Pool,
  outbox: RowsOutbox,
  { org = 'acme', cases, id = uuid() }: { org?: string; cases: readonly string[]; id?: string },
): Promise<string[]> {
  return transaction(pool, async (tx) => {
    const object = { key: `incoming/${org}/${id}`, etag: 'e', version: undefined, size: 1 }
    await insertJob(tx, { id, org, filename: 'stored.zip', ...object })
    const rows = cases.map((caseId, i) => ({
      ...{ file_job_id: id, org_id: org, case_id: caseId, evidence_files: 'a.pdf' },
      row_number: i + 1,
      line_number: i + 2,
    }))
    const enqueued = await enqueueAll(tx, outbox, rows)
    await markStored(tx, id, cases.length)
    return enqueued.map((each) => each.id)
  })
}
