import { describe, expect, test } from 'vitest'
import type { Role } from '@posthorn/http'
import {
  type Client,
  familyDatabase,
  newAddress,
  runFamilies,
  sentToken,
} from './testing/running.ts'

const db = await familyDatabase()
const running = await runFamilies(db)
const ada = await running.as({})

type Members = Record<string, string>

/** A family of `ada` with the members given, as if they had joined, each as a client. */
async function familyWith(members: Readonly<Record<string, 'ADMIN' | 'MEMBER'>>) {
  const id = await ada.create()
  await db.pool.query(
    `insert into families.family_members (family_id, user_id, role)
     select $1, * from unnest($2::text[], $3::text[])`,
    [id, Object.keys(members), Object.values(members)],
  )
  const clients: Record<string, Client> = { ada }
  for (const sub of Object.keys(members)) clients[sub] = await running.as({ sub })
  return { id, clients, members: { ada: 'OWNER', ...members } as Members }
}

async function membersOf(familyId: string): Promise<Members> {
  const { rows } = await db.pool.query<{ user_id: string; role: string }>(
    'select user_id, role from families.family_members where family_id = $1 order by user_id',
    [familyId],
  )
  return Object.fromEntries(rows.map(({ user_id, role }) => [user_id, role]))
}

/** What the events of a family have made of the members that it began with. */
async function membersByEvents({ id, members }: { id: string; members: Members }) {
  const { rows } = await db.pool.query<{ type: string; payload: Record<string, unknown> }>(
    `select split_part(event_type, '.', 3) as type, payload from families.outbox_events
      where aggregate_id = $1 order by seq`,
    [id],
  )
  const left = { ...members }
  for (const { type, payload } of rows) {
    const of = (name: string) => (payload[name] as { value: string } | undefined)?.value ?? ''
    if (/Joined|RoleChanged/.test(type)) left[of('userId')] = of('role').toUpperCase()
    if (/Left|Removed/.test(type)) delete left[of('userId')]
    if (type === 'FamilyOwnershipTransferredEvent') {
      left[of('previousOwnerUserId')] = 'ADMIN'
      left[of('ownerUserId')] = 'OWNER'
    }
  }
  return Object.fromEntries(Object.entries(left).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

test('members leave, are removed, change roles, and take over the family', async () => {
  const family = await familyWith({ bob: 'MEMBER', eve: 'ADMIN' })
  const { id, clients } = family
  const { bob, eve } = clients
  const familyId = id
  expect(await bob?.act('changeFamilyMemberRole', { familyId, userId: 'bob', role: 'ADMIN' })).toBe(
    'FORBIDDEN',
  )
  expect(await ada.act('changeFamilyMemberRole', { familyId, userId: 'bob', role: 'ADMIN' })).toBe(
    undefined,
  )
  expect(await ada.act('leaveFamily', { familyId })).toBe('OWNER_REQUIRED')
  expect(await ada.act('transferFamilyOwnership', { familyId, userId: 'bob' })).toBe(undefined)
  expect(await membersOf(id)).toEqual({ ada: 'ADMIN', bob: 'OWNER', eve: 'ADMIN' })
  expect(await ada.act('leaveFamily', { familyId })).toBe(undefined)
  expect(await eve?.act('removeFamilyMember', { familyId, userId: 'bob' })).toBe('OWNER_REQUIRED')
  expect(await bob?.act('removeFamilyMember', { familyId, userId: 'eve' })).toBe(undefined)
  expect(await membersOf(id)).toEqual({ bob: 'OWNER' })
  expect(await membersByEvents(family)).toEqual({ bob: 'OWNER' })
})

test('a member who left is invited again, and joins again', async () => {
  const id = await ada.create()
  const bob = await running.as({ sub: 'bob' })
  const address = newAddress()
  for (let round = 0; round < 2; round += 1) {
    const { id: invitation } = await ada.invite(id, address)
    expect(await bob.accept(await sentToken(running, invitation))).toMatchObject({
      status: 'ACCEPTED',
    })
    expect(await bob.act('leaveFamily', { familyId: id })).toBe(undefined)
  }
  expect(await bob.act('leaveFamily', { familyId: id })).toBe('NOT_FOUND')
})

test('an invitation is declined by who holds its token, once for all', async () => {
  const id = await ada.create()
  const [bob, stranger] = [
    await running.as({ sub: 'bob' }),
    await running.as({ sub: 'bob', org: 'umbrella' }),
  ]
  const address = newAddress()
  const { id: invitation } = await ada.invite(id, address)
  const token = await sentToken(running, invitation)
  expect(await stranger.decline(token)).toMatchObject({ code: 'NOT_FOUND' })
  expect(await bob.decline('nonsense')).toMatchObject({ code: 'NOT_FOUND' })
  for (let twice = 0; twice < 2; twice += 1) {
    expect(await bob.decline(token)).toMatchObject({ code: undefined, status: 'DECLINED' })
  }
  expect(await bob.accept(token)).toMatchObject({ code: 'NOT_FOUND' })
  expect(await ada.resend(invitation)).toMatchObject({ code: 'NOT_FOUND' })
  expect(await ada.invite(id, address)).toMatchObject({ status: 'PENDING' })
  const { rows } = await db.pool.query(
    `select payload #>> '{declinedByUserId,value}' as by from families.outbox_events
      where aggregate_id = $1 and event_type like '%Declined%'`,
    [invitation],
  )
  expect(rows).toEqual([{ by: 'bob' }])
})

describe('at once', () => {
  test('after any actions of its members the family has one owner, and its events say what it is', async () => {
    for (let round = 0; round < 4; round += 1) {
      const family = await familyWith({ bob: 'ADMIN', eve: 'MEMBER', zoe: 'MEMBER' })
      const { id, clients } = family
      const acts = (['ada', 'bob', 'eve', 'zoe'] as const).flatMap((sub) => {
        const other = { ada: 'bob', bob: 'eve', eve: 'zoe', zoe: 'ada' }[sub]
        const member = { familyId: id, userId: other }
        const client = clients[sub] ?? ada
        return [
          () => client.act('leaveFamily', { familyId: id }),
          () => client.act('removeFamilyMember', member),
          () => client.act('transferFamilyOwnership', member),
          () => client.act('changeFamilyMemberRole', { ...member, role: 'ADMIN' }),
        ]
      })
      // In another order each time: the first to commit decides what the others may.
      const shift = (round * 5) % acts.length
      await Promise.all([...acts.slice(shift), ...acts.slice(0, shift)].map((act) => act()))
      const members = await membersOf(id)
      expect(Object.values(members).filter((role) => role === 'OWNER')).toHaveLength(1)
      expect(await membersByEvents(family)).toEqual(members)
    }
  })

  test('the new owner is not removed by the old one, nor leaves as a member', async () => {
    for (let round = 0; round < 4; round += 1) {
      const family = await familyWith({ bob: 'MEMBER' })
      const { id, clients } = family
      const member = { familyId: id, userId: 'bob' }
      const [transferred, left, removed] = await Promise.all([
        ada.act('transferFamilyOwnership', member),
        clients['bob']?.act('leaveFamily', { familyId: id }),
        ada.act('removeFamilyMember', member),
      ])
      const members = await membersOf(id)
      // Bob owns the family, or is gone; and who was too late was refused.
      if (transferred === undefined) {
        expect(members).toEqual({ ada: 'ADMIN', bob: 'OWNER' })
        expect([left, removed]).toEqual(['OWNER_REQUIRED', 'OWNER_REQUIRED'])
      } else {
        expect(members).toEqual({ ada: 'OWNER' })
        expect([left, removed].filter((code) => code === undefined)).toHaveLength(1)
      }
      expect(await membersByEvents(family)).toEqual(members)
    }
  })

  test('an invitation is accepted or declined, not both', async () => {
    const bob = await running.as({ sub: 'bob' })
    for (let round = 0; round < 4; round += 1) {
      const id = await ada.create()
      const { id: invitation } = await ada.invite(id, newAddress())
      const token = await sentToken(running, invitation)
      const answers = await Promise.all([bob.accept(token), bob.decline(token)])
      expect(new Set(answers.map(({ code }) => code))).toEqual(new Set(['NOT_FOUND', undefined]))
    }
  })
})

test('the database itself lets no family be without an owner, or with two', async () => {
  const { id } = await familyWith({ bob: 'MEMBER' })
  const change = (text: string) => db.pool.query(text, [id])
  for (const text of [
    `update families.family_members set role = 'ADMIN' where family_id = $1 and role = 'OWNER'`,
    `delete from families.family_members where family_id = $1 and role = 'OWNER'`,
  ]) {
    await expect(change(text)).rejects.toMatchObject({ constraint: 'family_members_owned' })
  }
  await expect(
    change(`update families.family_members set role = 'OWNER' where family_id = $1`),
  ).rejects.toMatchObject({ constraint: 'family_members_owner' })
  const founded = `insert into families.families (id, org_id, name, version)
    values (gen_random_uuid(), 'acme', $1::text, 1)`
  await expect(change(founded)).rejects.toMatchObject({ constraint: 'family_members_owned' })
})

describe('who may do what', () => {
  /** Callers by who they are: role in the family, then role and tenant of their token. */
  const CALLERS: Readonly<Record<string, { sub?: string; org?: string; role?: Role }>> = {
    owner: {},
    admin: { sub: 'adam' },
    member: { sub: 'mia' },
    colleague: { sub: 'eve' },
    'administrator of the organisation': { sub: 'eve', role: 'admin' },
    'operator of the organisation': { sub: 'eve', role: 'operator' },
    'member with a viewer token': { sub: 'mia', role: 'viewer' },
    'owner in another organisation': { org: 'umbrella' },
    'operator of another organisation': { org: 'umbrella', role: 'operator' },
  }
  const SEES: Readonly<Record<string, boolean>> = {
    owner: true,
    admin: true,
    member: true,
    colleague: false,
    'administrator of the organisation': true,
    'operator of the organisation': true,
    'member with a viewer token': true,
    'owner in another organisation': false,
    'operator of another organisation': false,
  }

  test.each(Object.keys(CALLERS))('%s reads', async (who) => {
    const { id } = await familyWith({ adam: 'ADMIN', mia: 'MEMBER' })
    const { id: invitation } = await ada.invite(id, newAddress())
    const caller = await running.as(CALLERS[who] ?? {})
    const query = `query ($id: ID!, $invitation: ID!) {
      family(id: $id) { id members { userId } invitations { email } }
      invitation(id: $invitation) { email }
      families { items { id } } }`
    const { data } = await caller.ask(query, { id, invitation })
    const { family, invitation: found, families } = data ?? {}
    const listed = families?.['items'] as { id: string }[]
    const seen = [family !== null, found !== null]
    expect([...seen, listed.some((each) => each.id === id)]).toEqual(
      Array.from({ length: 3 }, () => SEES[who]),
    )
  })

  const ACTS: Readonly<Record<string, readonly [mutation: string, input: object]>> = {
    invite: ['inviteFamilyMemberByEmail', { email: 'x@example.com', role: 'MEMBER' }],
    remove: ['removeFamilyMember', { userId: 'zoe' }],
    'change a role': ['changeFamilyMemberRole', { userId: 'yan', role: 'ADMIN' }],
    leave: ['leaveFamily', {}],
    transfer: ['transferFamilyOwnership', { userId: 'yan' }],
  }
  const OTHERS = ['FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN', 'NOT_FOUND', 'FORBIDDEN']
  const NOTHING = Array.from({ length: 5 }, () => 'NOT_FOUND')
  const ALLOWED: Readonly<Record<string, readonly (string | undefined)[]>> = {
    owner: [undefined, undefined, undefined, 'OWNER_REQUIRED', undefined],
    admin: [undefined, undefined, 'FORBIDDEN', undefined, 'FORBIDDEN'],
    member: ['FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN', undefined, 'FORBIDDEN'],
    colleague: OTHERS,
    'administrator of the organisation': OTHERS,
    'operator of the organisation': OTHERS,
    'member with a viewer token': Array.from({ length: 5 }, () => 'FORBIDDEN'),
    'owner in another organisation': NOTHING,
    'operator of another organisation': NOTHING,
  }

  test.each(Object.keys(CALLERS))('%s acts', async (who) => {
    const caller = await running.as(CALLERS[who] ?? {})
    const codes: (string | undefined)[] = []
    const members = { adam: 'ADMIN', mia: 'MEMBER', yan: 'MEMBER', zoe: 'MEMBER' } as const
    const { id } = await familyWith(members)
    for (const [mutation, input] of Object.values(ACTS)) {
      const shown = mutation.startsWith('invite') ? 'invitation' : 'family'
      const query = `mutation ($input: ${mutation.slice(0, 1).toUpperCase()}${mutation.slice(1)}Input!) {
        answer: ${mutation}(input: $input) { ${shown} { id } errors { code } } }`
      const { data, errors } = await caller.ask(query, { input: { familyId: id, ...input } })
      const answer = data?.['answer'] as { errors: { code: string }[] } | undefined
      codes.push(answer ? answer.errors[0]?.code : errors?.[0]?.extensions?.code)
    }
    expect(codes).toEqual(ALLOWED[who])
  })
})

describe('mails are limited', () => {
  test('for an address, also if its invitation is revoked and made anew', async () => {
    const id = await ada.create()
    const address = newAddress()
    const { id: invitation } = await ada.invite(id, address)
    const codes = await Promise.all(Array.from({ length: 8 }, () => ada.resend(invitation)))
    expect(codes.filter(({ code }) => code === undefined)).toHaveLength(4)
    expect(codes.filter(({ code }) => code === 'TOO_MANY_MAILS')).toHaveLength(4)
    await ada.revoke(invitation)
    expect(await ada.invite(id, address)).toMatchObject({ code: 'TOO_MANY_MAILS' })
    expect(await ada.invite(id, newAddress())).toMatchObject({ code: undefined })
  })

  test('for a family, however many invite at once', async () => {
    const id = await ada.create()
    // 95 of the hundred are used up.
    await db.pool.query(
      `update families.families set mailed_until = posthorn.now() + 95 * interval '10min'
        where id = $1`,
      [id],
    )
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => ada.invite(id, newAddress())),
    )
    expect(answers.filter(({ code }) => code === undefined)).toHaveLength(5)
    expect(answers.filter(({ code }) => code === 'TOO_MANY_MAILS')).toHaveLength(7)
  })
})
