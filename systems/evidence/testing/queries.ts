import { sql, type Transaction } from '@posthorn/engine'

/** As the file processor leaves a job whose rows are all stored. */
export async function markStored(tx: Transaction, jobId: string, rows: number): Promise<void> {
  await tx.query(sql`
    update evidence.file_job
       set status = 'PROCESSING', staged_at = now(), rows_read = ${rows}, total_rows = ${rows}
     where id = ${jobId}`)
}
