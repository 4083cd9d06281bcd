import { sql, type Statement } from '../database/sql-tag.ts'

/** Who reads: one group on one topic. */
export interface GroupKey {
  readonly topic: string
  readonly group: string
}

/** A message as it is set aside; everything that Postgres could refuse is made safe before. */
export interface NewConsumerMessage {
  readonly state: 'retry' | 'parked' | 'dead'
  readonly partition: number | null
  readonly offset: string | null
  readonly messageId: string
  readonly type: string | null
  readonly version: number | null
  readonly key: string | null
  readonly tenant: string | null
  readonly occurredAt: string | null
  readonly traceparent: string | null
  readonly headers: string
  readonly payload: string | null
  readonly body: Uint8Array | null
  readonly attempts: number
  readonly code: string | null
  readonly error: string | null
  readonly delayMs: number
}

export interface ConsumerMessageRow {
  readonly id: string
  readonly topic: string
  readonly group_name: string
  readonly state: 'retry' | 'parked' | 'dead'
  readonly partition: number | null
  readonly log_offset: string | null
  readonly message_id: string
  readonly type: string | null
  readonly version: number | null
  readonly key: string | null
  readonly tenant: string | null
  readonly occurred_at: Date | null
  readonly traceparent: string | null
  readonly headers: Record<string, string>
  readonly payload: unknown
  readonly body: Buffer | null
  readonly attempts: number
  readonly lost: number
  readonly code: string | null
  readonly error: string | null
  readonly due_at: Date
  readonly created_at: Date
  readonly died_at: Date | null
}

export const CONSUMER_MESSAGE: Statement = sql`
  m.id::text as id, m.topic, m.group_name, m.state, m.partition, m.log_offset::text as log_offset,
  m.message_id, m.type, m.version, m.key, m.tenant, m.occurred_at, m.traceparent, m.headers, m.payload,
  m.body, m.attempts, m.lost, m.code, m.error, m.due_at, m.created_at, m.died_at`

/** Asks nothing but whether the database answers. */
export const PING: Statement = sql`select 1`

/** Whose alerts they are: a name that no outbox can have. */
export const CONSUMER_SOURCE: Statement = sql`m.topic || '/' || m.group_name`

/** Keeps a message, unless it is kept already, with its alert if it is dead. */
export function insertConsumerMessage(
  { topic, group }: GroupKey,
  m: NewConsumerMessage,
): Statement {
  return sql`
    with m as (
      insert into posthorn.consumer_message
             (topic, group_name, state, partition, log_offset, message_id, type, version, key, tenant,
              occurred_at, traceparent, headers, payload, body, attempts, code, error, due_at, died_at)
      values (${topic}, ${group}, ${m.state}, ${m.partition}, ${m.offset}, ${m.messageId}, ${m.type},
              ${m.version}, ${m.key}, ${m.tenant}, ${m.occurredAt}, ${m.traceparent}, ${m.headers}::json,
              ${m.payload}::json, ${m.body}, ${m.attempts}, ${m.code}, ${m.error},
              posthorn.now() + ${m.delayMs}::float8 * interval '1 millisecond',
              case when ${m.state} = 'dead' then now() end)
      on conflict do nothing
      returning *
    ),
    alerted as (
      insert into posthorn.alert (source, subject, tenant, code, detail)
      select ${CONSUMER_SOURCE}, m.id::text, m.tenant, m.code, m.error from m where m.state = 'dead'
    )
    select id::text as id from m`
}

/** Whether an earlier message of the key is set aside; the dead ones count where they block. */
export function selectKeyHeld(
  { topic, group }: GroupKey,
  { key, blocks }: { key: string; blocks: boolean },
): Statement {
  return sql`
    select exists (
      select from posthorn.consumer_message
       where topic = ${topic} and group_name = ${group}
         and posthorn.key_digest(key) = posthorn.key_digest(${key}) and key = ${key}
         and (${blocks} or state <> 'dead')) as held`
}

interface SetAsideWanted {
  readonly partition: number | null
  readonly from: number
  readonly blocks: boolean
  /** Its own note of a run says nothing: it lives, and has only lost the partition for a while. */
  readonly owner: string
}

/** What a reader that begins has to know: what is set aside of its partition, or of the group. */
export function selectSetAside(
  { topic, group }: GroupKey,
  { partition, from, blocks, owner }: SetAsideWanted,
): Statement {
  return sql`
    select (select coalesce(array_agg(distinct key), '{}')
              from posthorn.consumer_message
             where topic = ${topic} and group_name = ${group} and key is not null
               and (${partition}::int is null or partition = ${partition})
               and (${blocks} or state <> 'dead')) as keys,
           (select coalesce(array_agg(log_offset::float8), '{}')
              from posthorn.consumer_message
             where topic = ${topic} and group_name = ${group} and partition = ${partition}
               and log_offset >= ${from}) as offsets,
           (select upto::float8
              from posthorn.consumer_note
             where topic = ${topic} and group_name = ${group} and place = ${partition}::text
               and owner <> ${owner}::uuid) as upto`
}

/** Whether a message without a position is set aside already. */
export function selectKept({ topic, group }: GroupKey, ids: readonly string[]): Statement {
  return sql`
    select exists (
      select from posthorn.consumer_message
       where topic = ${topic} and group_name = ${group} and partition is null
         and posthorn.id_digest(message_id)
             = any (array(select posthorn.id_digest(id) from unnest(${ids}::text[]) as id))) as kept`
}

/** Notes that messages of a partition up to this offset are about to be handled. */
export function upsertRun(
  { topic, group }: GroupKey,
  { partition, owner, upto }: { partition: number; owner: string; upto: number },
): Statement {
  return sql`
    insert into posthorn.consumer_note (topic, group_name, place, owner, upto)
    values (${topic}, ${group}, ${String(partition)}, ${owner}, ${upto})
    on conflict (topic, group_name, place)
    do update set owner = excluded.owner, upto = excluded.upto, noted_at = now()`
}

/** Notes that a message is about to be handled alone; counts how often that was noted. */
export function upsertSuspect(
  { topic, group }: GroupKey,
  { place, owner }: { place: string; owner: string },
): Statement {
  return sql`
    insert into posthorn.consumer_note as n (topic, group_name, place, owner, lost)
    values (${topic}, ${group}, ${place}, ${owner}, 1)
    on conflict (topic, group_name, place)
    do update set owner = excluded.owner, lost = n.lost + 1, noted_at = now()
    returning lost`
}

/** Forgets a note, unless another process has made it its own. */
export function deleteNote(
  { topic, group }: GroupKey,
  { place, owner }: { place: string; owner: string },
): Statement {
  return sql`
    delete from posthorn.consumer_note
     where topic = ${topic} and group_name = ${group} and place = ${place} and owner = ${owner}`
}

/** Until the next attempt is due; null where none waits. And, where that is asked, whether anything is parked. */
export function selectNextAttempt({ topic, group }: GroupKey, asksParked: boolean): Statement {
  return sql`
    select (select (extract(epoch from due_at - posthorn.now()) * 1000)::float8
              from posthorn.consumer_message
             where topic = ${topic} and group_name = ${group} and state = 'retry'
               and (claimed_until is null or claimed_until < now())
             order by due_at
             limit 1) as ms,
           ${asksParked} and exists (select from posthorn.consumer_message
                                      where topic = ${topic} and group_name = ${group}
                                        and state = 'parked') as parked`
}

/** Claims messages whose next attempt is due; each claim counts as lost until it is settled. */
export function claimConsumerMessages(
  { topic, group }: GroupKey,
  { token, limit, leaseMs }: { token: string; limit: number; leaseMs: number },
): Statement {
  return sql`
    with due as (
      select id
        from posthorn.consumer_message
       where topic = ${topic} and group_name = ${group} and state = 'retry'
         and due_at <= posthorn.now() and (claimed_until is null or claimed_until < now())
       order by due_at, id
       limit ${limit}
         for update skip locked
    )
    update posthorn.consumer_message as m
       set token = ${token}, lost = m.lost + 1,
           claimed_until = now() + ${leaseMs}::float8 * interval '1 millisecond'
      from due
     where m.id = due.id
    returning ${CONSUMER_MESSAGE}`
}

export function renewConsumerMessages(token: string, leaseMs: number): Statement {
  return sql`
    update posthorn.consumer_message
       set claimed_until = now() + ${leaseMs}::float8 * interval '1 millisecond'
     where token = ${token}`
}

/** The message was handled; the next of its key may go on. */
export function deleteHandled(id: string, token: string): Statement {
  return sql`
    with m as (
      delete from posthorn.consumer_message where id = ${id} and token = ${token} returning *
    ),
    ${PROMOTED}
    select id::text as id from m`
}

/** Its attempt failed, or did not count; the next one is due after the delay. */
export function postponeMessage(
  { id, token }: { id: string; token: string },
  to: { attempts: number; code: string; error: string; delayMs: number },
): Statement {
  return sql`
    update posthorn.consumer_message
       set attempts = ${to.attempts}, code = ${to.code}, error = ${to.error}, lost = 0,
           due_at = posthorn.now() + ${to.delayMs}::float8 * interval '1 millisecond',
           token = null, claimed_until = null
     where id = ${id} and token = ${token}
    returning id::text as id`
}

/** Gives a claim back as if it had not been made: the process ends. */
export function releaseMessage(id: string, token: string): Statement {
  return sql`
    update posthorn.consumer_message
       set lost = lost - 1, token = null, claimed_until = null
     where id = ${id} and token = ${token}`
}

/** Its policy is at its end. Unless the dead block their key, the next of it may go on. */
export function endMessage(
  { id, token, blocks }: { id: string; token: string; blocks: boolean },
  to: { attempts: number; code: string; error: string },
): Statement {
  return sql`
    with dead as (
      update posthorn.consumer_message
         set state = 'dead', attempts = ${to.attempts}, code = ${to.code}, error = ${to.error},
             lost = 0, died_at = now(), token = null, claimed_until = null
       where id = ${id} and token = ${token}
      returning *
    ),
    alerted as (
      insert into posthorn.alert (source, subject, tenant, code, detail)
      select ${CONSUMER_SOURCE}, m.id::text, m.tenant, m.code, m.error from dead as m
    ),
    m as (
      select * from dead where not ${blocks}
    ),
    ${PROMOTED}
    select id::text as id from dead`
}

/** Lets the first message that is parked behind each of `m` be attempted. */
export const PROMOTED: Statement = sql`
    promoted as (
      update posthorn.consumer_message as behind
         set state = 'retry', due_at = posthorn.now()
        from (select distinct topic, group_name, key from m where key is not null) as gone
       where behind.id = (select min(next.id)
                            from posthorn.consumer_message as next
                           where next.topic = gone.topic and next.group_name = gone.group_name
                             and posthorn.key_digest(next.key) = posthorn.key_digest(gone.key)
                             and next.key = gone.key and next.state = 'parked')
    )`

/**
 * Lets parked messages go on that nothing is in front of: what they waited for went while they were
 * parked. Where dead ones block, those are in front too.
 */
export function promoteOrphans({ topic, group }: GroupKey, blocks: boolean): Statement {
  return sql`
    update posthorn.consumer_message as m
       set state = 'retry', due_at = posthorn.now()
     where topic = ${topic} and group_name = ${group} and state = 'parked'
       and not exists (
         select from posthorn.consumer_message as before
          where before.topic = m.topic and before.group_name = m.group_name
            and posthorn.key_digest(before.key) = posthorn.key_digest(m.key) and before.key = m.key
            and before.id <> m.id
            and case before.state
                  when 'retry' then true
                  when 'dead' then ${blocks} and before.id < m.id
                  else before.id < m.id
                end)`
}
