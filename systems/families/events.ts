import type { DomainEvent } from '@posthorn/domain'

/** The seed's value objects on the wire: `{"value": "…"}`. */
export interface ValueObject {
  readonly value: string
}

export function valueOf(value: string): ValueObject {
  return { value }
}

export interface Invited {
  readonly invitationId: ValueObject
  readonly familyId: ValueObject
  readonly email: ValueObject
  readonly role: ValueObject
  /** Secret. Absent from an event that was processed. */
  readonly token?: ValueObject
  readonly expiresAt: string
  readonly invitedByUserId: ValueObject
  readonly isResend: boolean
}

export interface Created {
  readonly familyId: ValueObject
  readonly name: ValueObject
  readonly ownerUserId: ValueObject
}

export interface Joined {
  readonly familyId: ValueObject
  readonly invitationId: ValueObject
  readonly userId: ValueObject
  readonly role: ValueObject
}

export interface Revoked {
  readonly invitationId: ValueObject
  readonly familyId: ValueObject
  readonly revokedByUserId: ValueObject
}

export const FAMILY_CREATED = 'FamilyHub.Families.FamilyCreatedEvent'
export const MEMBER_INVITED = 'FamilyHub.Families.FamilyMemberInvitedEvent'
export const MEMBER_JOINED = 'FamilyHub.Families.FamilyMemberJoinedEvent'
export const INVITATION_REVOKED = 'FamilyHub.Families.FamilyMemberInvitationRevokedEvent'

export type FamilyEvent =
  DomainEvent<typeof FAMILY_CREATED, Created> | DomainEvent<typeof MEMBER_JOINED, Joined>

export type InvitationEvent =
  DomainEvent<typeof MEMBER_INVITED, Invited> | DomainEvent<typeof INVITATION_REVOKED, Revoked>
