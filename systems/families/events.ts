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

type Values<Name extends string> = Readonly<Record<Name, ValueObject>>

/** Each text as a value object. */
export function valuesOf<Name extends string>(texts: Readonly<Record<Name, string>>) {
  const entries = Object.entries<string>(texts).map(([name, value]) => [name, { value }])
  return Object.fromEntries(entries) as Values<Name>
}

/** An event that says nothing but texts. */
export function eventOf<Type extends string, Name extends string>(
  type: Type,
  occurredAt: Date,
  texts: Readonly<Record<Name, string>>,
) {
  return { type, occurredAt, payload: valuesOf(texts) }
}

export interface Invited extends Values<
  'invitationId' | 'familyId' | 'email' | 'role' | 'invitedByUserId'
> {
  /** Secret: sealed in the row; on the wire if `FAMILIES_EVENT_TOKEN` says so. Absent once processed. */
  readonly token?: ValueObject
  readonly expiresAt: string
  readonly isResend: boolean
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
  | DomainEvent<typeof FAMILY_CREATED, Values<'familyId' | 'name' | 'ownerUserId'>>
  | DomainEvent<typeof MEMBER_JOINED, Values<'familyId' | 'invitationId' | 'userId' | 'role'>>
  | DomainEvent<typeof MEMBER_LEFT, Values<'familyId' | 'userId'>>
  | DomainEvent<typeof MEMBER_REMOVED, Values<'familyId' | 'userId' | 'removedByUserId'>>
  | DomainEvent<
      typeof ROLE_CHANGED,
      Values<'familyId' | 'userId' | 'previousRole' | 'role' | 'changedByUserId'>
    >
  | DomainEvent<
      typeof OWNERSHIP_TRANSFERRED,
      Values<'familyId' | 'previousOwnerUserId' | 'ownerUserId'>
    >

export type InvitationEvent =
  | DomainEvent<typeof MEMBER_INVITED, Invited>
  | DomainEvent<typeof INVITATION_REVOKED, Values<'invitationId' | 'familyId' | 'revokedByUserId'>>
  | DomainEvent<
      typeof INVITATION_DECLINED,
      Values<'invitationId' | 'familyId' | 'declinedByUserId'>
    >
