import { CommitUnknownError, ConflictError, UnitOfWork, type EventOutbox } from '@posthorn/domain'
import { SQLSTATE, sqlState } from '@posthorn/engine'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import { toEmailAddress } from './email-address.ts'
import { Family } from './family.ts'
import type { FamilyRole } from './family-role.ts'
import { FamilyMemberInvitation } from './invitation.ts'
import { hashOf, newToken } from './invitation-token.ts'
import { mappers } from './mappers.ts'
import { expireOthers, findByToken, findOpen, holdFamily, selectNow } from './queries.ts'
import { refuse, type Result } from './refusal.ts'

/** Who acts, as the token of the request says. */
export interface Actor {
  readonly sub: string
  readonly org: string
}

export interface Accepted {
  readonly family: Family
  readonly invitation: FamilyMemberInvitation
}

/** What can be done to families: each loads, asks the rules, and commits in a unit of its own. */
export interface FamilyCommands {
  create(actor: Actor, input: { readonly name: string }): Promise<Result<Family>>
  invite(
    actor: Actor,
    input: { readonly familyId: string; readonly email: string; readonly role: FamilyRole },
  ): Promise<Result<FamilyMemberInvitation>>
  resend(actor: Actor, invitationId: string): Promise<Result<FamilyMemberInvitation>>
  accept(actor: Actor, token: string): Promise<Result<Accepted>>
  revoke(actor: Actor, invitationId: string): Promise<Result<FamilyMemberInvitation>>
}

interface Decision<Value> {
  readonly result: Result<Value>
  /** Written with the family held as it was loaded. */
  readonly within?: { readonly family: Family; readonly invitation: FamilyMemberInvitation }
}

/** Against others who change the same family at the same moment; each try decides anew. */
const MOST_TRIES = 12

/** To find out about a commit whose answer was lost. */
const MOST_COMMITS = 3

export function createCommands(pool: Pool, events: EventOutbox): FamilyCommands {
  async function decideUntilCommitted<Value>(
    decide: (unit: UnitOfWork, now: Date) => Promise<Decision<Value>>,
  ): Promise<Result<Value>> {
    for (let tries = 1; ; tries += 1) {
      const unit = new UnitOfWork({ pool, mappers, events })
      const { result, within } = await decide(unit, await selectNow(pool))
      if (result.refusal) return result
      try {
        await commit(unit, within)
        return result
      } catch (error) {
        if (!isConflict(error) || tries >= MOST_TRIES) throw error
        // Apart from each other, or they would meet again.
        await sleep(Math.random() * 10 * tries)
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

  async function openFor(unit: UnitOfWork, familyId: string, email: string) {
    const id = await findOpen(pool, { familyId, email })
    return id === undefined ? undefined : unit.load(FamilyMemberInvitation, id)
  }

  return {
    create: ({ sub, org }, { name }) =>
      decideUntilCommitted(async (unit, now) => {
        const result = Family.create({ name, orgId: org }, { by: sub, now })
        if (result.value) unit.save(result.value)
        return { result }
      }),

    invite: ({ sub, org }, { familyId, email: typed, role }) =>
      decideUntilCommitted(async (unit, now) => {
        const id = toUuid(familyId)
        const family = id === undefined ? undefined : await unit.load(Family, id)
        if (family?.state.orgId !== org) return { result: refuse('NOT_FOUND') }
        const email = toEmailAddress(typed)
        const open = email === undefined ? undefined : await openFor(unit, family.id, email)
        const result = family.invite({ email: typed, role }, open, {
          by: sub,
          token: newToken(),
          now,
        })
        if (!result.value) return { result }
        unit.save(result.value)
        return { result, within: { family, invitation: result.value } }
      }),

    resend: (actor, invitationId) =>
      decideUntilCommitted(async (unit, now) => {
        const found = await load(unit, actor, invitationId)
        if (!found) return { result: refuse('NOT_FOUND') }
        const { family, invitation } = found
        const open = await openFor(unit, family.id, invitation.state.email)
        const inviting = { by: actor.sub, token: newToken(), now }
        return { result: family.resend(invitation, open, inviting), within: found }
      }),

    accept: (actor, token) =>
      decideUntilCommitted<Accepted>(async (unit, now) => {
        const found = await load(unit, actor, await findByToken(pool, hashOf(token)))
        if (!found) return { result: refuse('NOT_FOUND') }
        const { refusal } = found.family.accept(found.invitation, { by: actor.sub, now })
        // It raises no event of its own: the family's says it.
        if (!refusal) unit.save(found.invitation)
        return { result: refusal ? { refusal } : { value: found } }
      }),

    revoke: (actor, invitationId) =>
      decideUntilCommitted(async (unit, now) => {
        const found = await load(unit, actor, invitationId)
        if (!found) return { result: refuse('NOT_FOUND') }
        return { result: found.family.revoke(found.invitation, { by: actor.sub, now }) }
      }),
  }
}

async function commit(unit: UnitOfWork, within: Decision<unknown>['within']): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      if (!within) return await unit.commit()
      return await unit.commit(async (tx, write) => {
        if (!(await holdFamily(tx, within.family))) throw new ConflictError(within.family)
        await expireOthers(tx, within.invitation.state)
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
