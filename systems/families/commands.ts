import { setTimeout as sleep } from 'node:timers/promises'
import {
  CommitUnknownError,
  ConflictError,
  UnitOfWork,
  type EventOutbox,
  type AggregateRoot,
  type Mapper,
} from '@posthorn/domain'
import { SQLSTATE, sqlState } from '@posthorn/engine'
import type { Pool } from 'pg'
import { toEmailAddress, FamilyMemberInvitation, hashOf, newToken } from './invitation.ts'
import type { FamilyRole } from './events.ts'
import { Family, type AddressHistory } from './family.ts'
import { BY_FAMILY } from './mail-allowance.ts'
import {
  countMail,
  expireOthers,
  findByToken,
  findMailedUntil,
  findOpen,
  selectNow,
  insertFamily,
  insertInvitation,
  selectFamily,
  selectInvitation,
  storeMembers,
  updateFamily,
  updateInvitation,
  type Stored,
} from './queries.ts'
import { refuse, type Result } from './refusal.ts'

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
const mappers: readonly Mapper[] = [familyMapper, invitationMapper]

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

/** Who acts, as the token of the request says. */
export interface Actor {
  readonly sub: string
  readonly org: string
}

export interface Accepted {
  readonly family: Family
  readonly invitation: FamilyMemberInvitation
}

export type FamilyCommands = ReturnType<typeof createCommands>

interface Invitee {
  readonly familyId: string
  readonly email: string
  readonly role: FamilyRole
}

/** A member of a family, as requests name one. */
interface MemberRef {
  readonly familyId: string
  readonly userId: string
}

interface Decision<Value> {
  readonly result: Result<Value>
  /** A mail is sent about it: it is counted, with the family held as it was loaded. */
  readonly mailed?: { readonly family: Family; readonly invitation: FamilyMemberInvitation }
}

/** Against others who change the same family at the same moment; each try decides anew. */
const MOST_TRIES = 12

const NO_HISTORY: AddressHistory = { open: undefined, mailedUntil: null }

/** To find out about a commit whose answer was lost. */
const MOST_COMMITS = 3

/** What can be done to families: each loads, asks the rules, and commits in a unit of its own. */
export function createCommands(pool: Pool, events: EventOutbox) {
  async function decideUntilCommitted<Value>(
    decide: (unit: UnitOfWork, now: Date) => Promise<Decision<Value>>,
  ): Promise<Result<Value>> {
    for (let tries = 1; ; tries += 1) {
      const began = performance.now()
      const unit = new UnitOfWork({ pool, mappers, events })
      const { result, mailed } = await decide(unit, await selectNow(pool))
      if (result.refusal) return result
      try {
        await commit(unit, mailed)
        return result
      } catch (error) {
        if (!isConflict(error) || tries >= MOST_TRIES) throw error
        // Apart from each other by what a try takes here and now, or they would meet again.
        await sleep(Math.random() * tries * Math.max(10, performance.now() - began))
      }
    }
  }

  /** The invitation and its family, if both are of the actor's tenant. */
  async function load(unit: UnitOfWork, { org }: Actor, invitationId: string | undefined) {
    const id = toUuid(invitationId)
    const invitation = id === undefined ? undefined : await unit.load(FamilyMemberInvitation, id)
    if (invitation?.state.orgId !== org) return undefined
    const family = await unit.load(Family, invitation.state.familyId)
    return family && { family, invitation }
  }

  async function historyOf(
    unit: UnitOfWork,
    address: { readonly familyId: string; readonly email: string },
  ): Promise<AddressHistory> {
    const id = await findOpen(pool, address)
    return {
      open: id === undefined ? undefined : await unit.load(FamilyMemberInvitation, id),
      mailedUntil: await findMailedUntil(pool, address),
    }
  }

  async function findFamily(
    unit: UnitOfWork,
    { org }: Actor,
    familyId: string,
  ): Promise<Family | undefined> {
    const id = toUuid(familyId)
    const family = id === undefined ? undefined : await unit.load(Family, id)
    return family?.state.orgId === org ? family : undefined
  }

  /** Has a family decide about its members. */
  const changeMembers = (
    actor: Actor,
    familyId: string,
    change: (family: Family, acting: { readonly by: string; readonly now: Date }) => Result<Family>,
  ) =>
    decideUntilCommitted(async (unit, now) => {
      const family = await findFamily(unit, actor, familyId)
      if (!family) return { result: refuse('NOT_FOUND') }
      return { result: change(family, { by: actor.sub, now }) }
    })

  return {
    create: ({ sub, org }: Actor, { name }: { readonly name: string }) =>
      decideUntilCommitted(async (unit, now) => {
        const result = Family.create({ name, orgId: org }, { by: sub, now })
        if (result.value) unit.save(result.value)
        return { result }
      }),

    invite: (actor: Actor, { familyId, email: typed, role }: Invitee) =>
      decideUntilCommitted<FamilyMemberInvitation>(async (unit, now) => {
        const family = await findFamily(unit, actor, familyId)
        if (!family) return { result: refuse('NOT_FOUND') }
        const email = toEmailAddress(typed)
        const history =
          email === undefined ? NO_HISTORY : await historyOf(unit, { familyId: family.id, email })
        const inviting = { by: actor.sub, token: newToken(), now }
        const result = family.invite({ email: typed, role }, history, inviting)
        if (!result.value) return { result }
        unit.save(result.value)
        return { result, mailed: { family, invitation: result.value } }
      }),

    resend: (actor: Actor, invitationId: string) =>
      decideUntilCommitted(async (unit, now) => {
        const found = await load(unit, actor, invitationId)
        if (!found) return { result: refuse('NOT_FOUND') }
        const { family, invitation } = found
        const history = await historyOf(unit, invitation.state)
        const inviting = { by: actor.sub, token: newToken(), now }
        return { result: family.resend(invitation, history, inviting), mailed: found }
      }),

    accept: (actor: Actor, token: string) =>
      decideUntilCommitted<Accepted>(async (unit, now) => {
        const found = await load(unit, actor, await findByToken(pool, hashOf(token)))
        if (!found) return { result: refuse('NOT_FOUND') }
        const { refusal } = found.family.accept(found.invitation, { by: actor.sub, now })
        // It raises no event of its own: the family's says it.
        if (!refusal) unit.save(found.invitation)
        return { result: refusal ? { refusal } : { value: found } }
      }),

    revoke: (actor: Actor, invitationId: string) =>
      decideUntilCommitted(async (unit, now) => {
        const found = await load(unit, actor, invitationId)
        if (!found) return { result: refuse('NOT_FOUND') }
        return { result: found.family.revoke(found.invitation, { by: actor.sub, now }) }
      }),

    decline: (actor: Actor, token: string) =>
      decideUntilCommitted(async (unit, now) => {
        const found = await load(unit, actor, await findByToken(pool, hashOf(token)))
        if (!found) return { result: refuse('NOT_FOUND') }
        return { result: found.family.decline(found.invitation, { by: actor.sub, now }) }
      }),

    leave: (actor: Actor, familyId: string) =>
      changeMembers(actor, familyId, (family, acting) => family.leave(acting)),

    remove: (actor: Actor, { familyId, userId }: MemberRef) =>
      changeMembers(actor, familyId, (family, acting) => family.remove(userId, acting)),

    changeRole: (actor: Actor, { familyId, userId, role }: MemberRef & Pick<Invitee, 'role'>) =>
      changeMembers(actor, familyId, (family, acting) =>
        family.changeRole({ userId, role }, acting),
      ),

    transfer: (actor: Actor, { familyId, userId }: MemberRef) =>
      changeMembers(actor, familyId, (family, acting) => family.transfer(userId, acting)),
  }
}

async function commit(unit: UnitOfWork, mailed: Decision<unknown>['mailed']): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      if (!mailed) return await unit.commit()
      return await unit.commit(async (tx, write) => {
        // Decided again, it is either a change of the family or a refusal.
        if (!(await countMail(tx, mailed.family, BY_FAMILY))) {
          throw new ConflictError(mailed.family)
        }
        await expireOthers(tx, mailed.invitation.state)
        await write(tx)
      })
    } catch (error) {
      if (!(error instanceof CommitUnknownError) || tries >= MOST_COMMITS) throw error
    }
  }
}

/** Another command was first, with a new version or with the address: deciding again says what that means. */
function isConflict(error: unknown): boolean {
  const state = sqlState(error)
  const isFirst = state === SQLSTATE.uniqueViolation || state === SQLSTATE.deadlock
  return error instanceof ConflictError || isFirst
}

/** As Postgres writes it; what is not of the form is no family's id. */
export function toUuid(id: string | undefined): string | undefined {
  const isOne = id !== undefined && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)
  return isOne ? id.toLowerCase() : undefined
}
