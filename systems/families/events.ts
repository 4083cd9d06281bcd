import type { DomainEvent } from '@posthorn/domain'

export const FAMILY_ROLES = ['OWNER', 'ADMIN', 'MEMBER'] as const

export type FamilyRole = (typeof FAMILY_ROLES)[number]

/** As events say it: `Member`. */
export function wordOf(role: FamilyRole): string {
  return role.slice(0, 1) + role.slice(1).toLowerCase()
}

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
  /** Secret, and sealed unless `FAMILIES_EVENT_TOKEN` says otherwise. Absent once it is processed. */
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

export interface Declined {
  readonly invitationId: ValueObject
  readonly familyId: ValueObject
  readonly declinedByUserId: ValueObject
}

export interface Left {
  readonly familyId: ValueObject
  readonly userId: ValueObject
}

export interface Removed extends Left {
  readonly removedByUserId: ValueObject
}

export interface RoleChanged extends Left {
  readonly previousRole: ValueObject
  readonly role: ValueObject
  readonly changedByUserId: ValueObject
}

export interface OwnershipTransferred {
  readonly familyId: ValueObject
  readonly previousOwnerUserId: ValueObject
  readonly ownerUserId: ValueObject
}

export const FAMILY_CREATED = 'FamilyHub.Families.FamilyCreatedEvent'
export const MEMBER_INVITED = 'FamilyHub.Families.FamilyMemberInvitedEvent'
export const MEMBER_JOINED = 'FamilyHub.Families.FamilyMemberJoinedEvent'
export const INVITATION_REVOKED = 'FamilyHub.Families.FamilyMemberInvitationRevokedEvent'
export const INVITATION_DECLINED = 'FamilyHub.Families.FamilyMemberInvitationDeclinedEvent'
export const MEMBER_LEFT = 'FamilyHub.Families.FamilyMemberLeftEvent'
export const MEMBER_REMOVED = 'FamilyHub.Families.FamilyMemberRemovedEvent'
export const ROLE_CHANGED = 'FamilyHub.Families.FamilyMemberRoleChangedEvent'
export const OWNERSHIP_TRANSFERRED = 'FamilyHub.Families.FamilyOwnershipTransferredEvent'

export type FamilyEvent =
  | DomainEvent<typeof FAMILY_CREATED, Created>
  | DomainEvent<typeof MEMBER_JOINED, Joined>
  | DomainEvent<typeof MEMBER_LEFT, Left>
  | DomainEvent<typeof MEMBER_REMOVED, Removed>
  | DomainEvent<typeof ROLE_CHANGED, RoleChanged>
  | DomainEvent<typeof OWNERSHIP_TRANSFERRED, OwnershipTransferred>

export type InvitationEvent =
  | DomainEvent<typeof MEMBER_INVITED, Invited>
  | DomainEvent<typeof INVITATION_REVOKED, Revoked>
  | DomainEvent<typeof INVITATION_DECLINED, Declined>
