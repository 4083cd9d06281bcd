import { AggregateRoot } from '@posthorn/domain'
import { uuid } from '@posthorn/engine'
import {
  INVITATION_DECLINED,
  INVITATION_REVOKED,
  MEMBER_INVITED,
  valueOf,
  type InvitationEvent,
} from './events.ts'
import { wordOf, type FamilyRole } from './family-role.ts'
import { hashOf } from './invitation-token.ts'
import { TO_ADDRESS, afterMail } from './mail-allowance.ts'

export const INVITATION_STATUSES = [
  'PENDING',
  'ACCEPTED',
  'DECLINED',
  'REVOKED',
  'EXPIRED',
] as const

export type InvitationStatus = (typeof INVITATION_STATUSES)[number]

const LIFE_MS = 14 * 86_400_000

/** Who invites whom, when, and with which new token. */
export interface Inviting {
  readonly by: string
  readonly token: string
  /** By the business clock. */
  readonly now: Date
}

/** An invitation as it is stored. */
export interface InvitationState {
  readonly id: string
  readonly orgId: string
  readonly familyId: string
  readonly email: string
  readonly role: FamilyRole
  status: InvitationStatus
  tokenHash: Buffer
  expiresAt: Date
  invitedBy: string
  acceptedBy: string | undefined
  declinedBy: string | undefined
  /** Of the address in this family: see `mail-allowance.ts`. */
  mailedUntil: Date | undefined
}

/**
 *   PENDING ──accept──▶ ACCEPTED
 *    │  ▲ ▲ └─decline─▶ DECLINED
 *    │  │ └──resend── EXPIRED ◀── 14 days
 *    │  └────resend────┐  │
 *    │                 │  │
 *    └────── revoke ───┴──┴──▶ REVOKED
 */
export class FamilyMemberInvitation extends AggregateRoot<InvitationEvent> {
  readonly state: InvitationState

  constructor(state: InvitationState) {
    super()
    this.state = state
  }

  get id(): string {
    return this.state.id
  }

  /** Only `Family.invite` makes one: it knows who may. */
  static create(
    invited: Pick<InvitationState, 'orgId' | 'familyId' | 'email' | 'role' | 'mailedUntil'>,
    inviting: Inviting,
  ): FamilyMemberInvitation {
    const invitation = new FamilyMemberInvitation({
      ...invited,
      id: uuid(),
      status: 'PENDING',
      ...issue(inviting, invited.mailedUntil),
      acceptedBy: undefined,
      declinedBy: undefined,
    })
    invitation.#announce(inviting, { isResend: false })
    return invitation
  }

  /** Another token, another fortnight; the old token is worth nothing from here on. */
  resend(inviting: Inviting): void {
    Object.assign(this.state, { status: 'PENDING', ...issue(inviting, this.state.mailedUntil) })
    this.#announce(inviting, { isResend: true })
  }

  /** The family raises the event: it is the one that has changed. */
  accept(userId: string): void {
    this.state.status = 'ACCEPTED'
    this.state.acceptedBy = userId
  }

  revoke({ by, now }: Pick<Inviting, 'by' | 'now'>): void {
    this.state.status = 'REVOKED'
    this.raise({
      type: INVITATION_REVOKED,
      occurredAt: now,
      payload: {
        invitationId: valueOf(this.id),
        familyId: valueOf(this.state.familyId),
        revokedByUserId: valueOf(by),
      },
    })
  }

  decline({ by, now }: Pick<Inviting, 'by' | 'now'>): void {
    this.state.status = 'DECLINED'
    this.state.declinedBy = by
    this.raise({
      type: INVITATION_DECLINED,
      occurredAt: now,
      payload: {
        invitationId: valueOf(this.id),
        familyId: valueOf(this.state.familyId),
        declinedByUserId: valueOf(by),
      },
    })
  }

  #announce({ by, token, now }: Inviting, { isResend }: { isResend: boolean }): void {
    const { familyId, email, role, expiresAt } = this.state
    this.raise({
      type: MEMBER_INVITED,
      occurredAt: now,
      payload: {
        invitationId: valueOf(this.id),
        familyId: valueOf(familyId),
        email: valueOf(email),
        role: valueOf(wordOf(role)),
        token: valueOf(token),
        expiresAt: expiresAt.toISOString(),
        invitedByUserId: valueOf(by),
        isResend,
      },
    })
  }
}

function issue({ by, token, now }: Inviting, mailedUntil: Date | undefined) {
  return {
    tokenHash: hashOf(token),
    expiresAt: new Date(now.getTime() + LIFE_MS),
    invitedBy: by,
    mailedUntil: afterMail(TO_ADDRESS, { mailedUntil, now }),
  }
}
