import { sql, type Queryable, type Transaction } from '@posthorn/engine'
import { all, nullable, NullableText, some, type RowOf } from '@posthorn/system'
import { Type } from 'typebox'
import { Time } from '../message.ts'

/** Which dossier of which organisation: the ids of another organisation's are its own. */
export interface DossierKey {
  readonly orgId: string
  readonly dossierId: string
}

export const isDossier = (db: Queryable, { orgId, dossierId }: DossierKey) =>
  some(db)(sql`
    select from messages.dossier where org_id = ${orgId} and id = ${dossierId}`)

/** Makes the dossier unless it is there. */
export async function insertDossier(
  tx: Transaction,
  { orgId, dossierId }: DossierKey,
): Promise<void> {
  await tx.query(sql`
    insert into messages.dossier (org_id, id) values (${orgId}, ${dossierId})
    on conflict (org_id, id) do nothing`)
}

/** Which channel of whose dossier. */
export interface ConsentKey extends DossierKey {
  readonly channel: string
}

/**
 * Whether consent is granted. Locked until the transaction ends, so that a withdrawal either comes
 * first and is seen, or comes afterwards and finds the message that was queued.
 */
export async function lockConsent(
  tx: Transaction,
  { orgId, dossierId, channel }: ConsentKey,
): Promise<boolean> {
  const { rows } = await tx.query<{ granted: boolean }>(sql`
    select granted
      from messages.consent
     where org_id = ${orgId} and dossier_id = ${dossierId} and channel = ${channel}
       for share`)
  return rows[0]?.granted ?? false
}

/** A consent as the API shows it, with the word that was said last. */
export const Consent = Type.Object({
  dossierId: Type.String(),
  channel: Type.String(),
  granted: Type.Boolean(),
  updatedAt: Time,
  source: nullable(Type.String(), { description: 'How the latest decision was given' }),
  proof: NullableText,
  recipient: NullableText,
})

/** What stands from now on. */
export async function upsertConsent(
  tx: Transaction,
  consent: ConsentKey & { granted: boolean; saidAt: Date | undefined },
): Promise<boolean> {
  const { saidAt = null } = consent
  const { rows } = await tx.query<{ granted: boolean }>(sql`
    insert into messages.consent as c (org_id, dossier_id, channel, granted, said_at)
    values (${consent.orgId}, ${consent.dossierId}, ${consent.channel}, ${consent.granted},
            coalesce(${saidAt}::timestamptz, now()))
    on conflict (org_id, dossier_id, channel)
    do update set
       -- Who speaks through the API speaks now, and last.
       granted = case when ${saidAt}::timestamptz is null or c.said_at <= excluded.said_at
                      then excluded.granted else c.granted end,
       said_at = greatest(c.said_at, excluded.said_at),
       updated_at = now()
    returning granted`)
  return rows[0]?.granted === true
}

/** What a dossier has said about each channel it was asked about, or about one. */
export const listConsents = (
  db: Queryable,
  { orgId, dossierId, channel }: DossierKey & { readonly channel?: string },
) =>
  all<RowOf<typeof Consent>>(db)(sql`
    select c.dossier_id, c.channel, c.granted, c.updated_at, e.source, e.proof, e.recipient
      from messages.consent as c
      -- Consents that are older than the history have none.
      left join lateral (
           select source, proof, recipient
             from messages.consent_event
            where org_id = c.org_id and dossier_id = c.dossier_id and channel = c.channel
            order by said_at desc, seq desc
            limit 1) as e on true
     where c.org_id = ${orgId} and c.dossier_id = ${dossierId}
       and (${channel ?? null}::text is null or c.channel = ${channel ?? null})
     order by c.channel`)

/** Of these dossiers' channels, those that may be written to. */
export const findGranted = (db: Queryable, wanted: readonly ConsentKey[]) =>
  all<ConsentKey>(db)(sql`
    select c.org_id as "orgId", c.dossier_id as "dossierId", c.channel
      from messages.consent as c
      join unnest(${wanted.map(({ orgId }) => orgId)}::text[],
                  ${wanted.map(({ dossierId }) => dossierId)}::text[],
                  ${wanted.map(({ channel }) => channel)}::text[])
             as w (org_id, dossier_id, channel)
        on w.org_id = c.org_id and w.dossier_id = c.dossier_id and w.channel = c.channel
     where c.granted`)

/** A line of a dossier's timeline as the API shows it. */
export const Activity = Type.Object({
  id: Type.String(),
  dossierId: Type.String(),
  type: Type.String(),
  metadata: Type.Unknown(),
  createdAt: Time,
})

export const listActivities = (
  db: Queryable,
  page: DossierKey & { before: string | undefined; limit: number },
) =>
  all<RowOf<typeof Activity> & { readonly seq: string }>(db)(sql`
    select id, seq::text as seq, dossier_id, type, metadata, created_at
      from messages.activity
     where org_id = ${page.orgId} and dossier_id = ${page.dossierId}
       and (${page.before ?? null}::bigint is null or seq < ${page.before ?? null}::bigint)
     order by activity.seq desc
     limit ${page.limit}`)

/** Addresses and numbers to which a dossier's messages went, and Meta's ids of a person. */
export async function listNames(
  db: Queryable,
  { orgId, kind, value }: { orgId: string; kind: string; value: string },
): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(sql`
    with recipients as (
      select to_recipient as name
        from messages.outbound_message
       where org_id = ${orgId} and dossier_id = ${value} and ${kind}::text = 'dossierId'
         and to_recipient ~ '[0-9]{6}|@'
    )
    select name from recipients
    union
    select user_id
      from messages.person
     where org_id = ${orgId}
       and recipient in (select name from recipients union select ${value} where ${kind} = 'phone')`)
  return rows.map(({ name }) => name)
}
