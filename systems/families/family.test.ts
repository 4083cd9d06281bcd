import { describe, expect, test } from 'vitest'
import type { FamilyRole } from './events.ts'
import { Family } from './family.ts'
import { FamilyMemberInvitation, hashOf, type InvitationStatus } from './invitation.ts'

const now = new Date('2026-01-05T00:00:00Z')
const invitationBy = (by: string) => ({ by, token: 'abc123', now })
const acting = (by: string) => ({ by, now })
const none = { open: undefined, mailedUntil: null }
const after = (hours: number) => new Date(now.getTime() + hours * 3_600_000)

/** Owner `olga`, admin `adam`, member `mia`, whose address is mia@example.com. */
function aFamily(mailedUntil: Date | null = null): Family {
  const member = (userId: string, role: FamilyRole, email: string | null = null) => ({
    ...{ userId, role, email, joinedAt: now },
  })
  return new Family({
    id: 'f1',
    orgId: 'acme',
    name: 'Addams',
    mailedUntil,
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
    acceptedBy: status === 'ACCEPTED' ? 'john' : null,
    declinedBy: status === 'DECLINED' ? 'john' : null,
    mailedUntil: null,
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
    const history = { ...none, open }
    const { value, refusal } = aFamily().invite({ email, role }, history, invitationBy(by))
    expect(refusal?.code).toBe(code)
    expect(value?.pendingEvents.length).toBe(code === undefined ? 1 : undefined)
  })

  test('says it as the seed does', () => {
    const invited = { email: 'john@example.com', role: 'MEMBER' } as const
    const { value } = aFamily().invite(invited, none, invitationBy('olga'))
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
      family.resend(invitation, none, invitationBy('adam')),
    accept: (family: Family, invitation: FamilyMemberInvitation) =>
      family.accept(invitation, { by: 'john', now }),
    revoke: (family: Family, invitation: FamilyMemberInvitation) =>
      family.revoke(invitation, { by: 'adam', now }),
    decline: (family: Family, invitation: FamilyMemberInvitation) =>
      family.decline(invitation, acting('john')),
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
    ['resend', 'DECLINED', 'NOT_FOUND'],
    ['accept', 'DECLINED', 'NOT_FOUND'],
    ['revoke', 'DECLINED', 'NOT_FOUND'],
    ['decline', 'PENDING', 'DECLINED'],
    ['decline', 'DECLINED', 'DECLINED'],
    ['decline', 'EXPIRED', 'EXPIRED'],
    ['decline', 'REVOKED', 'NOT_FOUND'],
    ['decline', 'ACCEPTED', 'NOT_FOUND'],
  ] as const)('%s when %s: %s', (act, status, ends) => {
    const [family, invitation] = [aFamily(), anInvitation(status)]
    const { value, refusal } = acts[act](family, invitation)
    expect(refusal?.code ?? value?.state.status).toBe(ends)
    if (refusal) expect(invitation.state.status).toBe(status)
    if (refusal) expect([...family.pendingEvents, ...invitation.pendingEvents]).toEqual([])
  })

  test('a resend has another token and another fortnight, and is an event again', () => {
    const invitation = anInvitation('EXPIRED')
    aFamily().resend(invitation, { ...none, open: invitation }, invitationBy('olga'))
    expect(invitation.state.tokenHash).toEqual(hashOf('abc123'))
    expect(invitation.state.expiresAt).toEqual(new Date('2026-01-19T00:00:00Z'))
    expect(invitation.pendingEvents[0]?.payload).toMatchObject({ isResend: true })
  })

  test('a resend is refused if the address has another invitation, or belongs to a member', () => {
    const other = new FamilyMemberInvitation({ ...anInvitation().state, id: 'i2' })
    const resend = (invitation: FamilyMemberInvitation, open?: FamilyMemberInvitation) =>
      aFamily().resend(invitation, { ...none, open }, invitationBy('olga')).refusal?.code
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
    const resent = family.resend(anInvitation(), none, invitationBy('mia'))
    expect(resent.refusal?.code).toBe('FORBIDDEN')
    expect(family.revoke(anInvitation(), { by: 'mia', now }).refusal?.code).toBe('FORBIDDEN')
  })
})

describe('members', () => {
  test.each([
    ['olga', (family: Family) => family.leave(acting('olga')), 'OWNER_REQUIRED'],
    ['adam', (family: Family) => family.leave(acting('adam')), 'olga mia'],
    ['mia', (family: Family) => family.leave(acting('mia')), 'olga adam'],
    ['a stranger', (family: Family) => family.leave(acting('eve')), 'NOT_FOUND'],
  ])('%s leaves', (_, leave, ends) => {
    const family = aFamily()
    expect(leave(family).refusal?.code ?? namesIn(family)).toBe(ends)
  })

  test.each([
    ['olga', 'adam', 'olga mia'],
    ['olga', 'mia', 'olga adam'],
    ['olga', 'olga', 'OWNER_REQUIRED'],
    ['olga', 'eve', 'NOT_FOUND'],
    ['adam', 'mia', 'olga adam'],
    ['adam', 'olga', 'OWNER_REQUIRED'],
    ['adam', 'adam', 'FORBIDDEN'],
    ['mia', 'adam', 'FORBIDDEN'],
    ['eve', 'mia', 'FORBIDDEN'],
  ])('%s removes %s', (by, userId, ends) => {
    const family = aFamily()
    const { refusal } = family.remove(userId, acting(by))
    expect(refusal?.code ?? namesIn(family)).toBe(ends)
    expect(family.pendingEvents).toHaveLength(refusal ? 0 : 1)
  })

  test.each([
    ['olga', 'mia', 'ADMIN', 'ADMIN', 1],
    ['olga', 'adam', 'MEMBER', 'MEMBER', 1],
    ['olga', 'adam', 'ADMIN', 'ADMIN', 0],
    ['olga', 'mia', 'OWNER', 'FORBIDDEN', 0],
    ['olga', 'olga', 'MEMBER', 'OWNER_REQUIRED', 0],
    ['olga', 'eve', 'ADMIN', 'NOT_FOUND', 0],
    ['adam', 'mia', 'ADMIN', 'FORBIDDEN', 0],
  ] as const)('%s makes %s %s', (by, userId, role, ends, events) => {
    const family = aFamily()
    const { refusal } = family.changeRole({ userId, role }, acting(by))
    expect(refusal?.code ?? family.roleOf(userId)).toBe(ends)
    expect(family.pendingEvents).toHaveLength(events)
  })

  test.each([
    ['olga', 'mia', undefined, 'mia'],
    ['olga', 'olga', undefined, 'olga'],
    ['olga', 'eve', 'NOT_FOUND', 'olga'],
    ['adam', 'mia', 'FORBIDDEN', 'olga'],
  ])('%s transfers ownership to %s', (by, userId, code, owner) => {
    const family = aFamily()
    expect(family.transfer(userId, acting(by)).refusal?.code).toBe(code)
    const owners = family.state.members.filter(({ role }) => role === 'OWNER')
    expect(owners.map(({ userId: id }) => id)).toEqual([owner])
    if (owner !== 'olga') expect(family.roleOf('olga')).toBe('ADMIN')
  })

  test('what happens to them is said as the seed says things', () => {
    const family = aFamily()
    family.changeRole({ userId: 'mia', role: 'ADMIN' }, acting('olga'))
    family.transfer('mia', acting('olga'))
    family.remove('adam', acting('mia'))
    family.leave(acting('olga'))
    const said = family.pendingEvents.map(({ type, payload }) => [type.split('.').at(-1), payload])
    const familyId = { value: 'f1' }
    expect(said).toEqual([
      [
        'FamilyMemberRoleChangedEvent',
        {
          ...{ familyId, userId: { value: 'mia' }, previousRole: { value: 'Member' } },
          ...{ role: { value: 'Admin' }, changedByUserId: { value: 'olga' } },
        },
      ],
      [
        'FamilyOwnershipTransferredEvent',
        { familyId, previousOwnerUserId: { value: 'olga' }, ownerUserId: { value: 'mia' } },
      ],
      [
        'FamilyMemberRemovedEvent',
        { familyId, userId: { value: 'adam' }, removedByUserId: { value: 'mia' } },
      ],
      ['FamilyMemberLeftEvent', { familyId, userId: { value: 'olga' } }],
    ])
  })
})

describe('mails', () => {
  const code = (family: Family, mailedUntil: Date | null) => {
    const invited = { email: 'john@example.com', role: 'MEMBER' } as const
    return family.invite(invited, { open: undefined, mailedUntil }, invitationBy('olga')).refusal
      ?.code
  }

  test('to an address are five at once, and one each four hours', () => {
    expect(code(aFamily(), after(4 * 4))).toBeUndefined()
    expect(code(aFamily(), after(4 * 4 + 0.1))).toBe('TOO_MANY_MAILS')
    const invitation = anInvitation()
    const history = { open: invitation, mailedUntil: null as Date | null }
    const codes = Array.from({ length: 6 }, () => {
      const { refusal } = aFamily().resend(invitation, history, invitationBy('olga'))
      history.mailedUntil = invitation.state.mailedUntil
      return refusal?.code
    })
    expect(codes).toEqual([...Array.from({ length: 5 }, () => undefined), 'TOO_MANY_MAILS'])
  })

  test('of a family are a hundred at once, and one each ten minutes', () => {
    expect(code(aFamily(after(99 / 6)), null)).toBeUndefined()
    expect(code(aFamily(after(99.5 / 6)), null)).toBe('TOO_MANY_MAILS')
  })
})

function namesIn({ state }: Family): string {
  return state.members.map(({ userId }) => userId).join(' ')
}
