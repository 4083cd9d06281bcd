import type { ResolvedDefinition } from '../outbox/resolved-definition.ts'
import { prepare, type Prepared } from './prepared.ts'
import { finishedCondition } from './table.ts'

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
  select ${columns.id} as id
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
   where m.${columns.id} = old.id
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
