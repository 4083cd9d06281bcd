import { AggregateRoot } from '@posthorn/domain'
import { uuid } from '@posthorn/engine'
import {
  isSameAddress,
  toEmailAddress,
  FamilyMemberInvitation,
  type Inviting,
} from './invitation.ts'
import {
  FAMILY_CREATED,
  MEMBER_JOINED,
  MEMBER_LEFT,
  MEMBER_REMOVED,
  OWNERSHIP_TRANSFERRED,
  ROLE_CHANGED,
  eventOf,
  wordOf,
  type FamilyEvent,
  type FamilyRole,
} from './events.ts'
import { BY_FAMILY, TO_ADDRESS, nextMailAt } from './mail-allowance.ts'
import { accept, refuse, type Refusal, type Result } from './refusal.ts'

export interface Member {
  readonly userId: string
  readonly role: FamilyRole
  /** The address that was invited, if one was. */
  readonly email: string | null
  readonly joinedAt: Date
}

export interface FamilyState {
  readonly id: string
  readonly orgId: string
  readonly name: string
  members: readonly Member[]
  /** When the family's next invitation mails may be sent: see `mail-allowance.ts`. */
  readonly mailedUntil: Date | null
}

/** Who acts, and when by the business clock. */
type Acting = Pick<Inviting, 'by' | 'now'>

/** What an address has had already. */
export interface AddressHistory {
  /** The invitation that it could still accept. */
  readonly open: FamilyMemberInvitation | undefined
  readonly mailedUntil: Date | null
}

const MAY_INVITE: readonly (FamilyRole | undefined)[] = ['OWNER', 'ADMIN']

const NO_MEMBER = 'The family has no such member.'

const NAME = /^[^\p{Cc}\p{Zl}\p{Zp}]{1,100}$/u

/** A family and who belongs to it. The rules of inviting are its own; see `FamilyMemberInvitation`. */
export class Family extends AggregateRoot<FamilyEvent> {
  static readonly aggregateType = 'Family'

  readonly state: FamilyState

  constructor(state: FamilyState) {
    super()
    this.state = state
  }

  get id(): string {
    return this.state.id
  }

  static create(
    founding: { readonly name: string; readonly orgId: string },
    { by, now }: Acting,
  ): Result<Family> {
    const name = founding.name.trim()
    if (!NAME.test(name)) return refuse('INVALID_NAME')
    const owner: Member = { userId: by, role: 'OWNER', email: null, joinedAt: now }
    const { orgId } = founding
    const family = new Family({ id: uuid(), orgId, name, members: [owner], mailedUntil: null })
    family.raise(eventOf(FAMILY_CREATED, now, { familyId: family.id, name, ownerUserId: by }))
    return accept(family)
  }

  /** Invites an address. */
  invite(
    invited: { readonly email: string; readonly role: FamilyRole },
    { open, mailedUntil }: AddressHistory,
    inviting: Inviting,
  ): Result<FamilyMemberInvitation> {
    const refusal = this.#whyNoInviting(inviting.by)
    if (refusal) return { refusal }
    const { role } = invited
    if (role === 'OWNER')
      return refuse('FORBIDDEN', 'The role OWNER cannot be given by an invitation.')
    const email = toEmailAddress(invited.email)
    if (email === undefined) return refuse('INVALID_EMAIL')
    if (this.#hasAddress(email)) return refuse('ALREADY_MEMBER')
    if (open) return refuse('ALREADY_INVITED')
    const tooMany = this.#whyNoMail(mailedUntil, inviting.now)
    if (tooMany) return tooMany
    const { id: familyId, orgId } = this.state
    const invitation = { orgId, familyId, email, role, mailedUntil }
    return accept(FamilyMemberInvitation.create(invitation, inviting))
  }

  /** Sends an invitation again, unless its address has another one by now. */
  resend(
    invitation: FamilyMemberInvitation,
    { open, mailedUntil }: AddressHistory,
    inviting: Inviting,
  ): Result<FamilyMemberInvitation> {
    const refusal = this.#whyNoInviting(inviting.by)
    if (refusal) return { refusal }
    const { status, email } = invitation.state
    if (status === 'REVOKED') return refuse('NOT_FOUND', 'The invitation was revoked: invite anew.')
    if (status === 'DECLINED')
      return refuse('NOT_FOUND', 'The invitation was declined: invite anew.')
    if (status === 'ACCEPTED' || this.#hasAddress(email)) return refuse('ALREADY_MEMBER')
    if (open && open.id !== invitation.id) return refuse('ALREADY_INVITED')
    const tooMany = this.#whyNoMail(mailedUntil, inviting.now)
    if (tooMany) return tooMany
    invitation.resend(inviting)
    return accept(invitation)
  }

  /** Takes in the user who holds the token of an invitation. */
  accept(invitation: FamilyMemberInvitation, { by, now }: Acting): Result<FamilyMemberInvitation> {
    const { status, role, email } = invitation.state
    if (this.roleOf(by) !== undefined) return refuse('ALREADY_MEMBER')
    if (status === 'EXPIRED') return refuse('EXPIRED')
    if (status !== 'PENDING') return refuse('NOT_FOUND', 'The invitation can no longer be used.')
    invitation.accept(by)
    this.state.members = [...this.state.members, { userId: by, role, email, joinedAt: now }]
    this.raise(
      eventOf(MEMBER_JOINED, now, {
        familyId: this.id,
        invitationId: invitation.id,
        userId: by,
        role: wordOf(role),
      }),
    )
    return accept(invitation)
  }

  /** Takes an invitation back. To do it twice is as good as once. */
  revoke(invitation: FamilyMemberInvitation, revoking: Acting): Result<FamilyMemberInvitation> {
    const refusal = this.#whyNoInviting(revoking.by)
    if (refusal) return { refusal }
    const { status } = invitation.state
    if (status === 'ACCEPTED') return refuse('ALREADY_MEMBER')
    if (status === 'DECLINED') return refuse('NOT_FOUND', 'The invitation was declined.')
    if (status !== 'REVOKED') invitation.revoke(revoking)
    return accept(invitation)
  }

  /** Turns an invitation down, by the user who holds its token. To do it twice is as good as once. */
  decline(invitation: FamilyMemberInvitation, declining: Acting): Result<FamilyMemberInvitation> {
    const { status } = invitation.state
    if (status === 'DECLINED') return accept(invitation)
    if (status === 'EXPIRED') return refuse('EXPIRED')
    if (status !== 'PENDING') return refuse('NOT_FOUND', 'The invitation can no longer be used.')
    invitation.decline(declining)
    return accept(invitation)
  }

  /** A member leaves; the owner cannot. */
  leave({ by, now }: Acting): Result<Family> {
    const role = this.roleOf(by)
    if (role === undefined) return refuse('NOT_FOUND', 'You are not a member of this family.')
    if (role === 'OWNER') return refuse('OWNER_REQUIRED')
    this.#withoutMember(by)
    this.raise(eventOf(MEMBER_LEFT, now, { familyId: this.id, userId: by }))
    return accept(this)
  }

  /** The owner removes anyone else, an admin removes members. */
  remove(userId: string, { by, now }: Acting): Result<Family> {
    const refusal = this.#whyNoInviting(by)
    if (refusal) return { refusal }
    const role = this.roleOf(userId)
    if (role === undefined) return refuse('NOT_FOUND', NO_MEMBER)
    if (role === 'OWNER') return refuse('OWNER_REQUIRED')
    if (role === 'ADMIN' && this.roleOf(by) !== 'OWNER') {
      return refuse('FORBIDDEN', 'Only the owner removes admins.')
    }
    this.#withoutMember(userId)
    this.raise(eventOf(MEMBER_REMOVED, now, { familyId: this.id, userId, removedByUserId: by }))
    return accept(this)
  }

  /** The owner makes a member an admin, or an admin a member. The same role again changes nothing. */
  changeRole(
    { userId, role }: { readonly userId: string; readonly role: FamilyRole },
    { by, now }: Acting,
  ): Result<Family> {
    if (this.roleOf(by) !== 'OWNER') return refuse('FORBIDDEN', 'Only the owner changes roles.')
    if (role === 'OWNER')
      return refuse('FORBIDDEN', 'To make another the owner, transfer ownership.')
    const previous = this.roleOf(userId)
    if (previous === undefined) return refuse('NOT_FOUND', NO_MEMBER)
    if (previous === 'OWNER') return refuse('OWNER_REQUIRED')
    if (previous === role) return accept(this)
    this.#giveRoles(new Map([[userId, role]]))
    this.raise(
      eventOf(ROLE_CHANGED, now, {
        familyId: this.id,
        userId,
        previousRole: wordOf(previous),
        role: wordOf(role),
        changedByUserId: by,
      }),
    )
    return accept(this)
  }

  /** The owner makes another member the owner, and is an admin from then on. */
  transfer(userId: string, { by, now }: Acting): Result<Family> {
    if (this.roleOf(by) !== 'OWNER')
      return refuse('FORBIDDEN', 'Only the owner transfers ownership.')
    if (this.roleOf(userId) === undefined) return refuse('NOT_FOUND', NO_MEMBER)
    if (userId === by) return accept(this)
    this.#giveRoles(
      new Map<string, FamilyRole>([
        [by, 'ADMIN'],
        [userId, 'OWNER'],
      ]),
    )
    this.raise(
      eventOf(OWNERSHIP_TRANSFERRED, now, {
        familyId: this.id,
        previousOwnerUserId: by,
        ownerUserId: userId,
      }),
    )
    return accept(this)
  }

  roleOf(userId: string): FamilyRole | undefined {
    return this.state.members.find((member) => member.userId === userId)?.role
  }

  #whyNoInviting(by: string): Refusal | undefined {
    return MAY_INVITE.includes(this.roleOf(by)) ? undefined : refuse('FORBIDDEN').refusal
  }

  /** Too many were sent, by the family or to the address. */
  #whyNoMail(toAddress: Date | null, now: Date): { readonly refusal: Refusal } | undefined {
    const { mailedUntil } = this.state
    const at =
      nextMailAt(TO_ADDRESS, { mailedUntil: toAddress, now }) ??
      nextMailAt(BY_FAMILY, { mailedUntil, now })
    return (
      at &&
      refuse(
        'TOO_MANY_MAILS',
        `Too many mails were sent; the next can be from ${at.toISOString()} on.`,
      )
    )
  }

  #withoutMember(userId: string): void {
    this.state.members = this.state.members.filter((member) => member.userId !== userId)
  }

  #giveRoles(roles: ReadonlyMap<string, FamilyRole>): void {
    this.state.members = this.state.members.map((member) => ({
      ...member,
      role: roles.get(member.userId) ?? member.role,
    }))
  }

  #hasAddress(email: string): boolean {
    return this.state.members.some(
      (member) => member.email !== null && isSameAddress(member.email, email),
    )
  }
}
