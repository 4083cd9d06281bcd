import { sql, type Queryable, type Transaction } from '@posthorn/engine'

/** Whose dossier it is; undefined if there is none. */
export async function findOwner(db: Queryable, dossierId: string): Promise<string | undefined> {
  const { rows } = await db.query<{ org_id: string }>(sql`
    select org_id from messages.dossier where id = ${dossierId}`)
  return rows[0]?.org_id
}

/** Makes the dossier unless it is there; returns whose it is. */
export async function insertDossier(
  tx: Transaction,
  { id, orgId }: { id: string; orgId: string },
): Promise<string | undefined> {
  await tx.query(sql`
    insert into messages.dossier (id, org_id) values (${id}, ${orgId})
    on conflict (id) do nothing`)
  // A statement of its own: it sees the row of a faster transaction.
  return findOwner(tx, id)
}

/**
 * Whether consent is granted. Locked until the transaction ends, so that a withdrawal either comes
 * first and is seen, or comes afterwards and finds the message that was queued.
 */
export async function lockConsent(
  tx: Transaction,
  { dossierId, channel }: { dossierId: string; channel: string },
): Promise<boolean> {
  const { rows } = await tx.query<{ granted: boolean }>(sql`
    select granted
      from messages.consent
     where dossier_id = ${dossierId} and channel = ${channel}
       for share`)
  return rows[0]?.granted ?? false
}

export interface ConsentRow {
  readonly dossier_id: string
  readonly channel: string
  readonly granted: boolean
  readonly updated_at: Date
}

export async function upsertConsent(
  tx: Transaction,
  consent: { dossierId: string; channel: string; granted: boolean },
): Promise<ConsentRow | undefined> {
  const { rows } = await tx.query<ConsentRow>(sql`
    insert into messages.consent (dossier_id, channel, granted)
    values (${consent.dossierId}, ${consent.channel}, ${consent.granted})
    on conflict (dossier_id, channel)
    do update set granted = excluded.granted, updated_at = now()
    returning *`)
  return rows[0]
}

/** What a dossier has said about each channel it was asked about. */
export async function listConsents(db: Queryable, dossierId: string): Promise<ConsentRow[]> {
  const { rows } = await db.query<ConsentRow>(sql`
    select dossier_id, channel, granted, updated_at
      from messages.consent
     where dossier_id = ${dossierId}
     order by channel`)
  return rows
}

/** Messages that wait for their turn. */
export async function findWaiting(
  tx: Transaction,
  { dossierId, channel }: { dossierId: string; channel: string },
): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(sql`
    select id
      from messages.outbound_message
     where dossier_id = ${dossierId} and channel = ${channel} and status = 'QUEUED'`)
  return rows.map(({ id }) => id)
}

/** Of these dossiers' channels, those that may be written to. */
export async function findGranted(
  db: Queryable,
  wanted: readonly { dossierId: string; channel: string }[],
): Promise<{ dossier_id: string; channel: string }[]> {
  const { rows } = await db.query<{ dossier_id: string; channel: string }>(sql`
    select c.dossier_id, c.channel
      from messages.consent as c
      join unnest(${wanted.map(({ dossierId }) => dossierId)}::text[],
                  ${wanted.map(({ channel }) => channel)}::text[]) as w (dossier_id, channel)
        on w.dossier_id = c.dossier_id and w.channel = c.channel
     where c.granted`)
  return rows
}

/** A row of `messages.activity`. */
export interface ActivityRow {
  readonly id: string
  readonly seq: string
  readonly type: string
  readonly metadata: unknown
  readonly created_at: Date
}

export async function listActivities(
  db: Queryable,
  page: { orgId: string; dossierId: string; before: string | undefined; limit: number },
): Promise<ActivityRow[]> {
  const { rows } = await db.query<ActivityRow>(sql`
    select id, seq::text as seq, type, metadata, created_at
      from messages.activity
     where dossier_id = ${page.dossierId} and org_id = ${page.orgId}
       and (${page.before ?? null}::bigint is null or seq < ${page.before ?? null}::bigint)
     order by activity.seq desc
     limit ${page.limit}`)
  return rows
}

/** Addresses and numbers to which a dossier's messages went. */
export async function listRecipients(
  db: Queryable,
  { orgId, dossierId }: { orgId: string; dossierId: string },
): Promise<string[]> {
  const { rows } = await db.query<{ to_recipient: string }>(sql`
    select distinct to_recipient
      from messages.outbound_message
     where org_id = ${orgId} and dossier_id = ${dossierId} and to_recipient ~ '[0-9]{6}|@'`)
  return rows.map((row) => row.to_recipient)
}
