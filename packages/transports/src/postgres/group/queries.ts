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

/** Forgets a group without members, so that it no longer keeps old messages. */
export async function deleteGroup(db: Queryable, topic: string, group: string): Promise<void> {
  await db.query(sql`
    with members as (
      delete from posthorn.topic_group_member where topic = ${topic} and group_name = ${group}
    )
    delete from posthorn.topic_group_partition where topic = ${topic} and group_name = ${group}`)
}
