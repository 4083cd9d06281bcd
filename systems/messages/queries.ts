import { sql, type Failure, type Queryable, type Transaction } from '@posthorn/engine'
import { all, directionOf, first, storableJson } from '@posthorn/system'
import type { ClosedAttempt } from './attempts.ts'
import type { Activity, AuditEvent, AuditRow } from './audit.ts'
import type { AttemptRow, MessageState, OutboundMessage } from './message.ts'

/** Messages of an organisation that were created in a time. */
interface Period {
  readonly orgId: string
  readonly since: Date
  readonly until: Date
  /** As accounts are listed: an id, or the channel of one of the settings. */
  readonly account: string | null
}

/** Messages that are looked at at the most: the newest ones. */
const MOST = 100_000

/** By the ids, which have their time in them, so that old messages are not read. */
const inPeriod = ({ orgId, since, until, account }: Period) => sql`
      select created_at, status, error_code, sent_at, delivered_at, read_at
        from messages.outbound_message
       where org_id = ${orgId}
         and id >= messages.first_id_at(${since}) and id <= messages.first_id_at(${until})
         and (${account}::text is null or coalesce(account_id::text, channel) = ${account})
       order by id desc
       limit ${MOST}`

export interface PointRow {
  readonly at: Date
  readonly created: number
  readonly sent: number
  readonly delivered: number
  readonly read: number
  readonly failed: number
  readonly deliverySeconds: { readonly median: number | null; readonly p95: number | null }
}

/** What became of the messages that were created in each stretch of the period. */
export const selectPoints = (db: Queryable, period: Period, seconds: number) =>
  all<PointRow>(db)(sql`
    with looked as (${inPeriod(period)}),
    points as (
      select date_bin(${seconds} * interval '1 second', created_at, ${period.since}) as at,
             count(*)::int as created,
             count(sent_at)::int as sent,
             count(delivered_at)::int as delivered,
             count(read_at)::int as read,
             (count(*) filter (where status = 'FAILED'))::int as failed,
             percentile_cont(array[0.5, 0.95])
               within group (order by extract(epoch from delivered_at
                                                         - least(sent_at, delivered_at))::float8)
               as delivery
        from looked
       where created_at >= ${period.since} and created_at < ${period.until}
       group by 1
    )
    select s.at, coalesce(created, 0) as created, coalesce(sent, 0) as sent,
           coalesce(delivered, 0) as delivered, coalesce(read, 0) as read,
           coalesce(failed, 0) as failed,
           json_build_object('median', delivery[1], 'p95', delivery[2]) as "deliverySeconds"
      from generate_series(${period.since}::timestamptz, ${period.until}::timestamptz
                             - interval '1 microsecond', ${seconds} * interval '1 second') as s (at)
      left join points on points.at = s.at
     order by s.at`)

interface ErrorRow {
  readonly code: string
  readonly count: number
}

/** Why messages of the period failed, the most frequent first. */
export const selectErrors = (db: Queryable, period: Period) =>
  all<ErrorRow>(db)(sql`
    with looked as (${inPeriod(period)})
    select error_code as code, count(*)::int as count
      from looked
     where status = 'FAILED' and error_code is not null
       and created_at >= ${period.since} and created_at < ${period.until}
     group by error_code
     order by count(*) desc, error_code
     limit 12`)

/** Which message, and whose: another organisation's is not found. */
export interface MessageKey {
  readonly id: string
  readonly orgId: string
}

export const findMessage = (db: Queryable, { id, orgId }: MessageKey) =>
  first<OutboundMessage>(db)(sql`
    select * from messages.outbound_message where id = ${id} and org_id = ${orgId}`)

export const lockMessage = (tx: Transaction, { id, orgId }: MessageKey) =>
  first<OutboundMessage>(tx)(sql`
    select * from messages.outbound_message where id = ${id} and org_id = ${orgId} for update`)

export const findByIdempotencyKey = (
  db: Queryable,
  { orgId, key }: { orgId: string; key: string },
) =>
  first<OutboundMessage>(db)(sql`
    select * from messages.outbound_message
     where org_id = ${orgId} and idempotency_key = ${key}`)

export interface MessagePage {
  readonly orgId: string
  readonly status?: MessageState | undefined
  readonly dossierId?: string | undefined
  readonly channel?: string | undefined
  readonly to?: string | undefined
  readonly templateCode?: string | undefined
  readonly errorCode?: string | undefined
  /** Created then or later, and before. */
  readonly since?: string | undefined
  readonly until?: string | undefined
  /** Behind this one, in the order of `sort`. */
  readonly before: string | null
  readonly sort: string
  readonly limit: number
}

export function listMessages(db: Queryable, page: MessagePage) {
  const { orgId, limit } = page
  const [status, dossierId, channel] = [page.status, page.dossierId, page.channel].map(orNull)
  const [to, templateCode, errorCode] = [page.to, page.templateCode, page.errorCode].map(orNull)
  const [since, until] = [page.since, page.until].map(orNull)
  const { beyond, order } = directionOf(page.sort)
  return all<OutboundMessage>(db)(sql`
    select *
      from messages.outbound_message
     where org_id = ${orgId}
       and (${status}::text is null or status = ${status})
       and (${dossierId}::text is null or dossier_id = ${dossierId})
       and (${channel}::text is null or channel = ${channel})
       and (${to}::text is null or to_recipient = ${to})
       and (${templateCode}::text is null or template_code = ${templateCode})
       and (${errorCode}::text is null or error_code = ${errorCode})
       -- By the ids, which have their time in them: so the index ends where the time does.
       and (${since}::timestamptz is null or id >= messages.first_id_at(${since}))
       and (${until}::timestamptz is null or id < messages.first_id_at(${until}))
       and (${page.before}::uuid is null or id ${beyond} ${page.before}::uuid)
     order by id ${order}
     limit ${limit}`)
}

function orNull(value: string | undefined): string | null {
  return value ?? null
}

export const countByStatus = (db: Queryable, orgId: string) =>
  all<{ status: MessageState; count: number }>(db)(sql`
    select status, count(*)::int as count
      from messages.outbound_message
     where org_id = ${orgId}
     group by status`)

export const listAttempts = (
  db: Queryable,
  page: { messageId: string; before: number | undefined; limit: number },
) =>
  all<AttemptRow>(db)(sql`
    select id, attempt_no, status, error_code, error_message, provider_response, next_retry_at,
           created_at, updated_at
      from messages.outbound_attempt
     where outbound_message_id = ${page.messageId}
       and (${page.before ?? null}::int is null or attempt_no < ${page.before ?? null}::int)
     order by attempt_no desc
     limit ${page.limit}`)

export interface OpenedAttempt {
  readonly id: string
  readonly messageId: string
  readonly attemptNo: number
}

/**
 * Opens an attempt for each message; returns the messages that have an open one already. Numbers go on
 * where attempts were given back.
 */
export async function insertAttempts(
  tx: Transaction,
  attempts: readonly OpenedAttempt[],
): Promise<OpenedAttempt[]> {
  const { rows } = await tx.query<{ id: string }>(sql`
    insert into messages.outbound_attempt (id, outbound_message_id, attempt_no, status)
    select u.id, u.message_id, u.attempt_no, 'TRYING'
      from unnest(${attempts.map(({ id }) => id)}::uuid[],
                  ${attempts.map(({ messageId }) => messageId)}::uuid[],
                  ${attempts.map(({ attemptNo }) => attemptNo)}::int[])
             as u (id, message_id, attempt_no)
    on conflict (outbound_message_id) where status = 'TRYING' do nothing
    returning id`)
  if (rows.length === attempts.length) return []
  const opened = new Set(rows.map(({ id }) => id))
  return attempts.filter(({ id }) => !opened.has(id))
}

/** Ends attempts that were never closed. */
export async function abandonAttempts(
  tx: Transaction,
  { ids, failure }: { ids: readonly string[]; failure: Failure },
): Promise<void> {
  await tx.query(sql`
    update messages.outbound_attempt
       set status = 'FAILED',
           error_code = coalesce(error_code, ${failure.code}),
           error_message = coalesce(error_message, ${failure.message}),
           updated_at = now()
     where outbound_message_id = any(${ids}::uuid[]) and status = 'TRYING'`)
}

/** Ends the open attempts; the next one's time is the message's own. */
export async function closeAttempts(
  tx: Transaction,
  attempts: readonly ClosedAttempt[],
): Promise<void> {
  if (attempts.length === 0) return
  await tx.query(sql`
    update messages.outbound_attempt as a
       set status = u.status,
           error_code = u.code,
           error_message = u.error,
           provider_message_id = u."providerMessageId",
           provider_response = coalesce(u.response, a.provider_response),
           next_retry_at = case when m.status = 'QUEUED' then m.next_retry_at end,
           updated_at = now()
      from jsonb_to_recordset(${storableJson(attempts)}::jsonb)
             as u ("messageId" uuid, status text, code text, error text, "providerMessageId" text,
                   response jsonb)
      join messages.outbound_message as m on m.id = u."messageId"
     where a.outbound_message_id = u."messageId" and a.status = 'TRYING'`)
}

/** Takes back attempts that were claimed and never made: the next ones have their numbers. */
export async function forgetAttempts(
  tx: Transaction,
  messageIds: readonly string[],
): Promise<void> {
  if (messageIds.length === 0) return
  await tx.query(sql`
    with forgotten as (
      delete from messages.outbound_attempt
       where outbound_message_id = any(${messageIds}::uuid[]) and status = 'TRYING'
      returning outbound_message_id as id
    )
    update messages.outbound_message as m
       set attempt_no = m.attempt_no - 1
      from forgotten
     where m.id = forgotten.id`)
}

/** The attempt stays open: a status webhook may yet say that it was a success. */
export async function markOutcomeUnknown(
  tx: Transaction,
  attempts: readonly ClosedAttempt[],
): Promise<void> {
  if (attempts.length === 0) return
  await tx.query(sql`
    with marked as (
      update messages.outbound_message
         set outcome_unknown = true, updated_at = now()
       where id = any(${attempts.map(({ messageId }) => messageId)}::uuid[])
         and status = 'SENDING'
    )
    update messages.outbound_attempt as a
       set error_code = u.code,
           error_message = u.error,
           provider_response = u.response,
           updated_at = now()
      from jsonb_to_recordset(${storableJson(attempts)}::jsonb)
             as u ("messageId" uuid, code text, error text, response jsonb)
     where a.outbound_message_id = u."messageId" and a.status = 'TRYING'`)
}

/** Marks messages that ended with an unknown outcome. */
export async function nameOutcomeUnknown(
  tx: Transaction,
  { ids, failure }: { ids: readonly string[]; failure: Failure },
): Promise<void> {
  if (ids.length === 0) return
  await tx.query(sql`
    update messages.outbound_message
       set error_code = ${failure.code}, error_message = ${failure.message}
     where id = any(${ids}::uuid[]) and error_code in ('CLAIM_EXPIRED', 'DELIVERY_UNKNOWN')`)
}

export async function insertAuditEvents(
  tx: Transaction,
  events: readonly (AuditEvent & { readonly id: string })[],
): Promise<void> {
  await tx.query(sql`
    insert into messages.audit_event (id, org_id, entity_type, entity_id, action, details, actor)
    select id, "orgId", entity, "entityId", action, details, actor
      from rows from (jsonb_to_recordset(${storableJson(events)}::jsonb)
             as (id uuid, "orgId" text, entity text, "entityId" text, action text, details text,
                 actor text))
           with ordinality as u (id, "orgId", entity, "entityId", action, details, actor, place)
     order by place`)
}

export async function insertActivities(
  tx: Transaction,
  activities: readonly (Activity & { readonly id: string })[],
): Promise<void> {
  await tx.query(sql`
    insert into messages.activity (id, org_id, dossier_id, type, metadata)
    select id, "orgId", "dossierId", type, metadata
      from rows from (jsonb_to_recordset(${storableJson(activities)}::jsonb)
             as (id uuid, "orgId" text, "dossierId" text, type text, metadata jsonb))
           with ordinality as u (id, "orgId", "dossierId", type, metadata, place)
     order by place`)
}

export const listAuditEvents = (
  db: Queryable,
  page: Pick<AuditEvent, 'orgId' | 'entity' | 'entityId'> & {
    before: string | undefined
    limit: number
  },
) =>
  all<AuditRow>(db)(sql`
    select id, seq::text as seq, entity_type, entity_id, action, details, actor, created_at
      from messages.audit_event
     where org_id = ${page.orgId} and entity_type = ${page.entity} and entity_id = ${page.entityId}
       and (${page.before ?? null}::bigint is null or seq < ${page.before ?? null}::bigint)
     order by audit_event.seq desc
     limit ${page.limit}`)
