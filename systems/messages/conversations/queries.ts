import { sql, type Queryable, type Transaction } from '@posthorn/engine'
import { all, first, listIds, storableJson } from '@posthorn/system'
import type { ConversationRow, ThreadRow } from './conversation.ts'
import type { Inbound } from './inbound.ts'
import { formsOf } from '../phone-number.ts'

/** Of these ids of the provider, those of messages that are stored. */
export const findKnown = (db: Queryable, ids: readonly string[]) =>
  listIds(db)(sql`
    select provider_message_id as id
      from messages.inbound_message
     where provider_message_id = any(${ids}::text[])`)

/** Whose message it is, and to which of the forms of the number the organisation writes. */
export interface Owner {
  readonly providerMessageId: string
  readonly orgId: string
  readonly recipient: string
  readonly dossierId: string | null
}

/**
 * Finds the organisations of messages: that of the message which is answered, else the one with which
 * the person has spoken at this number, else the one that wrote to it last. Only one organisation is
 * looked at where the number is its own.
 */
export function findOwners(
  db: Queryable,
  messages: readonly Pick<
    Inbound,
    'providerMessageId' | 'numberId' | 'from' | 'userId' | 'answers'
  >[],
  orgId: string | null,
) {
  const asked = messages.map(({ providerMessageId, numberId, from, userId, answers }) => ({
    ...{ providerMessageId, numberId, from, userId, answers },
    forms: [...(from === null ? [] : formsOf(from)), ...(userId === null ? [] : [userId])],
  }))
  return all<Owner>(db)(sql`
    select u."providerMessageId", o.org_id as "orgId",
           coalesce(
             (select c.recipient
                from messages.conversation as c
               where c.recipient = any(u.names) and c.channel = 'whatsapp' and c.org_id = o.org_id
                 -- By the number if any is known: consent is kept by it.
                 and c.recipient is distinct from u."userId"
               order by c.recipient
               limit 1),
             (select p.recipient
                from messages.person as p
               where p.user_id = u."userId" and p.org_id = o.org_id),
             o.recipient, u."from", u."userId") as recipient,
           (select m.dossier_id
              from messages.outbound_message as m
             where m.to_recipient = any(u.names) and m.org_id = o.org_id
               and m.channel = 'whatsapp' and m.dossier_id is not null
             order by m.id desc
             limit 1) as "dossierId"
      from (select r.*, r.forms || array(select p.recipient
                                           from messages.person as p
                                          where p.user_id = r."userId") as names
              from jsonb_to_recordset(${storableJson(asked)}::jsonb)
                     as r ("providerMessageId" text, "numberId" text, "from" text, "userId" text,
                           answers text, forms text[])) as u
     cross join lateral (
           select * from (
             (select m.org_id, m.to_recipient as recipient, 1 as choice
                from messages.outbound_message as m
               where m.provider_message_id = u.answers and m.channel = 'whatsapp'
                 and (${orgId}::text is null or m.org_id = ${orgId})
               limit 1)
              union all
             (select c.org_id, null, 2
                from messages.conversation as c
               where c.recipient = any(u.names) and c.channel = 'whatsapp'
                 and c.number_id = u."numberId"
                 and (${orgId}::text is null or c.org_id = ${orgId})
               order by c.active_at desc
               limit 1)
              union all
             (select m.org_id, m.to_recipient, 3
                from messages.outbound_message as m
               where m.to_recipient = any(u.names) and m.channel = 'whatsapp'
                 and (${orgId}::text is null or m.org_id = ${orgId})
               order by m.id desc
               limit 1)) as found
            order by choice
            limit 1) as o`)
}

/** What messages of one person make of the conversation. */
export interface ConversationChange {
  readonly id: string
  readonly orgId: string
  readonly recipient: string
  readonly numberId: string
  readonly contactName: string | null
  readonly dossierId: string | null
  /** Of the newest message; null where the provider gave no time. */
  readonly sentAt: Date | null
}

/**
 * Makes the conversations or brings them up to date: the newest message counts, in any order of
 * arrival. In one order, so that two webhooks with the same people cannot deadlock.
 */
export async function upsertConversations(
  tx: Transaction,
  changes: readonly ConversationChange[],
): Promise<{ id: string; orgId: string; recipient: string }[]> {
  if (changes.length === 0) return []
  return all<{ id: string; orgId: string; recipient: string }>(tx)(sql`
    insert into messages.conversation as c
           (id, org_id, channel, recipient, number_id, contact_name, dossier_id,
            last_inbound_at, session_until, active_at)
    select u.id, u."orgId", 'whatsapp', u.recipient, u."numberId", u."contactName", u."dossierId",
           -- A time from the future would keep the session open for longer.
           t.at,
           -- The provider's time is real, the session ends by the business clock.
           t.at + interval '24 hours' + (posthorn.now() - statement_timestamp()),
           least(now(), t.at + interval '999 milliseconds')
      from jsonb_to_recordset(${storableJson(changes)}::jsonb)
             as u (id uuid, "orgId" text, recipient text, "numberId" text, "contactName" text,
                   "dossierId" text, "sentAt" timestamptz)
     cross join lateral (select least(coalesce(u."sentAt", now()), now()) as at) as t
     order by u.recipient, u."orgId"
        on conflict (recipient, channel, org_id)
        do update set
           number_id = case when excluded.last_inbound_at >= c.last_inbound_at
                            then excluded.number_id else c.number_id end,
           contact_name = case when excluded.last_inbound_at >= c.last_inbound_at
                               then coalesce(excluded.contact_name, c.contact_name)
                               else coalesce(c.contact_name, excluded.contact_name) end,
           dossier_id = coalesce(excluded.dossier_id, c.dossier_id),
           session_until = greatest(c.session_until, excluded.session_until),
           last_inbound_at = greatest(c.last_inbound_at, excluded.last_inbound_at),
           active_at = greatest(c.active_at, excluded.active_at)
    returning c.id, c.org_id as "orgId", c.recipient`)
}

/** A message with its place, ready to be stored. */
export interface NewInbound extends Inbound {
  readonly id: string
  /** Whom it is kept under: the number, or Meta's id where no number is known. */
  readonly recipient: string
  readonly orgId: string | null
  readonly conversationId: string | null
  readonly dossierId: string | null
}

/** Stores messages, each once for ever; the ids of those that were not known until now. */
export const insertInbound = (tx: Transaction, messages: readonly NewInbound[]) =>
  all<{
    id: string
    sent_at: Date
    answers_message_id: string | null
  }>(tx)(sql`
    insert into messages.inbound_message as i
           (id, provider_message_id, org_id, channel, conversation_id, number_id, from_number, kind,
            text, content, answers, dossier_id, sent_at, at)
    select u.id, u."providerMessageId", u."orgId", 'whatsapp', u."conversationId", u."numberId",
           coalesce(u."from", u."userId", u.recipient), u.kind, u.text, u.content, u.answers, u."dossierId", t.at,
           -- Whole seconds: it was sent within that second, and before it arrived.
           least(now(), t.at + interval '999 milliseconds')
      from jsonb_to_recordset(${storableJson(messages)}::jsonb)
             as u (id uuid, "providerMessageId" text, "orgId" text, "conversationId" uuid,
                   "numberId" text, "from" text, "userId" text, recipient text, kind text, text text, content jsonb, answers text,
                   "dossierId" text, "sentAt" timestamptz)
     cross join lateral (select least(coalesce(u."sentAt", now()), now()) as at) as t
     order by u."providerMessageId"
        on conflict (provider_message_id) do nothing
    returning i.id, i.sent_at,
              (select m.id from messages.outbound_message as m
                where m.provider_message_id = i.answers and m.org_id = i.org_id
                limit 1) as answers_message_id`)

/** Which conversation, and whose: another organisation's is not found. */
export interface ConversationKey {
  readonly id: string
  readonly orgId: string
}

/** A place in a list by time, in microseconds, which a Date would round. */
export interface Place {
  readonly micros: string
  readonly id: string
}

const CONVERSATION = sql`
    select (extract(epoch from c.active_at) * 1000000)::bigint::text as micros, c.id, c.org_id, c.channel, c.recipient, c.number_id, c.contact_name, c.dossier_id,
           c.last_inbound_at, c.session_until, c.session_until > posthorn.now() as session_open,
           c.last_answer_at, c.active_at, last.kind as last_kind, last.text as last_text
      from messages.conversation as c
      left join lateral (
           select i.kind, i.text
             from messages.inbound_message as i
            where i.conversation_id = c.id
            order by i.at desc, i.id desc
            limit 1) as last on true`

type FoundConversation = Omit<ConversationRow, 'withdrawn_at' | 'withdrawn_source'>

const timeOf = (place: Place | undefined) => sql`
  timestamptz 'epoch' + ${place?.micros ?? null}::bigint * interval '1 microsecond'`

export const findConversation = (db: Queryable, { id, orgId }: ConversationKey) =>
  first<FoundConversation>(db)(sql`
    ${CONVERSATION} where c.id = ${id} and c.org_id = ${orgId}`)

/** The conversation, locked until the transaction ends; without what its person last wrote. */
export const lockConversation = (tx: Transaction, { id, orgId }: ConversationKey) =>
  first<FoundConversation>(tx)(sql`
    select *, session_until > posthorn.now() as session_open,
           null as last_kind, null as last_text
      from messages.conversation
     where id = ${id} and org_id = ${orgId}
       for update`)

export interface ConversationPage {
  readonly orgId: string
  readonly recipient: string | undefined
  readonly dossierId: string | undefined
  /** Less active than this one. */
  readonly before: Place | undefined
  readonly limit: number
}

export function listConversations(
  db: Queryable,
  { orgId, recipient, dossierId, before, limit }: ConversationPage,
) {
  const forms = recipient === undefined ? null : formsOf(recipient)
  return all<FoundConversation & Place>(db)(sql`
    ${CONVERSATION}
     where c.org_id = ${orgId}
       and (${forms}::text[] is null or c.recipient = any(${forms}::text[]))
       and (${dossierId ?? null}::text is null or c.dossier_id = ${dossierId ?? null})
       and (${before?.id ?? null}::uuid is null
            or (c.active_at, c.id) < (${timeOf(before)}, ${before?.id ?? null}::uuid))
     order by c.active_at desc, c.id desc
     limit ${limit}`)
}

/** An answer was queued: the conversation comes first in the list. */
export async function noteAnswer(tx: Transaction, id: string): Promise<void> {
  await tx.query(sql`
    update messages.conversation
       set last_answer_at = now(), active_at = greatest(active_at, now())
     where id = ${id}`)
}

export interface ThreadPage {
  readonly conversation: Pick<ConversationRow, 'id' | 'org_id' | 'channel' | 'recipient'>
  /** Earlier than this line. */
  readonly before: Place | undefined
  readonly limit: number
}

/** What was written in both directions, newest first. */
export function listThread(db: Queryable, { conversation, before, limit }: ThreadPage) {
  const { id, org_id: orgId, channel, recipient } = conversation
  const beforeId = before?.id ?? null
  return all<ThreadRow & Place>(db)(sql`
    with inbound as (
      select i.id, 'inbound' as direction, i.at, i.kind, i.text, i.content,
             null::text as template_code, i.answers, null::text as status,
             null::text as error_code, null::text as error_message, i.sent_at,
             null::timestamptz as delivered_at, null::timestamptz as read_at,
             i.contents_removed_at
        from messages.inbound_message as i
       where i.conversation_id = ${id}
         and (${beforeId}::uuid is null or (i.at, i.id) < (${timeOf(before)}, ${beforeId}::uuid))
       order by i.at desc, i.id desc
       limit ${limit}
    ),
    outbound as (
      select m.id, 'outbound', m.created_at,
             case when m.conversation_id is null then 'template' else 'text' end,
             m.payload_json ->> 'text', m.payload_json, m.template_code, null::text, m.status,
             m.error_code, m.error_message, m.sent_at, m.delivered_at, m.read_at,
             m.contents_removed_at
        from messages.outbound_message as m
       where m.to_recipient = any(${formsOf(recipient)}::text[]) and m.org_id = ${orgId}
         and m.channel = ${channel}
         and (${beforeId}::uuid is null
              or (m.created_at, m.id) < (${timeOf(before)}, ${beforeId}::uuid))
       order by m.created_at desc, m.id desc
       limit ${limit}
    ),
    thread as (
      select * from inbound union all select * from outbound order by at desc, id desc limit ${limit}
    )
    select t.*, (extract(epoch from t.at) * 1000000)::bigint::text as micros,
           (select m.id from messages.outbound_message as m
             where m.provider_message_id = t.answers and m.org_id = ${orgId}
             limit 1) as answers_message_id
      from thread as t
     order by t.at desc, t.id desc`)
}

/** A session as it stands when a message is about to be sent in it. */
export interface SessionRow {
  readonly id: string
  readonly number_id: string
  readonly session_until: Date
  readonly session_open: boolean
}

export const findSessions = (db: Queryable, ids: readonly string[]) =>
  all<SessionRow>(db)(sql`
    select id, number_id, session_until, session_until > posthorn.now() as session_open
      from messages.conversation
     where id = any(${ids}::uuid[])`)
