import { sql, uuid, type Queryable, type Transaction } from '@posthorn/engine'
import { all, some, storableJson } from '@posthorn/system'
import type { AuditEvent } from '../audit.ts'
import type { ConsentKey } from '../dossiers/queries.ts'
import { digestOf, formsOf } from '../phone-number.ts'
import type { ConsentEventRow, ConsentWord } from './consent-event.ts'

/** Whose consent it is: a dossier's, a recipient's, or both. */
export interface ConsentSubject {
  readonly orgId: string
  readonly channel: string
  readonly dossierId: string | null
  readonly recipient: string | null
}

export async function insertConsentEvent(
  tx: Transaction,
  { orgId, channel, dossierId, recipient, ...word }: ConsentSubject & ConsentWord,
) {
  const { granted, source, proof = null, by, saidAt = null } = word
  await tx.query(sql`
    insert into messages.consent_event
           (id, org_id, channel, dossier_id, recipient, granted, source, proof, actor, said_at)
    values (${uuid()}, ${orgId}, ${channel}, ${dossierId}, ${recipient}, ${granted}, ${source},
            ${proof}, ${by}, coalesce(${saidAt}::timestamptz, now()))`)
}

/** What was said about a dossier, or about a recipient in any form of its number. */
export function listConsentEvents(
  db: Queryable,
  page: {
    readonly orgId: string
    readonly of: { readonly dossierId: string } | { readonly recipient: string }
    readonly before: string | undefined
    readonly limit: number
  },
) {
  const { orgId, of, before = null, limit } = page
  const subject =
    'dossierId' in of
      ? sql`dossier_id = ${of.dossierId}`
      : sql`recipient = any(${formsOf(of.recipient)}::text[])`
  return all<ConsentEventRow>(db)(sql`
    select id, seq::text as seq, channel, dossier_id, recipient, granted, source, proof,
           actor, said_at
      from messages.consent_event as e
     where org_id = ${orgId} and ${subject}
       and (${before}::bigint is null or e.seq < ${before}::bigint)
     order by e.seq desc
     limit ${limit}`)
}

/** A recipient on a channel, in any form of its number. */
export interface RecipientKey {
  readonly orgId: string
  readonly channel: string
  readonly recipient: string
}

/** Notes whether a recipient may be written to; false if a later word stands. */
export function upsertRecipientConsent(tx: Transaction, key: RecipientKey, word: ConsentWord) {
  const { granted, source } = word
  const saidAt = word.saidAt ?? null
  return some(tx)(sql`
    insert into messages.recipient_consent as r
           (org_id, channel, recipient_digest, granted, source, said_at)
    values (${key.orgId}, ${key.channel}, ${digestOf(key)}, ${granted}, ${source},
            coalesce(${saidAt}::timestamptz, now()))
    on conflict (org_id, channel, recipient_digest)
    do update set granted = excluded.granted, source = excluded.source,
                  said_at = greatest(excluded.said_at, r.said_at)
        -- Who speaks through the API speaks now, and last.
        where ${saidAt}::timestamptz is null or r.said_at <= excluded.said_at
    returning 1`)
}

/** Meta's id of a person, and the number behind it; said where the audit of `entity` is. */
export interface KnownPerson extends Pick<AuditEvent, 'entity' | 'entityId'> {
  readonly orgId: string
  readonly userId: string
  readonly recipient: string
}

/** Notes which number is behind an id. Returns those of which that was not known. */
export const upsertPeople = (tx: Transaction, people: readonly KnownPerson[]) =>
  all<KnownPerson>(tx)(sql`
    with told as (
      select distinct on ("userId", "orgId") *
        from jsonb_to_recordset(${storableJson(people)}::jsonb)
               as t ("orgId" text, "userId" text, recipient text, entity text, "entityId" text)
    ),
    kept as (
      insert into messages.person as p (user_id, org_id, recipient)
      -- In one order, so that two webhooks with the same people cannot deadlock.
      select "userId", "orgId", recipient from told order by 1, 2
          on conflict (user_id, org_id)
          do update set recipient = excluded.recipient, seen_at = now()
              where p.recipient <> excluded.recipient or p.seen_at < now() - interval '1 day'
    )
    select told.*
      from told
     where not exists (select from messages.person as p
                        where p.user_id = told."userId" and p.org_id = told."orgId"
                          and p.recipient = told.recipient)`)

/** Since when, and how, a recipient may not be written to. */
export interface Withdrawal {
  readonly saidAt: Date
  readonly source: ConsentWord['source']
}

/**
 * Locked until the transaction ends, so that a withdrawal either comes first and is seen, or comes
 * afterwards and finds the message that was queued.
 */
export async function lockWithdrawal(
  tx: Transaction,
  key: RecipientKey,
): Promise<Withdrawal | undefined> {
  const { rows } = await tx.query<Withdrawal & { granted: boolean }>(sql`
    select said_at as "saidAt", source, granted
      from messages.recipient_consent
     where org_id = ${key.orgId} and channel = ${key.channel}
       and recipient_digest = ${digestOf(key)}
       for share`)
  return rows.find(({ granted }) => !granted)
}

/** Those of these recipients that may not be written to, in the order in which they were asked for. */
export async function findWithdrawals(
  db: Queryable,
  keys: readonly RecipientKey[],
): Promise<(Withdrawal | undefined)[]> {
  if (keys.length === 0) return []
  const { rows } = await db.query<Withdrawal & { place: number }>(sql`
    select u.place::int, r.said_at as "saidAt", r.source
      from unnest(${keys.map(({ orgId }) => orgId)}::text[],
                  ${keys.map(({ channel }) => channel)}::text[],
                  ${keys.map((key) => digestOf(key))}::bytea[])
             with ordinality as u (org_id, channel, recipient_digest, place)
      join messages.recipient_consent as r using (org_id, channel, recipient_digest)
     where not r.granted`)
  const byPlace = new Map(rows.map((row) => [row.place, row]))
  return keys.map((_, i) => byPlace.get(i + 1))
}

/** Dossiers of an organisation under which a recipient was written to, and what they last said. */
export function findDossiersOf(tx: Transaction, { orgId, channel, recipient }: RecipientKey) {
  const forms = formsOf(recipient)
  return all<{
    dossierId: string
    granted: boolean
    source: string | null
  }>(tx)(sql`
    select c.dossier_id as "dossierId", c.granted,
           (select e.source
              from messages.consent_event as e
             where e.org_id = c.org_id and e.dossier_id = c.dossier_id and e.channel = c.channel
             order by e.said_at desc, e.seq desc
             limit 1) as source
      from messages.consent as c
     where c.org_id = ${orgId} and c.channel = ${channel}
       and c.dossier_id in (
           select m.dossier_id
             from messages.outbound_message as m
            where m.to_recipient = any(${forms}::text[]) and m.org_id = ${orgId}
              and m.channel = ${channel} and m.dossier_id is not null
            union
           select e.dossier_id
             from messages.consent_event as e
            where e.org_id = ${orgId} and e.recipient = any(${forms}::text[])
              and e.channel = ${channel} and e.dossier_id is not null)
     order by 1`)
}

/** A message that waits for its turn. */
export interface WaitingMessage {
  readonly id: string
  readonly org_id: string
}

/** What waits for a recipient, under whichever dossier, or for a dossier. */
export function findWaiting(tx: Transaction, key: ConsentKey | RecipientKey) {
  const whose =
    'recipient' in key
      ? sql`to_recipient = any(${formsOf(key.recipient)}::text[])`
      : sql`dossier_id = ${key.dossierId}`
  return all<WaitingMessage>(tx)(sql`
    select id, org_id
      from messages.outbound_message
     where ${whose} and org_id = ${key.orgId} and channel = ${key.channel} and status = 'QUEUED'`)
}
