import { sql, type Queryable } from '@posthorn/engine'
import { all } from '@posthorn/system'
import { countOf } from '../../../proof/kit/stand/queries.ts'

export interface MessageRow {
  readonly id: string
  readonly key: string
  readonly status: string
  readonly attempts: number
  readonly trying: number
}

export const selectMessages = (db: Queryable) =>
  all<MessageRow>(db)(sql`
    select m.id, m.idempotency_key as key, m.status, count(a.id)::int as attempts,
           count(a.id) filter (where a.status = 'TRYING')::int as trying
      from messages.outbound_message as m
      left join messages.outbound_attempt as a on a.outbound_message_id = m.id
     group by m.id`)

/** Messages to people whose audit does not begin with them, or that were sent without a word. */
export const countUnexplainedMessages = (db: Queryable) =>
  countOf(db)(sql`
    select count(*)::int as count
      from messages.outbound_message as m
      left join lateral (
        select count(*) filter (where action = 'CREATED') as created,
               count(*) filter (where action in ('SENT', 'UPDATED')) as sent
          from messages.audit_event as a
         where a.entity_type = 'OUTBOUND_MESSAGE' and a.entity_id = m.id::text) as told on true
     where told.created <> 1 or (m.status = 'DELIVERED' and told.sent = 0)`)
