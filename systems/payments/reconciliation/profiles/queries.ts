import { sql, type Queryable, type Transaction } from '@posthorn/engine'
import { all, first, some, type RowOf } from '@posthorn/system'
import type { Profile, Rules, VersionResource } from './rules.ts'

/** Which profile, and whose: another organisation's is not found. */
export interface ProfileKey {
  readonly id: string
  readonly orgId: string
}

/** More than any organisation has banks. */
const MOST_PROFILES = 200

/** Undefined, and nothing, if there are too many. A name that is taken is a unique violation. */
export const insertProfile = (
  tx: Transaction,
  { id, orgId, name }: ProfileKey & { readonly name: string },
) =>
  some(tx)(sql`
    insert into payments.reconciliation_profiles (id, org_id, name)
    select ${id}::uuid, ${orgId}::text, ${name}::text
     where (select count(*)
              from payments.reconciliation_profiles
             where org_id = ${orgId} and deleted_at is null) < ${MOST_PROFILES}
    returning id`)

export interface NewVersion {
  readonly profileId: string
  readonly version: number
  readonly rules: Rules
  readonly by: string
}

export const insertVersion = (tx: Transaction, { profileId, version, rules, by }: NewVersion) =>
  tx.query(sql`
    insert into payments.reconciliation_profile_versions (profile_id, version, rules, created_by)
    values (${profileId}, ${version}, ${JSON.stringify(rules)}::jsonb, ${by})`)

/** Locked until the end: versions come one after the other. */
export const lockProfile = (tx: Transaction, { id, orgId }: ProfileKey) =>
  first<{ version: number }>(tx)(sql`
    select version
      from payments.reconciliation_profiles
     where id = ${id} and org_id = ${orgId} and deleted_at is null
       for update`)

export const updateProfile = (
  tx: Transaction,
  { id, version, name }: { id: string; version: number; name: string | undefined },
) =>
  tx.query(sql`
    update payments.reconciliation_profiles
       set version = ${version}, name = coalesce(${name}, name),
           updated_at = posthorn.now()
     where id = ${id}`)

export const markDeleted = (tx: Transaction, { id, orgId }: ProfileKey) =>
  some(tx)(sql`
    update payments.reconciliation_profiles
       set deleted_at = posthorn.now()
     where id = ${id} and org_id = ${orgId} and deleted_at is null
    returning id`)

export const findProfile = (db: Queryable, { id, orgId }: ProfileKey) =>
  first<Profile>(db)(sql`
    select p.id, p.name, p.version, v.rules, p.created_at, p.updated_at
      from payments.reconciliation_profiles as p
      join payments.reconciliation_profile_versions as v
        on v.profile_id = p.id and v.version = p.version
     where p.id = ${id} and p.org_id = ${orgId} and p.deleted_at is null`)

export interface ProfilePage {
  readonly orgId: string
  /** Older than this one. */
  readonly before: string | undefined
  readonly limit: number
}

export const selectProfiles = (db: Queryable, { orgId, before, limit }: ProfilePage) =>
  all<Profile>(db)(sql`
    select p.id, p.name, p.version, v.rules, p.created_at, p.updated_at
      from payments.reconciliation_profiles as p
      join payments.reconciliation_profile_versions as v
        on v.profile_id = p.id and v.version = p.version
     where p.org_id = ${orgId}
       and p.deleted_at is null
       and (${before}::uuid is null or p.id < ${before}::uuid)
     order by p.id desc
     limit ${limit}`)

/** Also of a deleted one: runs were read by them. */
export const selectVersions = (db: Queryable, { id, orgId }: ProfileKey) =>
  all<RowOf<typeof VersionResource>>(db)(sql`
    select v.version, v.rules, v.created_by, v.created_at
      from payments.reconciliation_profiles as p
      join payments.reconciliation_profile_versions as v on v.profile_id = p.id
     where p.id = ${id} and p.org_id = ${orgId}
     order by v.version desc
     limit 200`)
