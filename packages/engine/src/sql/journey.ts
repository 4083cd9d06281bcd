import { sql, type Statement } from '../enqueue/sql-tag.ts'
import type { ResolvedDefinition } from '../outbox/resolved-definition.ts'
import { fromLog, loggedState } from './log-view.ts'
import { prepare, type Prepared } from './prepared.ts'

/** Tables that are an inbox by their columns and key; partitions are left out. */
export const selectInboxes: Statement = sql`
  select n.nspname as schema, c.relname as name
    from pg_class as c
    join pg_namespace as n on n.oid = c.relnamespace
    join pg_index as i on i.indrelid = c.oid and i.indisprimary
   where c.relkind in ('r', 'p') and not c.relispartition
     and has_table_privilege(c.oid, 'select') and has_schema_privilege(n.oid, 'usage')
     and (select array_agg(a.attname::text order by a.attname)
            from pg_attribute as a
           where a.attrelid = c.oid and a.attnum = any(i.indkey::int2[])) = array['consumer', 'event_id']
     and exists (select from pg_attribute as a
                  where a.attrelid = c.oid and a.attname = 'event_id' and a.atttypid = 'uuid'::regtype)
     and exists (select from pg_attribute as a
                  where a.attrelid = c.oid and a.attname = 'received_at'
                    and a.atttypid = 'timestamptz'::regtype)
   order by n.nspname, c.relname`

/** Who has had a message, by one inbox. */
export function selectReceipts(table: string, id: string): Statement {
  return sql`
    select consumer, received_at
      from ${sql.id(table)}
     where event_id = ${id}::uuid
     order by received_at, consumer`
}

/** Whether there are topics in this database at all. */
export const selectHasTopics: Statement = sql`
  select to_regclass('posthorn.topic_message') is not null as has_topics`

/** A message in a topic of Postgres, and how far each group has read its partition. */
export function selectTopicMessage(place: {
  topic: string
  partition: string
  offset: string
}): Statement {
  return sql`
    select m.appended_at,
           (select coalesce(jsonb_agg(jsonb_build_object(
                     'group', g.group_name, 'hasPassed', g.committed_offset > m.log_offset)
                     order by g.group_name), '[]')
              from posthorn.topic_group_partition as g
             where g.topic = m.topic and g.partition = m.partition) as groups
      from posthorn.topic_message as m
     where m.topic = ${place.topic} and m.partition = ${place.partition}::int
       and m.log_offset = ${place.offset}::bigint`
}

/** Nothing leads to a trace but reading: what takes longer is left out. */
export const limitSearch: Statement = sql`set local statement_timeout = '500ms'`

/** Messages of an outbox that were written in one trace, of one tenant or of all. */
export function selectTraced(definition: ResolvedDefinition, ofTenant: boolean): Prepared {
  const { table, log, columns } = definition
  const at = columns.createdAt ?? columns.dueAt
  return prepare((p) => {
    const found = (from: string, state: string) =>
      `select m.${columns.id}::text as id, (${state})::text as state, m.${at}::timestamptz as at
  from ${from}
 where m.${columns.traceparent} like ${p('pattern')}${
   ofTenant ? `\n   and m.${columns.tenant}::text = ${p('tenant')}::text` : ''
 }`
    const inLog =
      log === undefined ? '' : `\nunion all\n${found(fromLog(definition), loggedState(definition))}`
    return `${found(`${table} as m`, `m.${columns.status}`)}${inLog}
 limit 20`
  })
}
