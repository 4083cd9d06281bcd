import { describe, expect, test } from 'vitest'
import { Family } from './family.ts'
import type { FamilyRole } from './family-role.ts'
import { FamilyMemberInvitation, type InvitationStatus } from './invitation.ts'
import { hashOf } from './invitation-token.ts'

const now = new Date('2026-01-05T00:00:00Z')
const invitationBy = (by: string) => ({ by, token: 'abc123', now })

/** Owner `olga`, admin `adam`, member `mia`, whose address is mia@example.com. */
function aFamily(): Family {
  const member = (userId: string, role: FamilyRole, email?: string) => ({
    ...{ userId, role, email, joinedAt: now },
  })
  return new Family({
    id: 'f1',
    orgId: 'acme',
    name: 'Addams',
    members: [
      member('olga', 'OWNER'),
      member('adam', 'ADMIN'),
      member('mia', 'MEMBER', 'mia@example.com'),
    ],
  })
}

function anInvitation(status: InvitationStatus = 'PENDING', email = 'john@example.com') {
  return new FamilyMemberInvitation({
    ...{ id: 'i1', orgId: 'acme', familyId: 'f1', email, role: 'MEMBER', status },
    tokenHash: hashOf('old'),
    expiresAt: now,
    invitedBy: 'olga',
    acceptedBy: status === 'ACCEPTED' ? 'john' : undefined,
  })
}

describe('founding', () => {
  test('makes its founder the owner, and raises an event', () => {
    const { value: family } = Family.create(
      { name: ' Addams ', orgId: 'acme' },
      { by: 'olga', now },
    )
    expect(family?.state).toMatchObject({
      name: 'Addams',
      members: [{ userId: 'olga', role: 'OWNER' }],
    })
    expect(family?.pendingEvents).toMatchObject([
      {
        type: 'FamilyHub.Families.FamilyCreatedEvent',
        version: 1,
        occurredAt: now,
        payload: { name: { value: 'Addams' }, ownerUserId: { value: 'olga' } },
      },
    ])
  })

  test.each(['', '  ', 'a\nb', 'a\0b', 'a\u2028b', 'x'.repeat(101)])(
    'refuses the name %j',
    (name) => {
      const { refusal } = Family.create({ name, orgId: 'acme' }, { by: 'olga', now })
      expect(refusal?.code).toBe('INVALID_NAME')
    },
  )
})

describe('inviting', () => {
  test.each([
    ['olga', 'john@example.com', 'MEMBER', undefined, undefined],
    ['olga', 'john@example.com', 'ADMIN', undefined, undefined],
    ['adam', 'john@example.com', 'ADMIN', undefined, undefined],
    ['mia', 'john@example.com', 'MEMBER', undefined, 'FORBIDDEN'],
    ['a stranger', 'john@example.com', 'MEMBER', undefined, 'FORBIDDEN'],
    ['olga', 'john@example.com', 'OWNER', undefined, 'FORBIDDEN'],
    ['olga', 'john', 'MEMBER', undefined, 'INVALID_EMAIL'],
    ['olga', 'MIA@example.com', 'MEMBER', undefined, 'ALREADY_MEMBER'],
    ['olga', 'john@example.com', 'MEMBER', anInvitation(), 'ALREADY_INVITED'],
  ] as const)('%s invites %s as %s', (by, email, role, open, code) => {
    const { value, refusal } = aFamily().invite({ email, role }, open, invitationBy(by))
    expect(refusal?.code).toBe(code)
    expect(value?.pendingEvents.length).toBe(code === undefined ? 1 : undefined)
  })

  test('says it as the seed does', () => {
    const invited = { email: 'john@example.com', role: 'MEMBER' } as const
    const { value } = aFamily().invite(invited, undefined, invitationBy('olga'))
    expect(value?.pendingEvents[0]).toMatchObject({
      type: 'FamilyHub.Families.FamilyMemberInvitedEvent',
      version: 1,
      payload: {
        invitationId: { value: value?.id },
        familyId: { value: 'f1' },
        email: { value: 'john@example.com' },
        role: { value: 'Member' },
        token: { value: 'abc123' },
        expiresAt: '2026-01-19T00:00:00.000Z',
        invitedByUserId: { value: 'olga' },
        isResend: false,
      },
    })
    expect(JSON.stringify(value?.state)).not.toContain('abc123')
  })
})

describe('what can be done to an invitation in each state', () => {
  const acts = {
    resend: (family: Family, invitation: FamilyMemberInvitation) =>
      family.resend(invitation, undefined, invitationBy('adam')),
    accept: (family: Family, invitation: FamilyMemberInvitation) =>
      family.accept(invitation, { by: 'john', now }),
    revoke: (family: Family, invitation: FamilyMemberInvitation) =>
      family.revoke(invitation, { by: 'adam', now }),
  }
  test.each([
    ['resend', 'PENDING', 'PENDING'],
    ['resend', 'EXPIRED', 'PENDING'],
    ['resend', 'REVOKED', 'NOT_FOUND'],
    ['resend', 'ACCEPTED', 'ALREADY_MEMBER'],
    ['accept', 'PENDING', 'ACCEPTED'],
    ['accept', 'EXPIRED', 'EXPIRED'],
    ['accept', 'REVOKED', 'NOT_FOUND'],
    ['accept', 'ACCEPTED', 'NOT_FOUND'],
    ['revoke', 'PENDING', 'REVOKED'],
    ['revoke', 'EXPIRED', 'REVOKED'],
    ['revoke', 'REVOKED', 'REVOKED'],
    ['revoke', 'ACCEPTED', 'ALREADY_MEMBER'],
  ] as const)('%s when %s: %s', (act, status, ends) => {
    const [family, invitation] = [aFamily(), anInvitation(status)]
    const { value, refusal } = acts[act](family, invitation)
    expect(refusal?.code ?? value?.state.status).toBe(ends)
    if (refusal) expect(invitation.state.status).toBe(status)
    if (refusal) expect([...family.pendingEvents, ...invitation.pendingEvents]).toEqual([])
  })

  test('a resend has another token and another fortnight, and is an event again', () => {
    const invitation = anInvitation('EXPIRED')
    aFamily().resend(invitation, invitation, invitationBy('olga'))
    expect(invitation.state.tokenHash).toEqual(hashOf('abc123'))
    expect(invitation.state.expiresAt).toEqual(new Date('2026-01-19T00:00:00Z'))
    expect(invitation.pendingEvents[0]?.payload).toMatchObject({ isResend: true })
  })

  test('a resend is refused if the address has another invitation, or belongs to a member', () => {
    const other = new FamilyMemberInvitation({ ...anInvitation().state, id: 'i2' })
    const resend = (invitation: FamilyMemberInvitation, open?: FamilyMemberInvitation) =>
      aFamily().resend(invitation, open, invitationBy('olga')).refusal?.code
    expect(resend(anInvitation('EXPIRED'), other)).toBe('ALREADY_INVITED')
    expect(resend(anInvitation('EXPIRED', 'mia@example.com'))).toBe('ALREADY_MEMBER')
  })

  test('a user who accepts is a member with the role of the invitation, and an event says so', () => {
    const [family, invitation] = [aFamily(), anInvitation()]
    family.accept(invitation, { by: 'john', now })
    expect(family.roleOf('john')).toBe('MEMBER')
    expect(invitation.state.acceptedBy).toBe('john')
    expect(family.pendingEvents).toMatchObject([
      {
        type: 'FamilyHub.Families.FamilyMemberJoinedEvent',
        payload: { userId: { value: 'john' }, role: { value: 'Member' } },
      },
    ])
  })

  test('members cannot accept once more, and only owners and admins resend and revoke', () => {
    const family = aFamily()
    expect(family.accept(anInvitation(), { by: 'mia', now }).refusal?.code).toBe('ALREADY_MEMBER')
    const resent = family.resend(anInvitation(), undefined, invitationBy('mia'))
    expect(resent.refusal?.code).toBe('FORBIDDEN')
    expect(family.revoke(anInvitation(), { by: 'mia', now }).refusal?.code).toBe('FORBIDDEN')
  })
})
