import { sql, type Queryable, type Transaction } from '@posthorn/engine'
import { all, storableJson } from '@posthorn/system'
import type { MessageState } from '../message.ts'
import type { Report, ReportKey } from './report.ts'

/** The message that a report is about. */
export interface Subject extends ReportKey {
  readonly message_id: string
  readonly org_id: string
}

/** Finds reports' messages by the provider's id, else by our own that came back. */
export const findSubjects = (db: Queryable, reports: readonly Report[]) =>
  all<Subject>(db)(sql`
    select r."providerMessageId", r.status, m.id as message_id, m.org_id
      from jsonb_to_recordset(${storableJson(reports)}::jsonb)
             as r ("providerMessageId" text, status text, "opaqueId" uuid)
     cross join lateral (
           select id, org_id, 1 as choice
             from messages.outbound_message
            where provider_message_id = r."providerMessageId" and channel = 'whatsapp'
            union all
           select id, org_id, 2
             from messages.outbound_message
            where id = r."opaqueId" and channel = 'whatsapp'
            order by choice
            limit 1) as m`)

/** A report with its message, or without one. */
export interface Filed {
  readonly report: Report
  readonly messageId: string | null
  readonly orgId: string | null
}

/**
 * Files reports, each once for ever. Returns those that were not known, or not of which message,
 * until now. In one order, so that two webhooks with the same reports cannot deadlock.
 */
export const fileReports = (tx: Transaction, filed: readonly Filed[]) =>
  all<ReportKey>(tx)(sql`
    insert into messages.delivery_status as d
           (provider_message_id, status, message_id, org_id, report)
    select report ->> 'providerMessageId', report ->> 'status', "messageId", "orgId", report
      from jsonb_to_recordset(${storableJson(filed)}::jsonb)
             as u (report jsonb, "messageId" uuid, "orgId" text)
     order by 1, 2
        on conflict (provider_message_id, status)
        do update set message_id = excluded.message_id
            where d.message_id is null and excluded.message_id is not null
    returning d.provider_message_id as "providerMessageId", d.status`)

export interface LockedMessage {
  readonly id: string
  readonly org_id: string
  readonly dossier_id: string | null
  readonly channel: string
  readonly status: MessageState
  readonly attempt_count: number
  readonly account_id: string | null
  readonly to_recipient: string
  readonly provider_message_id: string | null
  /** The number of the last attempt. */
  readonly attempt_no: number
  /** The provider's ids of attempts that are over. */
  readonly earlier_ids: readonly string[]
}

/**
 * Those that no other session has locked. A worker settles a batch in an order of its own: to wait for
 * it with other messages in hand would be a deadlock.
 */
export const lockMessages = (tx: Transaction, ids: readonly string[]) =>
  all<LockedMessage>(tx)(sql`
    select m.id, m.org_id, m.dossier_id, m.channel, m.status, m.to_recipient, m.attempt_count,
           m.account_id, m.attempt_no, m.provider_message_id,
           array(select a.provider_message_id
                   from messages.outbound_attempt as a
                  where a.outbound_message_id = m.id
                    and a.provider_message_id is not null
                    and a.provider_message_id is distinct from m.provider_message_id) as earlier_ids
      from messages.outbound_message as m
     where m.id = any(${ids}::uuid[])
       for update of m skip locked`)

/** When a message was sent, arrived and was read, as far as reports say so. */
export interface ReportedTimes {
  readonly id: string
  readonly sentAt: string | null
  readonly deliveredAt: string | null
  readonly readAt: string | null
}

/** The provider's times replace ours; of several attempts that arrived the first one counts. */
export async function recordTimes(tx: Transaction, times: readonly ReportedTimes[]): Promise<void> {
  await tx.query(sql`
    update messages.outbound_message as m
       set sent_at = coalesce(u."sentAt", m.sent_at),
           delivered_at = least(m.delivered_at, u."deliveredAt"),
           read_at = least(m.read_at, u."readAt")
      from jsonb_to_recordset(${JSON.stringify(times)}::jsonb)
             as u (id uuid, "sentAt" timestamptz, "deliveredAt" timestamptz, "readAt" timestamptz)
     where m.id = u.id`)
}

/** The first report of a message that is still on its way for us, and of which attempt it is. */
export interface SentReport {
  readonly id: string
  readonly providerMessageId: string
  readonly attemptNo: number
}

/**
 * A report proves that the provider has the message, even if its answer was lost: the claim ends
 * here, and the worker that still waits changes nothing when it comes back. What that worker is
 * sending meanwhile, where the report is of an earlier attempt, stays unknown.
 */
export async function markSent(tx: Transaction, sent: readonly SentReport[]): Promise<void> {
  await tx.query(sql`
    with reported as (
      select * from unnest(${sent.map(({ id }) => id)}::uuid[],
                           ${sent.map((each) => each.providerMessageId)}::text[],
                           ${sent.map(({ attemptNo }) => attemptNo)}::int[])
                 as u (id, provider_message_id, attempt_no)
    ),
    moved as (
      update messages.outbound_message as m
         set status = 'SENT', provider_message_id = r.provider_message_id,
             error_code = null, error_message = null,
             claim_token = null, claimed_until = null, lost_claims = 0
        from reported as r, messages.outbound_message as before
       where m.id = r.id and before.id = m.id and m.status in ('QUEUED', 'SENDING')
      returning m.id, m.org_id, m.attempt_count, m.provider_message_id, r.attempt_no,
                before.status as from_state
    ),
    closed as (
      update messages.outbound_attempt as a
         set status = case when a.attempt_no = moved.attempt_no then 'SUCCESS' else 'FAILED' end,
             error_code = case when a.attempt_no <> moved.attempt_no then 'OUTCOME_UNKNOWN' end,
             error_message = case when a.attempt_no <> moved.attempt_no
                                  then 'The message arrived by an earlier attempt.' end,
             provider_message_id = case when a.attempt_no = moved.attempt_no
                                        then moved.provider_message_id end,
             next_retry_at = null,
             updated_at = now()
        from moved
       where a.outbound_message_id = moved.id
         and (a.status = 'TRYING' or a.attempt_no = moved.attempt_no)
    )
    insert into posthorn.transition
           (outbox, message_id, from_state, to_state, attempt, actor, reason, tenant)
    select 'messages.outbound', id::text, from_state, 'SENT', attempt_count, 'WEBHOOK',
           'a status came before the answer', org_id
      from moved`)
}

export interface ParkedReport {
  readonly seq: string
  readonly report: Report
  readonly org_id: string | null
}

/** Reports whose message has appeared since, oldest first; each for one sweeper. */
export const lockParked = (tx: Transaction, { after, limit }: { after: string; limit: number }) =>
  all<ParkedReport>(tx)(sql`
    select seq::text as seq, report, org_id
      from messages.delivery_status as d
     where message_id is null
       and seq > ${after}::bigint
       and exists (select from messages.outbound_message as m
                    where m.channel = 'whatsapp'
                      and (d.org_id is null or d.org_id = m.org_id)
                      and (m.provider_message_id = d.provider_message_id
                           or m.id = (d.report ->> 'opaqueId')::uuid))
     order by d.seq
     limit ${limit}
       for update skip locked`)

/** Undefined if nothing is parked; else the last report that has been for so long, `0` if there is none. */
export async function findLastOlder(db: Queryable, seconds: number): Promise<string | undefined> {
  const { rows } = await db.query<{ seq: string }>(sql`
    select coalesce((
             select seq
               from messages.delivery_status
              where message_id is null and received_at < now() - ${seconds}::float8 * interval '1 s'
              -- From the end of the index of parked ones: it reads only those that are younger.
              order by delivery_status.seq desc
              limit 1), 0)::text as seq
     where exists (select from messages.delivery_status where message_id is null)`)
  return rows[0]?.seq
}

/** Gives up on reports that were parked for ten minutes. */
export async function dropParked(tx: Transaction) {
  const { rows } = await tx.query<{ report: Report }>(sql`
    delete from messages.delivery_status
     where message_id is null and received_at < now() - interval '10 minutes'
    returning report`)
  return rows.map(({ report }) => report)
}
