import { sql, type Queryable, type Transaction } from '@posthorn/engine'
import { all, first, some } from '@posthorn/system'
import type { FamilyState, Member } from './family.ts'
import type { InvitationState } from './invitation.ts'
import type { Allowance } from './mail-allowance.ts'

/** What is stored, with the version it is at. */
export type Stored<State> = State & { readonly version: number }

/** Now, by the business clock. */
export async function selectNow(db: Queryable): Promise<Date> {
  const { rows } = await db.query<{ now: Date }>(sql`select posthorn.now() as now`)
  return (rows[0] as { now: Date }).now
}

/** A family with its members, all as of one moment. */
export async function selectFamily(
  db: Queryable,
  id: string,
): Promise<Stored<FamilyState> | undefined> {
  const { rows } = await db.query<Omit<Stored<FamilyState>, 'members'> & Member>(sql`
    select f.id, f.org_id as "orgId", f.name, f.version, f.mailed_until as "mailedUntil",
           m.user_id as "userId", m.role, m.email, m.joined_at as "joinedAt"
      from families.families as f
      join families.family_members as m on m.family_id = f.id
     where f.id = ${id}
     order by m.joined_at, m.user_id`)
  const [family] = rows
  if (!family) return undefined
  const { orgId, name, version, mailedUntil } = family
  const members = rows.map(({ userId, role, email, joinedAt }) => {
    return { userId, role, email, joinedAt }
  })
  return { id, orgId, name, version, mailedUntil, members }
}

/** A family as a list shows it. */
export interface FamilySummary {
  readonly id: string
  readonly name: string
  readonly memberCount: number
  readonly createdAt: Date
}

export interface FamilyPageQuery {
  readonly orgId: string
  /** Only those that this user belongs to; undefined for all. */
  readonly memberId: string | undefined
  readonly before: string | undefined
  readonly limit: number
}

/** Families of a tenant, newest first. */
export const listFamilies = (db: Queryable, page: FamilyPageQuery) =>
  all<FamilySummary>(db)(sql`
    select f.id, f.name, f.created_at as "createdAt",
           (select count(*)::int from families.family_members as m where m.family_id = f.id)
             as "memberCount"
      from families.families as f
     where f.org_id = ${page.orgId}
       and (${page.memberId ?? null}::text is null
            or exists (select 1 from families.family_members as m
                        where m.family_id = f.id and m.user_id = ${page.memberId ?? null}))
       and (${page.before ?? null}::uuid is null or f.id < ${page.before ?? null}::uuid)
     order by f.id desc
     limit ${page.limit}`)

export function insertFamily(tx: Transaction, { id, orgId, name, version }: Stored<FamilyState>) {
  return tx.query(sql`
    insert into families.families (id, org_id, name, version)
    values (${id}, ${orgId}, ${name}, ${version + 1})
    returning id`)
}

export function updateFamily(tx: Transaction, { id, version }: Stored<FamilyState>) {
  return tx.query(sql`
    update families.families
       set version = ${version + 1}
     where id = ${id} and version = ${version}
    returning id`)
}

/** Makes the members of a family those that it has now. */
export async function storeMembers(tx: Transaction, { id, members }: FamilyState): Promise<void> {
  await tx.query(sql`
    delete from families.family_members
     where family_id = ${id} and user_id <> all (${members.map(({ userId }) => userId)}::text[])`)
  // The owner last: for the index, the one before must have another role by then.
  const isOwner = ({ role }: Member) => role === 'OWNER'
  for (const part of [members.filter((each) => !isOwner(each)), members.filter(isOwner)]) {
    if (part.length > 0) await upsertMembers(tx, id, part)
  }
}

async function upsertMembers(
  tx: Transaction,
  id: string,
  members: readonly Member[],
): Promise<void> {
  await tx.query(sql`
    insert into families.family_members (family_id, user_id, role, email, joined_at)
    select ${id}, m.user_id, m.role, m.email, m.joined_at
      from unnest(${members.map(({ userId }) => userId)}::text[],
                  ${members.map(({ role }) => role)}::text[],
                  ${members.map(({ email }) => email)}::text[],
                  ${members.map(({ joinedAt }) => joinedAt)}::timestamptz[])
        as m (user_id, role, email, joined_at)
    on conflict (family_id, user_id) do update
      set role = excluded.role
    where family_members.role <> excluded.role`)
}

/**
 * Counts a mail of a family, and keeps the family as it was loaded until the transaction ends; false
 * if it has changed, or has sent as many mails as it may.
 */
export const countMail = (
  tx: Transaction,
  { id, version }: { readonly id: string; readonly version: number },
  { atOnce, everyMs }: Allowance,
) =>
  some(tx)(sql`
    update families.families
       set mailed_until = greatest(mailed_until, posthorn.now())
                          + make_interval(secs => ${everyMs / 1_000})
     where id = ${id} and version = ${version}
       and (mailed_until is null or mailed_until
            <= posthorn.now() + make_interval(secs => ${((atOnce - 1) * everyMs) / 1_000}))
    returning id`)

/** Past its time an invitation is EXPIRED, even if its row says otherwise: no index and no job has to know. */
const INVITATION = sql`
    select i.id, f.org_id as "orgId", i.family_id as "familyId", i.email, i.role, i.version,
           i.token_hash as "tokenHash", i.expires_at as "expiresAt", i.invited_by as "invitedBy",
           i.accepted_by as "acceptedBy", i.declined_by as "declinedBy",
           i.mailed_until as "mailedUntil",
           case when i.status = 'PENDING' and i.expires_at <= posthorn.now() then 'EXPIRED'
                else i.status end as status
      from families.family_member_invitations as i
      join families.families as f on f.id = i.family_id`

export const selectInvitation = (db: Queryable, id: string) =>
  first<Stored<InvitationState>>(db)(sql`${INVITATION} where i.id = ${id}`)

/** The id of the invitation that a token belongs to, in any state. */
export async function findByToken(db: Queryable, hash: Buffer): Promise<string | undefined> {
  const { rows } = await db.query<{ id: string }>(sql`
    select id from families.family_member_invitations where token_hash = ${hash}`)
  return rows[0]?.id
}

/** The id of the invitation to a family that an address could still accept. */
export async function findOpen(
  db: Queryable,
  { familyId, email }: { readonly familyId: string; readonly email: string },
): Promise<string | undefined> {
  const { rows } = await db.query<{ id: string }>(sql`
    select id
      from families.family_member_invitations
     where family_id = ${familyId} and lower(email) = lower(${email})
       and status = 'PENDING' and expires_at > posthorn.now()`)
  return rows[0]?.id
}

/** Until when mails to an address are counted, by whichever invitation of the family. */
export async function findMailedUntil(
  db: Queryable,
  { familyId, email }: { readonly familyId: string; readonly email: string },
): Promise<Date | null> {
  const { rows } = await db.query<{ at: Date | null }>(sql`
    select max(mailed_until) as at
      from families.family_member_invitations
     where family_id = ${familyId} and lower(email) = lower(${email})`)
  return rows[0]?.at ?? null
}

/** The newest invitations to a family, at most 200. */
export const listInvitations = (db: Queryable, familyId: string) =>
  all<InvitationState>(db)(sql`
    ${INVITATION} where i.family_id = ${familyId} order by i.created_at desc, i.id desc limit 200`)

export function insertInvitation(tx: Transaction, state: Stored<InvitationState>) {
  return tx.query(sql`
    insert into families.family_member_invitations
      (id, family_id, email, role, token_hash, status, expires_at, invited_by, mailed_until, version)
    values (${state.id}, ${state.familyId}, ${state.email}, ${state.role}, ${state.tokenHash},
            ${state.status}, ${state.expiresAt}, ${state.invitedBy}, ${state.mailedUntil},
            ${state.version + 1})
    returning id`)
}

export function updateInvitation(tx: Transaction, state: Stored<InvitationState>) {
  return tx.query(sql`
    update families.family_member_invitations
       set status = ${state.status}, token_hash = ${state.tokenHash},
           expires_at = ${state.expiresAt}, invited_by = ${state.invitedBy},
           accepted_by = ${state.acceptedBy}, declined_by = ${state.declinedBy},
           mailed_until = ${state.mailedUntil}, version = ${state.version + 1}
     where id = ${state.id} and version = ${state.version}
    returning id`)
}

/** Writes EXPIRED where it is true, so that the address is free for the invitation given. */
export async function expireOthers(
  tx: Transaction,
  { id, familyId, email }: Pick<InvitationState, 'id' | 'familyId' | 'email'>,
): Promise<void> {
  await tx.query(sql`
    update families.family_member_invitations
       set status = 'EXPIRED', version = version + 1
     where family_id = ${familyId} and lower(email) = lower(${email}) and id <> ${id}
       and status = 'PENDING' and expires_at <= posthorn.now()`)
}
