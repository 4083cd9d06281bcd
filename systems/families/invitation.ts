import { createHash, randomBytes } from 'node:crypto'
import { AggregateRoot } from '@posthorn/domain'
import { uuid } from '@posthorn/engine'
import {
  INVITATION_DECLINED,
  INVITATION_REVOKED,
  MEMBER_INVITED,
  eventOf,
  valuesOf,
  wordOf,
  type FamilyRole,
  type InvitationEvent,
} from './events.ts'
import { TO_ADDRESS, afterMail } from './mail-allowance.ts'
import { isSealed, type Sealing } from '@posthorn/system'

/** RFC 5321's limits. */
const MOST_CHARACTERS = 254
const MOST_LOCAL = 64

const LOCAL = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i
const DOMAIN = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i

/**
 * The address as typed, undefined if no mail could be sent to it. Narrower than the RFC:
 * no quotes, no comments, no bare host, ASCII only, so that it can never be more than one recipient.
 */
export function toEmailAddress(typed: string): string | undefined {
  const address = typed.trim()
  const at = address.lastIndexOf('@')
  const isShort = address.length <= MOST_CHARACTERS && at <= MOST_LOCAL
  const isAddress =
    LOCAL.test(address.slice(0, Math.max(at, 0))) && DOMAIN.test(address.slice(at + 1))
  return isShort && isAddress ? address : undefined
}

/** Whether two addresses are one mailbox's, as the index on `lower(email)` sees it. */
export function isSameAddress(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

/** 256 random bits, as one word that fits into a link. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** The token that an event carries, sealed for it or in clear. */
export function tokenOf(
  carried: string,
  { id, sealing }: { id: string; sealing: Sealing },
): string {
  return isSealed(carried) ? sealing.open(carried, id) : carried
}

/**
 * What is stored of a token. An invitation is found by it, so that no comparison takes a time that
 * says something about the token; and it needs no salt, since 256 bits cannot be guessed.
 */
export function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

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
  acceptedBy: string | null
  declinedBy: string | null
  /** Of the address in this family: see `mail-allowance.ts`. */
  mailedUntil: Date | null
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
  static readonly aggregateType = 'FamilyMemberInvitation'

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
      acceptedBy: null,
      declinedBy: null,
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
    this.raise(
      eventOf(INVITATION_REVOKED, now, {
        invitationId: this.id,
        familyId: this.state.familyId,
        revokedByUserId: by,
      }),
    )
  }

  decline({ by, now }: Pick<Inviting, 'by' | 'now'>): void {
    this.state.status = 'DECLINED'
    this.state.declinedBy = by
    this.raise(
      eventOf(INVITATION_DECLINED, now, {
        invitationId: this.id,
        familyId: this.state.familyId,
        declinedByUserId: by,
      }),
    )
  }

  #announce({ by, token, now }: Inviting, { isResend }: { isResend: boolean }): void {
    const { familyId, email, role, expiresAt } = this.state
    this.raise({
      type: MEMBER_INVITED,
      occurredAt: now,
      payload: {
        ...valuesOf({ invitationId: this.id, familyId, email, role: wordOf(role) }),
        ...valuesOf({ token, invitedByUserId: by }),
        expiresAt: expiresAt.toISOString(),
        isResend,
      },
    })
  }
}

function issue({ by, token, now }: Inviting, mailedUntil: Date | null) {
  return {
    tokenHash: hashOf(token),
    expiresAt: new Date(now.getTime() + LIFE_MS),
    invitedBy: by,
    mailedUntil: afterMail(TO_ADDRESS, { mailedUntil, now }),
  }
}
