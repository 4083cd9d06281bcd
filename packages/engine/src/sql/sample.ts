import { sql, type Statement } from '../enqueue/sql-tag.ts'

/** One row a minute and outbox: the relay that inserts it does the counting. */
export function insertSample(outbox: string): Statement {
  return sql`
    insert into posthorn.sample (outbox, at) values (${outbox}, date_trunc('minute', now()))
    on conflict (outbox, at) do nothing
    returning at`
}

/** Only the partial indexes may be read, and not for long. */
export const limitCounting: Statement[] = [
  sql`set local enable_seqscan = off`,
  sql`set local statement_timeout = '2s'`,
]

export function updateSample(sample: {
  outbox: string
  at: Date
  waiting: number
  due: number
  retrying: number
  oldestDueAt: Date | null
  oldestUndeliveredSeconds: number
}): Statement {
  return sql`
    update posthorn.sample
       set waiting = ${sample.waiting}::bigint,
           due = ${sample.due}::bigint,
           retrying = ${sample.retrying}::bigint,
           oldest_undelivered_seconds = ${sample.oldestUndeliveredSeconds}::float8,
           oldest_due_seconds =
             coalesce(greatest(0, extract(epoch from posthorn.now() - ${sample.oldestDueAt}::timestamptz)), 0)
     where outbox = ${sample.outbox} and at = ${sample.at}`
}
