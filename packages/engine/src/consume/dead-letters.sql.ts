import { sql, type Statement } from '../database/sql-tag.ts'
import { CONSUMER_MESSAGE, CONSUMER_SOURCE } from './consumer-messages.sql.ts'
import { directionOf, type TimeSort } from '../database/direction.sql.ts'

/** Which set-aside messages; null matches all. */
export interface LetterConditions {
  readonly ids: readonly string[] | null
  readonly topic: string | null
  readonly group: string | null
  readonly state: string | null
  readonly type: string | null
  readonly key: string | null
  readonly tenant: string | null
  readonly code: string | null
  readonly since: Date | null
  readonly until: Date | null
  readonly search: string | null
}

function matchConditions(c: LetterConditions): Statement {
  return sql`
        (${c.ids}::bigint[] is null or m.id = any (${c.ids}::bigint[]))
    and (${c.topic}::text is null or m.topic = ${c.topic})
    and (${c.group}::text is null or m.group_name = ${c.group})
    and (${c.state}::text is null or m.state = ${c.state})
    and (${c.type}::text is null or m.type = ${c.type})
    and (${c.key}::text is null or m.key = ${c.key})
    and (${c.tenant}::text is null or m.tenant = ${c.tenant})
    and (${c.code}::text is null or m.code = ${c.code})
    and (${c.since}::timestamptz is null or m.created_at >= ${c.since})
    and (${c.until}::timestamptz is null or m.created_at < ${c.until})
    and (${c.search}::text is null or strpos(lower(concat_ws(' ', m.message_id, m.key, m.code, m.error,
                                                             m.payload)), lower(${c.search})) > 0)`
}

export function selectLetters(
  conditions: LetterConditions,
  { before, sort, limit }: { before: string | null; sort: TimeSort; limit: number },
): Statement {
  const { beyond, order } = directionOf(sort === 'newest' ? '-id' : 'id')
  return sql`
    select ${CONSUMER_MESSAGE}
      from posthorn.consumer_message as m
     where ${matchConditions(conditions)}
       and (${before}::bigint is null or m.id ${beyond} ${before}::bigint)
     order by m.id ${order}
     limit ${limit}`
}

export function selectLetter(id: string): Statement {
  return sql`
    select ${CONSUMER_MESSAGE} from posthorn.consumer_message as m where m.id = ${id}::bigint`
}

/** How many dead letters a replay or a drop would take; what could not be decoded has no replay. */
export function countLetters(
  conditions: LetterConditions,
  { decoded }: { decoded: boolean },
): Statement {
  return sql`
    select count(*)::int as count
      from posthorn.consumer_message as m
     where ${matchConditions(conditions)} and m.state = 'dead' and (not ${decoded} or m.body is null)`
}

export interface LetterOperation {
  readonly by: string
  readonly reason: string | null
  readonly limit: number
}

/** Gives dead letters to their consumers again, oldest first, with their attempts forgotten. */
export function replayLetters(
  conditions: LetterConditions,
  { by, reason, limit }: LetterOperation,
): Statement {
  return sql`
    with chosen as (
      select m.id
        from posthorn.consumer_message as m
       where ${matchConditions(conditions)} and m.state = 'dead' and m.body is null
       order by m.id
       limit ${limit}
         for update
    ),
    m as (
      update posthorn.consumer_message as m
         set state = 'retry', attempts = 0, lost = 0, died_at = null, due_at = posthorn.now()
        from chosen
       where m.id = chosen.id and m.state = 'dead'
      returning m.*
    ),
    ${ENDED},
    noted as (
      insert into posthorn.operation (operation, outbox, subject, tenant, actor, reason)
      select 'replay', ${CONSUMER_SOURCE}, m.id::text, m.tenant, ${by}, ${reason} from m
    )
    select id::text as id from m order by m.id`
}

/** Deletes dead letters; where they blocked their keys, what is behind goes on. */
export function dropLetters(
  conditions: LetterConditions,
  { by, reason, limit }: LetterOperation,
): Statement {
  return sql`
    with chosen as (
      select m.id
        from posthorn.consumer_message as m
       where ${matchConditions(conditions)} and m.state = 'dead'
       order by m.id
       limit ${limit}
         for update
    ),
    m as (
      delete from posthorn.consumer_message as m
       using chosen
       where m.id = chosen.id and m.state = 'dead'
      returning m.*
    ),
    ${ENDED},
    promoted as (
      update posthorn.consumer_message as behind
         set state = 'retry', due_at = posthorn.now()
        from (select distinct topic, group_name, key from m where key is not null) as gone
       where behind.id = (select min(next.id)
                            from posthorn.consumer_message as next
                           where next.topic = gone.topic and next.group_name = gone.group_name
                             and posthorn.key_digest(next.key) = posthorn.key_digest(gone.key)
                             and next.key = gone.key and next.state = 'parked')
         -- Another one in front lets it go on when its own time has come.
         and not exists (select
                           from posthorn.consumer_message as before
                          where before.topic = gone.topic and before.group_name = gone.group_name
                            and posthorn.key_digest(before.key) = posthorn.key_digest(gone.key)
                            and before.key = gone.key and before.state <> 'parked'
                            and before.id <> all (select id from m))
    ),
    noted as (
      insert into posthorn.operation (operation, outbox, subject, tenant, actor, reason)
      select 'drop', ${CONSUMER_SOURCE}, m.id::text, m.tenant, ${by}, ${reason} from m
    )
    select id::text as id from m order by m.id`
}

/** The alerts of dead letters end with what is done about them. */
const ENDED: Statement = sql`
    recovered as (
      update posthorn.alert as a
         set recovered_at = now()
        from m
       where a.source = ${CONSUMER_SOURCE} and a.subject = m.id::text and a.recovered_at is null
    )`
