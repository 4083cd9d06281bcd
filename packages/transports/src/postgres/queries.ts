import { sql, type Delivery, type Message, type Queryable } from '@posthorn/engine'
import { toJson } from '../cloudevents.ts'

/** One member of one group on one topic. */
export interface Membership {
  readonly topic: string
  readonly group: string
  readonly member: string
}

/** A member, and the server on which its partitions were claimed. */
export interface Holder extends Membership {
  readonly server: string
}

/**
 * The server that answers, by the time of its start. After a failover or a restore another one may,
 * which has not seen the last transactions and gives their offsets a second time.
 */
const SERVER = sql`extract(epoch from pg_postmaster_start_time())::text`

export interface Position {
  readonly partition: number
  readonly offset: number
}

/** A partition as its holder knows it; `token` is the fence. */
export interface Holding extends Position {
  readonly token: number
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

/** Both channels on one connection. */
export async function listenToTopics(connection: Queryable): Promise<void> {
  await connection.query(sql`listen posthorn_topic; listen posthorn_topic_group`)
}

/** Notifies the members of a group that one came, left or released a partition. */
export async function notifyGroup(db: Queryable, topic: string, group: string): Promise<void> {
  await db.query(sql`select pg_notify('posthorn_topic_group', ${`${topic}/${group}`})`)
}

/** Makes the group's rows for partitions that have none, at the topic's first or next offset. */
export async function insertGroup(
  db: Queryable,
  { topic, group }: { topic: string; group: string },
  from: 'earliest' | 'latest',
): Promise<void> {
  await db.query(sql`
    insert into posthorn.topic_group_partition (topic, group_name, partition, committed_offset)
    select topic, ${group}, partition, case when ${from} = 'latest' then next_offset else 0 end
      from posthorn.topic_partition
     where topic = ${topic}
    on conflict do nothing`)
}

/**
 * Says "I am here" for another lease, and forgets members whose lease has ended. Returns the server
 * that took note of it.
 */
export async function upsertMember(
  db: Queryable,
  { topic, group, member }: Membership,
  leaseMs: number,
): Promise<string> {
  const { rows } = await db.query<{ server: string }>(sql`
    with gone as (
      delete from posthorn.topic_group_member
       where topic = ${topic} and group_name = ${group} and member <> ${member} and until < now()
    )
    insert into posthorn.topic_group_member (topic, group_name, member, until)
    values (${topic}, ${group}, ${member}, now() + ${leaseMs} * interval '1 millisecond')
    on conflict (topic, group_name, member) do update set until = excluded.until
    returning ${SERVER} as server`)
  return rows[0]?.server ?? ''
}

/** Renews the leases on what the member holds; what is missing from the answer is lost. */
export async function renewPartitions(
  db: Queryable,
  { topic, group, member }: Membership,
  leaseMs: number,
): Promise<{ partition: number; token: number }[]> {
  const { rows } = await db.query<{ partition: number; token: string }>(sql`
    update posthorn.topic_group_partition
       set until = now() + ${leaseMs} * interval '1 millisecond'
     where topic = ${topic} and group_name = ${group} and member = ${member}
    returning partition, token`)
  return rows.map((row) => ({ partition: row.partition, token: Number(row.token) }))
}

/** The member's fair share: every member computes it from the same rows, so the shares add up. */
export async function selectShare(
  db: Queryable,
  { topic, group, member }: Membership,
): Promise<number> {
  const { rows } = await db.query<{ share: number }>(sql`
    with alive as (
      select member, row_number() over (order by member) - 1 as rank, count(*) over () as members
        from posthorn.topic_group_member
       where topic = ${topic} and group_name = ${group} and until >= now()
    )
    select (p.partitions / alive.members
             + case when alive.rank < p.partitions % alive.members then 1 else 0 end)::int as share
      from alive
     cross join (select count(*) as partitions
                   from posthorn.topic_group_partition
                  where topic = ${topic} and group_name = ${group}) p
     where alive.member = ${member}`)
  return rows[0]?.share ?? 0
}

/** Takes up to `limit` partitions without a holder, or whose holder's lease has ended. */
export async function claimPartitions(
  db: Queryable,
  { topic, group, member }: Membership,
  { limit, leaseMs }: { limit: number; leaseMs: number },
): Promise<Holding[]> {
  const { rows } = await db.query<{
    partition: number
    token: string
    committed_offset: string
  }>(sql`
    with free as (
      select partition
        from posthorn.topic_group_partition
       where topic = ${topic} and group_name = ${group} and (member is null or until < now())
       order by partition
       limit ${limit}
         for update skip locked
    )
    update posthorn.topic_group_partition p
       set member = ${member},
           token = p.token + 1,
           until = now() + ${leaseMs} * interval '1 millisecond'
      from free
     where p.topic = ${topic} and p.group_name = ${group} and p.partition = free.partition
    returning p.partition, p.token, p.committed_offset`)
  return rows.map((row) => ({
    partition: row.partition,
    token: Number(row.token),
    offset: Number(row.committed_offset),
  }))
}

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
  { topic, server }: Pick<Holder, 'topic' | 'server'>,
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

/** Commits how far the member is; a partition missing from the answer is lost (the fence). */
export async function commitOffsets(
  db: Queryable,
  { topic, group, member, server }: Holder,
  holdings: readonly Holding[],
): Promise<number[]> {
  const { rows } = await db.query<{ partition: number }>(sql`
    update posthorn.topic_group_partition p
       set committed_offset = done.log_offset
      from unnest(${holdings.map((h) => h.partition)}::int[],
                  ${holdings.map((h) => h.token)}::bigint[],
                  ${holdings.map((h) => h.offset)}::bigint[]) as done (partition, token, log_offset)
     where p.topic = ${topic} and p.group_name = ${group} and p.partition = done.partition
       and p.member = ${member} and p.token = done.token and ${SERVER} = ${server}
    returning p.partition`)
  return rows.map((row) => row.partition)
}

/** Releases partitions, for any member to take at once. */
export async function releasePartitions(
  db: Queryable,
  { topic, group, member }: Membership,
  partitions: readonly number[],
): Promise<void> {
  await db.query(sql`
    update posthorn.topic_group_partition
       set member = null, until = null
     where topic = ${topic} and group_name = ${group} and member = ${member}
       and partition = any (${partitions}::int[])`)
}

export async function deleteMember(
  db: Queryable,
  { topic, group, member }: Membership,
): Promise<void> {
  await db.query(sql`
    delete from posthorn.topic_group_member
     where topic = ${topic} and group_name = ${group} and member = ${member}`)
}

/** For each question, in order: whether the group has committed past the offset. */
export async function selectPassed(
  db: Queryable,
  sent: readonly (Position & { topic: string; group: string })[],
): Promise<boolean[]> {
  const { rows } = await db.query<{ passed: boolean }>(sql`
    select coalesce(p.committed_offset > sent.log_offset, false) as passed
      from unnest(${sent.map((s) => s.topic)}::text[], ${sent.map((s) => s.group)}::text[],
                  ${sent.map((s) => s.partition)}::int[], ${sent.map((s) => s.offset)}::bigint[])
             with ordinality as sent (topic, group_name, partition, log_offset, place)
      left join posthorn.topic_group_partition p using (topic, group_name, partition)
     order by sent.place`)
  return rows.map((row) => row.passed)
}

/** How many messages of the topic the group has not committed; all of them if it never read. */
export async function selectLag(db: Queryable, topic: string, group: string): Promise<number> {
  const { rows } = await db.query<{ lag: string }>(sql`
    select coalesce(sum(p.next_offset - coalesce(g.committed_offset, 0)), 0) as lag
      from posthorn.topic_partition p
      left join posthorn.topic_group_partition g
        on g.topic = p.topic and g.partition = p.partition and g.group_name = ${group}
     where p.topic = ${topic}`)
  return Number(rows[0]?.lag ?? 0)
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

/** Forgets a group without members, so that it no longer keeps old messages. */
export async function deleteGroup(db: Queryable, topic: string, group: string): Promise<void> {
  await db.query(sql`
    with members as (
      delete from posthorn.topic_group_member where topic = ${topic} and group_name = ${group}
    )
    delete from posthorn.topic_group_partition where topic = ${topic} and group_name = ${group}`)
}
