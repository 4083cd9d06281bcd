import type { Queryable } from '@posthorn/engine'
import { problem } from '../../problems.ts'
import { findProfile, type ProfileKey } from './queries.ts'
import type { Profile } from './rules.ts'

/** A profile of the organisation, or 404. */
export async function findOwn(db: Queryable, key: ProfileKey): Promise<Profile> {
  const profile = await findProfile(db, key)
  if (!profile) throw unknownProfile(key)
  return profile
}

export function unknownProfile({ id }: ProfileKey) {
  return problem('NOT_FOUND', { detail: `There is no profile ${id}.` })
}
