import { sql, type Outbox, type Queryable, type Transaction } from '@posthorn/engine'
import type { EventRow } from '../kit/events/outbox.ts'
import type { Entry } from '../kit/events/queries.ts'
import { countOf, rowsOf } from '../kit/stand/queries.ts'

/** Business rows without their message, and messages without their business row. */
export async function countHalves(db: Queryable, outbox: Outbox<EventRow>): Promise<number> {
  const { name, log } = outbox
  const logged = log === undefined ? '' : `union all select id from ${log}`
  return countOf(db)({
    text: `
select count(*)::int as count
  from (select message_id from crash.entry where source = $1) as entry
  full join (select id from ${rowsOf(outbox)} ${logged}) as message on message.id = entry.message_id
 where message.id is null or entry.message_id is null`,
    values: [name],
  })
}

/** Ids of some messages that were committed later than that. */
export async function selectLater(db: Queryable, source: string, sinceMs: number) {
  const { rows } = await db.query<{ id: string }>(sql`
    select message_id::text as id from crash.entry
     where source = ${source} and written_at > to_timestamp(${sinceMs / 1_000}::float8)
     limit 1000`)
  return new Set(rows.map(({ id }) => id))
}

/** Stores what the messages have done, in their order. */
export async function insertEffects(
  tx: Transaction,
  source: string,
  entries: readonly Entry[],
): Promise<void> {
  await tx.query(sql`
    insert into crash.effect (source, key, n, message_id)
    select ${source}, key, n, id
      from unnest(${entries.map(({ id }) => id)}::uuid[], ${entries.map(({ key }) => key)}::text[],
                  ${entries.map(({ n }) => n)}::bigint[]) with ordinality as u (id, key, n, place)
     order by place`)
}

/** What has still to be delivered or to take effect. */
export async function countOpen(
  db: Queryable,
  outboxes: readonly Outbox<EventRow>[],
): Promise<number> {
  let open = 0
  for (const outbox of outboxes) {
    open += await countOf(db)({
      text: `
select (select count(*) from ${rowsOf(outbox)} where status = 'ready')::int
     + (select count(*) from crash.entry as e where e.source = $1
           and not exists (select from crash.effect as f where f.message_id = e.message_id))::int as count`,
      values: [outbox.name],
    })
  }
  return open
}

/** What distinguishes one change of a message's state from others. */
export interface SeenTransition {
  readonly id: string
  readonly messageId: string
  readonly at: Date
}

export async function selectTransitions(db: Queryable, since: Date): Promise<SeenTransition[]> {
  const { rows } = await db.query<SeenTransition>(sql`
    select id::text as id, message_id as "messageId", at
      from posthorn.transition where at >= ${since}`)
  return rows
}

/** The last \`seq\` that a server has given out for the rows of a table, or has heard of. */
export function lastSeq(table: string): string {
  return `select pg_sequence_last_value(pg_get_serial_sequence('${table}', 'seq')::regclass) as answer`
}
