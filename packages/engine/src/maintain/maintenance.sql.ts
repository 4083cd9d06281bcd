import type { ResolvedDefinition } from '../outbox/resolved-definition.ts'
import { prepare, type Prepared } from '../database/prepared.ts'
import { isRowOf, seqOf } from '../outbox/clauses.sql.ts'
import { finishedCondition } from '../outbox/table.sql.ts'
import { sql, type Statement } from '../database/sql-tag.ts'

/**
 * Whether the lock is ours, until the transaction ends. The transaction waits while others do the
 * work; it has no snapshot meanwhile, so it does not hold vacuum back.
 */
export const tryLockMaintenance: Statement[] = [
  sql`set local idle_in_transaction_session_timeout = 0`,
  sql`select pg_try_advisory_xact_lock(hashtextextended('posthorn maintenance', 0)) as ours`,
]

/** Whether a legal hold is open: then nothing may go for good. */
export const selectAnyHold: Statement = sql`
  select exists (select from posthorn.legal_hold where released_at is null) as held`

/** The retention class of `posthorn.transition`, whose partitions `maintain` drops. */
export const TRANSITIONS = 'engine.transitions'

/** How long the platform keeps transitions; no row where nothing is set. */
export const selectTransitionKeep: Statement = sql`
  select (extract(epoch from keep) * 1000)::float8 as keep_ms
    from posthorn.retention
   where class = ${TRANSITIONS} and tenant = ''`

/** What relays did and counted long ago, and relays that were never heard of again. */
export const prunePulses: Statement = sql`
  with gone as (
    delete from posthorn.session where seen_at < now() - interval '1 hour'
  ),
  samples as (
    delete from posthorn.sample where at < now() - interval '7 days'
  ),
  starts as (
    delete from posthorn.relay_start where at < now() - interval '7 days'
  ),
  lags as (
    delete from posthorn.consumer_sample where at < now() - interval '7 days'
  )
  delete from posthorn.pulse where at < now() - interval '7 days'`

/** Forgets what was handled so long ago that no relay can have it in hand still. */
export const pruneHandled: Statement = sql`
  delete from posthorn.handled where handled_at < now() - interval '30 days'`

/**
 * Takes a batch of rows that finished long enough ago out of their table, into the archive if there
 * is one; both or neither. Locked rows are skipped, so that two at once share the work.
 */
export function pruneFinished(
  definition: ResolvedDefinition,
  { archived }: { archived: boolean },
): Prepared {
  const { name, table, columns } = definition
  return prepare(
    (p) => `with old as (
  select ${columns.id} as id${seqOf(definition)}
    from ${table}
   where ${finishedCondition(definition)}
     and ${columns.finishedAt} < now() - ${p('afterMs')}::float8 * interval '1 ms'
   order by ${columns.finishedAt}
   limit ${p('batch')}
     for update skip locked
),
gone as (
  delete from ${table} as m
   using old
   where ${isRowOf(definition, 'old')}
  returning m.*
)${
      archived
        ? `,
kept as (
  insert into posthorn.archive (outbox, message_id, row_data)
  select '${name}', gone.${columns.id}::text, to_jsonb(gone.*) from gone
)`
        : ''
    }
select count(*)::int as count from gone`,
  )
}

/**
 * Deletes a batch of archived rows whose week is over for good. Partitions go as a whole where they
 * can; this is for outboxes that keep their rows for a shorter time than others.
 */
export function pruneArchived({ name }: ResolvedDefinition): Prepared {
  return prepare((p) => {
    const expired = `archived_at < date_trunc('week', now() - ${p('archiveMs')}::float8 * interval '1 ms', 'UTC')`
    return `with old as (
  select message_id
    from posthorn.archive
   where outbox = '${name}' and ${expired}
   order by archived_at
   limit ${p('batch')}
),
gone as (
  delete from posthorn.archive as a
   using old
   where a.message_id = old.message_id and a.outbox = '${name}' and ${expired}
  returning 1
)
select count(*)::int as count from gone`
  })
}

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
