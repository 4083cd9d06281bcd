import { sql, type Delivery, type Message, type Queryable } from '@posthorn/engine'
import { toJson } from '../cloudevents.ts'

/**
 * The server that answers, by the time of its start. After a failover or a restore another one may,
 * which has not seen the last transactions and gives their offsets a second time.
 */
export const SERVER = sql`extract(epoch from pg_postmaster_start_time())::text`

export interface Position {
  readonly partition: number
  readonly offset: number
}

/** Makes topics that do not exist yet; an existing one keeps its number of partitions. */
export async function insertTopics(
  db: Queryable,
  partitionsByName: ReadonlyMap<string, number>,
): Promise<void> {
  await db.query(sql`
    with made as (
      insert into posthorn.topic (name, partitions)
      select * from unnest(${[...partitionsByName.keys()]}::text[],
                           ${[...partitionsByName.values()]}::int[])
      on conflict (name) do nothing
      returning name, partitions
    )
    insert into posthorn.topic_partition (topic, partition)
    select made.name, partition
      from made
     cross join generate_series(0, made.partitions - 1) as partition`)
}

/**
 * Appends a batch in one statement, hence in one transaction. Returns a position for each message
 * whose topic exists, with its place in the batch counted from 0. `turn` is where the messages
 * without a key begin to go round.
 */
export async function appendMessages(
  db: Queryable,
  batch: readonly Delivery[],
  turn: number,
): Promise<(Position & { place: number })[]> {
  const column = <T>(of: (message: Message) => T): T[] => batch.map(({ message }) => of(message))
  const { rows } = await db.query<{ place: string; partition: number; log_offset: string }>(sql`
    with incoming as (
      select m.*,
             -- the rest of a negative hash is negative
             case when m.key is null then (m.place - 1 + ${turn}::bigint) % t.partitions
                  else abs(hashtextextended(m.key, 0) % t.partitions)
             end::int as partition
        from unnest(
               ${batch.map(({ destination }) => destination.topic)}::text[],
               ${column((m) => m.id)}::text[],
               ${column((m) => m.type)}::text[],
               ${column((m) => m.version)}::int[],
               ${column((m) => m.key ?? null)}::text[],
               ${column((m) => m.tenant ?? null)}::text[],
               ${column((m) => m.occurredAt.toISOString())}::timestamptz[],
               ${column((m) => m.traceparent ?? null)}::text[],
               ${column((m) => toJson(m.headers))}::json[],
               ${column((m) => toJson(m.payload))}::json[]
             ) with ordinality
             as m (topic, id, type, version, key, tenant, occurred_at, traceparent, headers, payload, place)
        join posthorn.topic t on t.name = m.topic
    ),
    counted as (
      select topic, partition, count(*) as messages from incoming group by topic, partition
    ),
    -- Locked in one order by all transactions, so that two batches cannot wait for each other.
    locked as materialized (
      select p.topic, p.partition, counted.messages
        from posthorn.topic_partition p
        join counted using (topic, partition)
       order by p.topic, p.partition
         for no key update of p
    ),
    moved as (
      update posthorn.topic_partition p
         set next_offset = p.next_offset + locked.messages
        from locked
       where p.topic = locked.topic and p.partition = locked.partition
      returning p.topic, p.partition, p.next_offset - locked.messages as first_offset
    ),
    placed as (
      select incoming.*,
             first_offset - 1
               + row_number() over (partition by topic, partition order by place) as log_offset
        from incoming
        join moved using (topic, partition)
    ),
    appended as (
      insert into posthorn.topic_message
             (topic, partition, log_offset, id, type, version, key, tenant, occurred_at,
              traceparent, headers, payload)
      select topic, partition, log_offset, id, type, version, key, tenant, occurred_at,
             traceparent, headers, payload
        from placed
    )
    select place - 1 as place, partition, log_offset from placed`)
  return rows.map((row) => ({
    place: Number(row.place),
    partition: row.partition,
    offset: Number(row.log_offset),
  }))
}

/** Wakes the readers of topics. A statement of its own: NOTIFY in the appending one would queue
 * all appends behind one lock. */
export async function notifyTopics(db: Queryable, topics: readonly string[]): Promise<void> {
  await db.query(
    sql`select pg_notify('posthorn_topic', topic) from unnest(${topics}::text[]) topic`,
  )
}

export const listenToTopics = sql`listen posthorn_topic`

export interface Reading {
  readonly from: readonly Position[]
  readonly limit: number
  readonly bytes: number
}

/**
 * The next messages of several partitions at once, in order; of each up to `limit`, and no more once
 * `bytes` are reached. None from a server on which the positions mean something else.
 */
export async function selectMessages(
  db: Queryable,
  { topic, server }: { topic: string; server: string },
  { from, limit, bytes }: Reading,
): Promise<(Position & { message: Message })[]> {
  const { rows } = await db.query<MessageRow>(sql`
    select m.*
      from unnest(${from.map((f) => f.partition)}::int[], ${from.map((f) => f.offset)}::bigint[])
             as f (partition, log_offset)
     cross join lateral (
       -- the stored size: known without reading the payload
       select *, sum(pg_column_size(payload)) over (order by log_offset) as bytes
         from posthorn.topic_message
        where topic = ${topic} and partition = f.partition and log_offset >= f.log_offset
        order by log_offset
        limit ${limit}
     ) m
     where m.bytes - pg_column_size(m.payload) < ${bytes} and ${SERVER} = ${server}
     order by m.partition, m.log_offset`)
  return rows.map((row) => ({
    partition: row.partition,
    offset: Number(row.log_offset),
    message: {
      id: row.id,
      type: row.type,
      version: row.version,
      key: row.key ?? undefined,
      tenant: row.tenant ?? undefined,
      occurredAt: row.occurred_at,
      traceparent: row.traceparent ?? undefined,
      headers: row.headers,
      payload: row.payload,
    },
  }))
}

interface MessageRow {
  partition: number
  log_offset: string
  id: string
  type: string
  version: number
  key: string | null
  tenant: string | null
  occurred_at: Date
  traceparent: string | null
  headers: Record<string, string>
  payload: unknown
}

/**
 * Deletes, of every partition's first `limit` messages, those that are old and that every group has
 * passed. It looks at no more than that: a topic of millions that are all young costs one page.
 */
export async function deleteMessages(
  db: Queryable,
  { olderThanMs, limit }: { olderThanMs: number; limit: number },
): Promise<number> {
  const { rows } = await db.query<{ deleted: string }>(sql`
    with passed as (
      select p.topic, p.partition, coalesce(min(g.committed_offset), p.next_offset) as log_offset
        from posthorn.topic_partition p
        left join posthorn.topic_group_partition g using (topic, partition)
       group by p.topic, p.partition
    ),
    old as (
      select m.topic, m.partition, m.log_offset
        from passed
       cross join lateral (
         select topic, partition, log_offset, appended_at
           from posthorn.topic_message
          where topic = passed.topic and partition = passed.partition
            and log_offset < passed.log_offset
          order by log_offset
          limit ${limit}
       ) m
       where m.appended_at < now() - ${olderThanMs} * interval '1 millisecond'
    ),
    deleted as (
      delete from posthorn.topic_message m
       using old
       where m.topic = old.topic and m.partition = old.partition and m.log_offset = old.log_offset
      returning 1
    )
    select count(*) as deleted from deleted`)
  return Number(rows[0]?.deleted ?? 0)
}
