import { sql, type Queryable } from '@posthorn/engine'
import { SERVER, type Position } from '../queries.ts'

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

/** A partition as its holder knows it; `token` is the fence. */
export interface Holding extends Position {
  readonly token: number
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

/** Begins the lease of a process that reads. */
export async function insertReader(db: Queryable, id: string, leaseMs: number): Promise<void> {
  await db.query(sql`
    insert into posthorn.topic_reader (id, until)
    values (${id}, now() + ${leaseMs} * interval '1 millisecond')`)
}

/** Ends it, with its members. */
export async function deleteReader(db: Queryable, id: string): Promise<void> {
  await db.query(sql`delete from posthorn.topic_reader where id = ${id}`)
}

export interface ReaderBeat {
  /** False where another process has ended it. */
  readonly alive: boolean
  readonly server: string
  /** By member: changes with the members of its group, and with what they hold. */
  readonly states: Readonly<Record<string, string>>
}

/**
 * Keeps a reader for another lease, ends those whose lease is over, and says how the groups of its members are.
 * It notifies the reader itself, as a proof that notifications come through.
 */
export async function beatReader(db: Queryable, id: string, leaseMs: number): Promise<ReaderBeat> {
  const { rows } = await db.query<ReaderBeat>(sql`
    with mine as (
      update posthorn.topic_reader
         set until = now() + ${leaseMs} * interval '1 millisecond'
       where id = ${id}
      returning id
    ),
    over as (
      select id from posthorn.topic_reader where until < now() and id <> ${id} for update skip locked
    ),
    ended as (
      delete from posthorn.topic_reader where id in (select id from over) returning id
    )
    select exists (select from mine) as alive, ${SERVER} as server,
           (select coalesce(jsonb_object_agg(me.member, md5(concat(
                     (select string_agg(m.member::text, ' ' order by m.member)
                        from posthorn.topic_group_member as m
                       where m.topic = me.topic and m.group_name = me.group_name
                         and m.reader not in (select id from ended)),
                     (select string_agg(concat_ws(' ', ';', p.partition, p.member, p.token), ''
                                        order by p.partition)
                        from posthorn.topic_group_partition as p
                       where p.topic = me.topic and p.group_name = me.group_name)))), '{}')
              from posthorn.topic_group_member as me
             where me.reader = ${id}) as states,
           pg_notify('posthorn_topic', ${`/${id}`})`)
  return rows[0] as ReaderBeat
}

/** Joins the group, unless it is in it. Returns the server that took note of it. */
export async function insertMember(
  db: Queryable,
  { topic, group, member }: Membership,
  reader: string,
): Promise<string> {
  const { rows } = await db.query<{ server: string }>(sql`
    with joined as (
      insert into posthorn.topic_group_member (topic, group_name, member, reader)
      values (${topic}, ${group}, ${member}, ${reader})
      on conflict do nothing
    )
    select ${SERVER} as server`)
  return rows[0]?.server ?? ''
}

/** What the member holds; what is missing from the answer is lost. */
export async function selectHeld(
  db: Queryable,
  { topic, group, member }: Membership,
): Promise<{ partition: number; token: number }[]> {
  const { rows } = await db.query<{ partition: number; token: string }>(sql`
    select partition, token
      from posthorn.topic_group_partition
     where topic = ${topic} and group_name = ${group} and member = ${member}`)
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
       where topic = ${topic} and group_name = ${group}
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

/** Takes up to `limit` partitions without a holder, or whose holder is gone. */
export async function claimPartitions(
  db: Queryable,
  { topic, group, member }: Membership,
  limit: number,
): Promise<Holding[]> {
  const { rows } = await db.query<{
    partition: number
    token: string
    committed_offset: string
  }>(sql`
    with free as (
      select partition
        from posthorn.topic_group_partition as p
       where topic = ${topic} and group_name = ${group}
         and not exists (select from posthorn.topic_group_member as m
                          where m.topic = p.topic and m.group_name = p.group_name
                            and m.member = p.member)
       order by partition
       limit ${limit}
         for update skip locked
    )
    update posthorn.topic_group_partition p
       set member = ${member}, token = p.token + 1
      from free
     where p.topic = ${topic} and p.group_name = ${group} and p.partition = free.partition
    returning p.partition, p.token, p.committed_offset`)
  return rows.map((row) => ({
    partition: row.partition,
    token: Number(row.token),
    offset: Number(row.committed_offset),
  }))
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
       set member = null
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

/** Forgets a group without members, so that it no longer keeps old messages. */
export async function deleteGroup(db: Queryable, topic: string, group: string): Promise<void> {
  await db.query(sql`
    with members as (
      delete from posthorn.topic_group_member where topic = ${topic} and group_name = ${group}
    )
    delete from posthorn.topic_group_partition where topic = ${topic} and group_name = ${group}`)
}
