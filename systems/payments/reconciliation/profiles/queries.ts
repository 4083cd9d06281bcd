import { sql, type Queryable, type Transaction } from '@posthorn/engine'
import type { Rules } from './rules.ts'

/** A profile with its current rules. */
export interface Profile {
  readonly id: string
  readonly name: string
  readonly version: number
  readonly rules: Rules
  readonly created_at: Date
  readonly updated_at: Date
}

/** Which profile, and whose: another organisation's is not found. */
export interface ProfileKey {
  readonly id: string
  readonly orgId: string
}

/** More than any organisation has banks. */
const MOST_PROFILES = 200

/** Undefined, and nothing, if there are too many. A name that is taken is a unique violation. */
export async function insertProfile(
  tx: Transaction,
  { id, orgId, name }: ProfileKey & { readonly name: string },
): Promise<boolean> {
  const { rows } = await tx.query(sql`
    insert into payments.reconciliation_profiles (id, org_id, name)
    select ${id}::uuid, ${orgId}::text, ${name}::text
     where (select count(*)
              from payments.reconciliation_profiles
             where org_id = ${orgId} and deleted_at is null) < ${MOST_PROFILES}
    returning id`)
  return rows.length > 0
}

export interface NewVersion {
  readonly profileId: string
  readonly version: number
  readonly rules: Rules
  readonly by: string
}

export async function insertVersion(
  tx: Transaction,
  { profileId, version, rules, by }: NewVersion,
): Promise<void> {
  await tx.query(sql`
    insert into payments.reconciliation_profile_versions (profile_id, version, rules, created_by)
    values (${profileId}, ${version}, ${JSON.stringify(rules)}::jsonb, ${by})`)
}

/** Locked until the end: versions come one after the other. */
export async function lockProfile(
  tx: Transaction,
  { id, orgId }: ProfileKey,
): Promise<{ version: number } | undefined> {
  const { rows } = await tx.query<{ version: number }>(sql`
    select version
      from payments.reconciliation_profiles
     where id = ${id} and org_id = ${orgId} and deleted_at is null
       for update`)
  return rows[0]
}

export async function updateProfile(
  tx: Transaction,
  { id, version, name }: { id: string; version: number; name: string | undefined },
): Promise<void> {
  await tx.query(sql`
    update payments.reconciliation_profiles
       set version = ${version}, name = coalesce(${name ?? null}, name),
           updated_at = posthorn.now()
     where id = ${id}`)
}

export async function markDeleted(tx: Transaction, { id, orgId }: ProfileKey): Promise<boolean> {
  const { rows } = await tx.query(sql`
    update payments.reconciliation_profiles
       set deleted_at = posthorn.now()
     where id = ${id} and org_id = ${orgId} and deleted_at is null
    returning id`)
  return rows.length > 0
}

export async function findProfile(
  db: Queryable,
  { id, orgId }: ProfileKey,
): Promise<Profile | undefined> {
  const { rows } = await db.query<Profile>(sql`
    select p.id, p.name, p.version, v.rules, p.created_at, p.updated_at
      from payments.reconciliation_profiles as p
      join payments.reconciliation_profile_versions as v
        on v.profile_id = p.id and v.version = p.version
     where p.id = ${id} and p.org_id = ${orgId} and p.deleted_at is null`)
  return rows[0]
}

export interface ProfilePage {
  readonly orgId: string
  /** Older than this one. */
  readonly before: string | undefined
  readonly limit: number
}

export async function selectProfiles(
  db: Queryable,
  { orgId, before, limit }: ProfilePage,
): Promise<Profile[]> {
  const { rows } = await db.query<Profile>(sql`
    select p.id, p.name, p.version, v.rules, p.created_at, p.updated_at
      from payments.reconciliation_profiles as p
      join payments.reconciliation_profile_versions as v
        on v.profile_id = p.id and v.version = p.version
     where p.org_id = ${orgId}
       and p.deleted_at is null
       and (${before ?? null}::uuid is null or p.id < ${before ?? null}::uuid)
     order by p.id desc
     limit ${limit}`)
  return rows
}

export interface ProfileVersion {
  readonly version: number
  readonly rules: Rules
  readonly created_by: string
  readonly created_at: Date
}

/** Also of a deleted one: runs were read by them. */
export async function selectVersions(
  db: Queryable,
  { id, orgId }: ProfileKey,
): Promise<ProfileVersion[]> {
  const { rows } = await db.query<ProfileVersion>(sql`
    select v.version, v.rules, v.created_by, v.created_at
      from payments.reconciliation_profiles as p
      join payments.reconciliation_profile_versions as v on v.profile_id = p.id
     where p.id = ${id} and p.org_id = ${orgId}
     order by v.version desc
     limit 200`)
  return rows
}

export async function auditProfile(
  tx: Transaction,
  entry: ProfileKey & { readonly action: string; readonly by: string; readonly version: number },
): Promise<void> {
  await tx.query(sql`
    select payments.create_audit_log(
             ${entry.orgId}, ${entry.by}, ${entry.action}, 'reconciliation_profile',
             ${entry.id}::text, jsonb_build_object('version', ${entry.version}::int))`)
}
