import type { AggregateRoot, Mapper } from '@posthorn/domain'
import { Family } from './family.ts'
import { FamilyMemberInvitation } from './invitation.ts'
import {
  insertFamily,
  insertInvitation,
  selectFamily,
  selectInvitation,
  storeMembers,
  updateFamily,
  updateInvitation,
  type Stored,
} from './queries.ts'

const familyMapper: Mapper<Family> = {
  type: Family,
  async load(db, id) {
    const stored = await selectFamily(db, id)
    return stored && atVersion(new Family(stored), stored)
  },
  async insert(tx, family) {
    const written = await insertFamily(tx, toStored(family))
    await storeMembers(tx, family.state)
    return written
  },
  async update(tx, family) {
    const written = await updateFamily(tx, toStored(family))
    if (written.rows.length > 0) await storeMembers(tx, family.state)
    return written
  },
}

const invitationMapper: Mapper<FamilyMemberInvitation> = {
  type: FamilyMemberInvitation,
  async load(db, id) {
    const stored = await selectInvitation(db, id)
    return stored && atVersion(new FamilyMemberInvitation(stored), stored)
  },
  insert: (tx, invitation) => insertInvitation(tx, toStored(invitation)),
  update: (tx, invitation) => updateInvitation(tx, toStored(invitation)),
}

/** The family first: joining locks it before the invitation, as inviting does. */
export const mappers: readonly Mapper[] = [familyMapper, invitationMapper]

function atVersion<Aggregate extends AggregateRoot>(
  aggregate: Aggregate,
  { version }: { readonly version: number },
): Aggregate {
  return Object.assign(aggregate, { version })
}

function toStored<State extends object>(aggregate: {
  readonly state: State
  readonly version: number
}): Stored<State> {
  return { ...aggregate.state, version: aggregate.version }
}
