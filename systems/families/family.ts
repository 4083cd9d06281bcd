import { AggregateRoot } from '@posthorn/domain'
import { uuid } from '@posthorn/engine'
import { isSameAddress, toEmailAddress } from './email-address.ts'
import { FAMILY_CREATED, MEMBER_JOINED, valueOf, type FamilyEvent } from './events.ts'
import { wordOf, type FamilyRole } from './family-role.ts'
import { FamilyMemberInvitation, type Inviting } from './invitation.ts'
import { accept, refuse, type Refusal, type Result } from './refusal.ts'

export interface Member {
  readonly userId: string
  readonly role: FamilyRole
  /** The address that was invited, if one was. */
  readonly email: string | undefined
  readonly joinedAt: Date
}

export interface FamilyState {
  readonly id: string
  readonly orgId: string
  readonly name: string
  members: readonly Member[]
}

const MAY_INVITE: readonly (FamilyRole | undefined)[] = ['OWNER', 'ADMIN']

const NAME = /^[^\p{Cc}\p{Zl}\p{Zp}]{1,100}$/u

/** A family and who belongs to it. The rules of inviting are its own; see `FamilyMemberInvitation`. */
export class Family extends AggregateRoot<FamilyEvent> {
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
    { by, now }: Pick<Inviting, 'by' | 'now'>,
  ): Result<Family> {
    const name = founding.name.trim()
    if (!NAME.test(name)) return refuse('INVALID_NAME')
    const owner: Member = { userId: by, role: 'OWNER', email: undefined, joinedAt: now }
    const family = new Family({ id: uuid(), orgId: founding.orgId, name, members: [owner] })
    family.raise({
      type: FAMILY_CREATED,
      occurredAt: now,
      payload: { familyId: valueOf(family.id), name: valueOf(name), ownerUserId: valueOf(by) },
    })
    return accept(family)
  }

  /** Invites an address; `open` is the invitation that it has already. */
  invite(
    invited: { readonly email: string; readonly role: FamilyRole },
    open: FamilyMemberInvitation | undefined,
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
    const { id: familyId, orgId } = this.state
    return accept(FamilyMemberInvitation.create({ orgId, familyId, email, role }, inviting))
  }

  /** Sends an invitation again; `open` is the one that its address has now, this or another. */
  resend(
    invitation: FamilyMemberInvitation,
    open: FamilyMemberInvitation | undefined,
    inviting: Inviting,
  ): Result<FamilyMemberInvitation> {
    const refusal = this.#whyNoInviting(inviting.by)
    if (refusal) return { refusal }
    const { status, email } = invitation.state
    if (status === 'REVOKED') return refuse('NOT_FOUND', 'The invitation was revoked: invite anew.')
    if (status === 'ACCEPTED' || this.#hasAddress(email)) return refuse('ALREADY_MEMBER')
    if (open && open.id !== invitation.id) return refuse('ALREADY_INVITED')
    invitation.resend(inviting)
    return accept(invitation)
  }

  /** Takes in the user who holds the token of an invitation. */
  accept(
    invitation: FamilyMemberInvitation,
    { by, now }: Pick<Inviting, 'by' | 'now'>,
  ): Result<FamilyMemberInvitation> {
    const { status, role, email } = invitation.state
    if (this.roleOf(by) !== undefined) return refuse('ALREADY_MEMBER')
    if (status === 'EXPIRED') return refuse('EXPIRED')
    if (status !== 'PENDING') return refuse('NOT_FOUND', 'The invitation can no longer be used.')
    invitation.accept(by)
    this.state.members = [...this.state.members, { userId: by, role, email, joinedAt: now }]
    this.raise({
      type: MEMBER_JOINED,
      occurredAt: now,
      payload: {
        familyId: valueOf(this.id),
        invitationId: valueOf(invitation.id),
        userId: valueOf(by),
        role: valueOf(wordOf(role)),
      },
    })
    return accept(invitation)
  }

  /** Takes an invitation back. To do it twice is as good as once. */
  revoke(
    invitation: FamilyMemberInvitation,
    revoking: Pick<Inviting, 'by' | 'now'>,
  ): Result<FamilyMemberInvitation> {
    const refusal = this.#whyNoInviting(revoking.by)
    if (refusal) return { refusal }
    const { status } = invitation.state
    if (status === 'ACCEPTED') return refuse('ALREADY_MEMBER')
    if (status !== 'REVOKED') invitation.revoke(revoking)
    return accept(invitation)
  }

  roleOf(userId: string): FamilyRole | undefined {
    return this.state.members.find((member) => member.userId === userId)?.role
  }

  #whyNoInviting(by: string): Refusal | undefined {
    return MAY_INVITE.includes(this.roleOf(by)) ? undefined : refuse('FORBIDDEN').refusal
  }

  #hasAddress(email: string): boolean {
    return this.state.members.some(
      (member) => member.email !== undefined && isSameAddress(member.email, email),
    )
  }
}
