import { advanceClock, useMovableClock } from '@posthorn/operate'
import { silentLog } from '@posthorn/engine'
import { buildClientSchema, getIntrospectionQuery } from 'graphql'
import { beforeAll, describe, expect, test } from 'vitest'
import { createGraphql } from './graphql.ts'
import { familyDatabase, newAddress, runFamilies, sentToken } from './testing/running.ts'

const db = await familyDatabase()
const running = await runFamilies(db)
const { url } = running
const ada = await running.as({})
const bob = await running.as({ sub: 'bob' })
const stranger = await running.as({ sub: 'ada', org: 'umbrella' })

beforeAll(() => useMovableClock(db.pool))

const created = 'mutation { createFamily(input: { name: "X" }) { family { id } } }'

const findSentToken = (invitationId: string) => sentToken(running, invitationId)

describe('over HTTP', () => {
  const post = (body: string, headers: Record<string, string> = {}) =>
    fetch(`${url}/graphql`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${ada.token}`,
        'content-type': 'application/json',
        ...headers,
      },
      body,
    })

  test('requests without a token are refused', async () => {
    for (const method of ['GET', 'POST']) {
      const response = await fetch(`${url}/graphql`, { method })
      expect(response.status).toBe(401)
      expect(response.headers.get('content-type')).toMatch('application/problem+json')
      expect(await response.json()).toMatchObject({ code: 'UNAUTHENTICATED' })
    }
    const forged = await post('{"query":"{ __typename }"}', { authorization: 'Bearer abc' })
    expect(forged.status).toBe(401)
  })

  test('a viewer reads by POST, and changes nothing', async () => {
    const { token } = await running.as({ role: 'viewer' })
    const headers = { authorization: `Bearer ${token}` }
    const read = await post('{"query":"{ __typename }"}', headers)
    expect(await read.json()).toEqual({ data: { __typename: 'Query' } })
    const refused = await post(JSON.stringify({ query: created }), headers)
    expect(refused.status).toBe(403)
    expect(await refused.json()).toMatchObject({ errors: [{ extensions: { code: 'FORBIDDEN' } }] })
  })

  test('a query can be asked by GET, a mutation cannot', async () => {
    const get = (query: string) =>
      fetch(`${url}/graphql?query=${encodeURIComponent(query)}`, {
        headers: { authorization: `Bearer ${ada.token}` },
      })
    expect(await (await get('{ __typename }')).json()).toEqual({ data: { __typename: 'Query' } })
    expect((await get(created)).status).toBe(405)
  })

  test.each(['variables={', 'extensions=%5B'])('an address with %s is 400', async (rest) => {
    const response = await fetch(`${url}/graphql?query=%7B__typename%7D&${rest}`, {
      headers: { authorization: `Bearer ${ada.token}` },
    })
    expect(response.status).toBe(400)
  })

  test.each([
    ['no JSON', '{'],
    ['no query', '{}'],
    ['a batch', `[{"query":"{ __typename }"},{"query":"{ __typename }"}]`],
    ['no GraphQL', '{"query":"{ family("}'],
    ['an unknown field', '{"query":"{ nothing }"}'],
    ['a wrong variable', '{"query":"query($id: ID!) { family(id: $id) { id } }","variables":{}}'],
    [
      'a wrong role',
      '{"query":"mutation { inviteFamilyMemberByEmail(input: { familyId: 1, email: 2, role: KING }) { errors { code } } }"}',
    ],
    ['a zero byte', '{"query":"{ __typename }","variables":{"a":"\\u0000"}}'],
  ])('%s is 400', async (_, body) => {
    const response = await post(body)
    expect(response.status).toBe(400)
    expect(response.headers.get('content-type')).toMatch(/json/)
  })

  test('the reference has the types of its answers', async () => {
    const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as {
      paths: Record<string, { post: { responses: Record<string, { content: object }> } }>
    }
    const { responses } = paths['/graphql']?.post ?? { responses: {} }
    const types = Object.entries(responses).map(([status, { content }]) => [
      status,
      Object.keys(content).toSorted((a, b) => (a < b ? -1 : 1)),
    ])
    const graphql = ['application/graphql-response+json', 'application/json']
    const either = [...graphql, 'application/problem+json']
    expect(Object.fromEntries(types)).toEqual({ 200: graphql, '4XX': either, '5XX': either })
  })

  test('errors of GraphQL say what and where', async () => {
    const { status, errors } = await ada.ask('{ family(id: "1") { nothing } }')
    expect(status).toBe(400)
    expect(errors?.[0]).toMatchObject({ message: expect.stringContaining('nothing') })
  })

  test.each([
    [
      'deep',
      `{ __type(name: "X") { fields { type { ${'ofType { '.repeat(6)} name ${'} '.repeat(9)} }`,
      /depth limit/,
    ],
    [
      'dear',
      `{ ${Array.from({ length: 80 }, (_, i) => `a${i}: family(id: 1) { id }`).join(' ')} }`,
      /Cost limit/,
    ],
    ['long', `{ ${'__typename '.repeat(2_000)} }`, /1000 tokens/],
    [
      'repetitive',
      `fragment f on Family { ${'id '.repeat(2_000)} } { family(id: 1) { ...f } }`,
      /1000 tokens/,
    ],
    [
      'circular',
      'fragment f on Family { ...f } { family(id: 1) { ...f } }',
      /spread fragment|limit/,
    ],
  ])('what is too %s is refused, fast', async (_, query, says) => {
    const started = performance.now()
    const { status, errors, data } = await ada.ask(query)
    expect({ status, data }).toEqual({ status: 400, data: undefined })
    expect(errors?.[0]?.message).toMatch(says)
    expect(performance.now() - started).toBeLessThan(20_000)
  })

  test.each([
    ['an alias of it', '{ a: __schema { types { name } } b: __schema { types { name } } }'],
    ['an alias of a type', '{ a: __type(name: "Family") { name } }'],
    ['an alias inside', '{ __schema { types { a: fields { name } b: fields { name } } } }'],
    [
      'an alias in a fragment',
      'fragment T on __Type { a: fields { name } } { __schema { types { ...T } } }',
    ],
    ['a repeat', '{ __schema { types { fields { name } fields { name } } } }'],
    ['a repeat of it', '{ __schema { types { name } } __schema { types { name } } }'],
  ])('introspection with %s is refused', async (_, query) => {
    const { status, errors, data } = await ada.ask(query)
    expect({ status, data }).toEqual({ status: 400, data: undefined })
    expect(errors?.[0]?.message).toMatch(/^Introspection takes/)
  })

  test('a small request for the schema, many times over, is refused before it takes long', async () => {
    const many = (count: number, field: string) =>
      Array.from({ length: count }, (_, i) => `a${i}: ${field}`).join(' ')
    const query = `{ __schema { types { ${many(40, 'fields { type { ...T } }')} } } }
      fragment T on __Type { ${many(40, 'fields { name description }')} }`
    expect(query.length).toBeLessThan(3_000)
    const started = performance.now()
    const { status, body } = await ada.ask(query)
    expect(status).toBe(400)
    expect(JSON.stringify(body).length).toBeLessThan(50_000)
    expect(performance.now() - started).toBeLessThan(5_000)
  })

  test('the query of code generators is answered', async () => {
    const query = getIntrospectionQuery({
      ...{ descriptions: true, specifiedByUrl: true, directiveIsRepeatable: true },
      ...{ schemaDescription: true, inputValueDeprecation: true, oneOf: true },
    })
    const { status, data, body } = await ada.ask(query)
    expect(status).toBe(200)
    expect(buildClientSchema(data as never).getQueryType()?.name).toBe('Query')
    expect(JSON.stringify(body).length).toBeLessThan(100_000)
  })

  test('an answer that would be too large is refused', async () => {
    const id = await ada.create('Large')
    await db.pool.query(
      `insert into families.family_members (family_id, user_id, role)
       select $1, repeat('m', 200) || n, 'MEMBER' from generate_series(1, 2000) n`,
      [id],
    )
    const fields = 'members { userId role joinedAt }'
    const query = (count: number) =>
      `query ($id: ID!) { family(id: $id) { ${Array.from({ length: count }, (_, i) => `a${i}: ${fields}`).join(' ')} } }`
    const whole = await ada.ask(query(1), { id })
    expect(whole.data?.['family']?.['a0']).toHaveLength(2_001)
    const { data, errors } = await ada.ask(query(20), { id })
    expect(data).toEqual({ family: null })
    expect(errors?.[0]?.extensions?.code).toBe('ANSWER_TOO_LARGE')
  })

  test('production tells nobody the schema', async () => {
    const graphql = createGraphql({ log: silentLog, production: true })
    for (const query of [getIntrospectionQuery(), '{ __type(name: "Family") { name } }']) {
      const response = await graphql.fetch('http://localhost/graphql', {
        ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
        body: JSON.stringify({ query }),
      })
      expect(await response.text()).toContain('Introspection is off in production.')
    }
  })

  test('a body of 100 KiB is too large, and another type is not taken', async () => {
    const large = await post(JSON.stringify({ query: `# ${'x'.repeat(100_000)}` }))
    expect(large.status).toBe(413)
    expect((await post('{ __typename }', { 'content-type': 'application/graphql' })).status).toBe(
      415,
    )
  })

  test('the schema can be read', async () => {
    const { data } = await ada.ask('{ __schema { mutationType { fields { name } } } }')
    expect(JSON.stringify(data)).toContain('inviteFamilyMemberByEmail')
  })

  test('the answer has the media type that was asked for', async () => {
    const requestType = async (accept: string) =>
      (await post('{"query":"{ __typename }"}', { accept })).headers.get('content-type')
    expect(await requestType('*/*')).toBe('application/json; charset=utf-8')
    expect(await requestType('application/graphql-response+json')).toBe(
      'application/graphql-response+json; charset=utf-8',
    )
  })
})

describe('families', () => {
  test('are founded, and seen by their members only', async () => {
    const id = await ada.create(' The Addams Family ')
    const query = `query ($id: ID!) { family(id: $id) {
      id name members { userId role joinedAt } invitations { id } } }`
    expect((await ada.ask(query, { id })).data).toEqual({
      family: {
        id,
        name: 'The Addams Family',
        members: [{ userId: 'ada', role: 'OWNER', joinedAt: expect.any(String) }],
        invitations: [],
      },
    })
    expect((await ada.ask(query, { id: id.toUpperCase() })).data).toMatchObject({ family: { id } })
    expect((await stranger.ask(query, { id })).data).toEqual({ family: null })
    expect((await ada.ask(query, { id: 'no-uuid' })).data).toEqual({ family: null })
  })

  test('are listed for their tenant, page by page, newest first', async () => {
    const wayne = await running.as({ sub: 'bruce', org: 'wayne' })
    const founded: string[] = []
    for (let n = 0; n < 52; n += 1) founded.push(await wayne.create(`Wayne ${n}`))
    const query = `query ($cursor: ID) { families(cursor: $cursor) {
      items { id name memberCount createdAt } nextCursor } }`
    interface Page {
      items: { id: string }[]
      nextCursor: string | null
    }
    const page = async (cursor?: string | null) =>
      (await wayne.ask(query, { cursor })).data?.['families'] as unknown as Page
    const first = await page()
    expect(first.items[0]).toEqual({
      ...{ id: founded.at(-1), name: 'Wayne 51', memberCount: 1 },
      createdAt: expect.any(String),
    })
    const second = await page(first.nextCursor)
    expect(second.nextCursor).toBeNull()
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(founded.toReversed())
    const { status, errors } = await wayne.ask(query, { cursor: 'nonsense' })
    expect({ status, code: errors?.[0]?.extensions?.code }).toEqual({
      ...{ status: 400, code: 'CURSOR_INVALID' },
    })
  })

  test('a name that is none is refused', async () => {
    const query =
      'mutation ($n: String!) { createFamily(input: { name: $n }) { family { id } errors { code message } } }'
    const { data } = await ada.ask(query, { n: 'a\nb' })
    expect(data).toEqual({
      createFamily: {
        family: null,
        errors: [{ code: 'INVALID_NAME', message: expect.any(String) }],
      },
    })
  })
})

describe('invitations', () => {
  test('are invited, read, accepted', async () => {
    const id = await ada.create()
    const { code, ...invited } = await ada.invite(id, newAddress(), 'ADMIN')
    expect({ code, status: invited.status }).toEqual({ code: undefined, status: 'PENDING' })
    const days = (Date.parse(invited.expiresAt ?? '') - Date.now()) / 86_400_000
    expect(days).toBeGreaterThan(13.9)
    expect(days).toBeLessThan(14.1)
    const token = await findSentToken(invited.id)
    expect(await stranger.accept(token)).toMatchObject({ code: 'NOT_FOUND' })
    expect(await ada.accept(token)).toMatchObject({ code: 'ALREADY_MEMBER' })
    expect(await bob.accept('nonsense')).toMatchObject({ code: 'NOT_FOUND' })
    expect(await bob.accept(token)).toMatchObject({ code: undefined, status: 'ACCEPTED' })
    expect(await bob.accept(token)).toMatchObject({ code: 'ALREADY_MEMBER' })
    const eve = await running.as({ sub: 'eve' })
    expect(await eve.accept(token)).toMatchObject({ code: 'NOT_FOUND' })
    expect(await bob.invite(id, newAddress())).toMatchObject({ code: undefined })
  })

  test('are refused to those who may not, and to another tenant', async () => {
    const id = await ada.create()
    const invited = await ada.invite(id, newAddress())
    expect(await bob.invite(id, newAddress())).toMatchObject({ code: 'FORBIDDEN' })
    expect(await bob.resend(invited.id)).toMatchObject({ code: 'FORBIDDEN' })
    expect(await bob.revoke(invited.id)).toMatchObject({ code: 'FORBIDDEN' })
    expect(await ada.invite(id, newAddress(), 'OWNER')).toMatchObject({ code: 'FORBIDDEN' })
    expect(await ada.invite(id, 'not-an-address')).toMatchObject({ code: 'INVALID_EMAIL' })
    for (const act of [stranger.resend, stranger.revoke]) {
      expect(await act(invited.id)).toMatchObject({ code: 'NOT_FOUND' })
    }
    expect(await stranger.invite(id, newAddress())).toMatchObject({ code: 'NOT_FOUND' })
    expect(await ada.invite('x', newAddress())).toMatchObject({ code: 'NOT_FOUND' })
    const query = 'query ($id: ID!) { invitation(id: $id) { id email role status expiresAt } }'
    expect((await stranger.ask(query, { id: invited.id })).data).toEqual({ invitation: null })
    expect((await ada.ask(query, { id: invited.id })).data).toMatchObject({
      invitation: { id: invited.id, role: 'MEMBER', status: 'PENDING' },
    })
  })

  test('a zero byte inside the document does no harm', async () => {
    const id = await ada.create()
    const query = `mutation { inviteFamilyMemberByEmail(input: {
      familyId: "${id}", email: "a\\u0000@example.com", role: MEMBER }) { errors { code } } }`
    const { status, data } = await ada.ask(query)
    expect(status).toBe(200)
    expect(data).toEqual({ inviteFamilyMemberByEmail: { errors: [{ code: 'INVALID_EMAIL' }] } })
  })

  test('one address has one open invitation, and none once it belongs to a member', async () => {
    const id = await ada.create()
    const address = newAddress()
    const first = await ada.invite(id, address)
    expect(await ada.invite(id, address.toUpperCase())).toMatchObject({ code: 'ALREADY_INVITED' })
    expect(await ada.revoke(first.id)).toMatchObject({ status: 'REVOKED' })
    expect(await ada.revoke(first.id)).toMatchObject({ code: undefined, status: 'REVOKED' })
    const second = await ada.invite(id, address)
    expect(await ada.resend(first.id)).toMatchObject({ code: 'NOT_FOUND' })
    await bob.accept(await findSentToken(second.id))
    expect(await ada.invite(id, address)).toMatchObject({ code: 'ALREADY_MEMBER' })
    expect(await ada.revoke(second.id)).toMatchObject({ code: 'ALREADY_MEMBER' })
  })

  test('a resend is worth the old token', async () => {
    const id = await ada.create()
    const { id: invitation } = await ada.invite(id, newAddress())
    const old = await findSentToken(invitation)
    await ada.resend(invitation)
    expect(await bob.accept(old)).toMatchObject({ code: 'NOT_FOUND' })
    expect(await bob.accept(await findSentToken(invitation))).toMatchObject({ status: 'ACCEPTED' })
  })

  test('a revoked one cannot be accepted', async () => {
    const { id: invitation } = await ada.invite(await ada.create(), newAddress())
    const token = await findSentToken(invitation)
    await ada.revoke(invitation)
    expect(await bob.accept(token)).toMatchObject({ code: 'NOT_FOUND' })
  })

  test('live for 14 days of the business clock; then the address can be invited again', async () => {
    const id = await ada.create()
    const address = newAddress()
    const first = await ada.invite(id, address)
    const token = await findSentToken(first.id)
    await advanceClock(db.pool, '14d')
    const query = 'query ($id: ID!) { invitation(id: $id) { status } }'
    const { data } = await ada.ask(query, { id: first.id })
    expect(data).toEqual({ invitation: { status: 'EXPIRED' } })
    expect(await bob.accept(token)).toMatchObject({ code: 'EXPIRED' })
    expect(await ada.resend(first.id)).toMatchObject({ status: 'PENDING' })
    await advanceClock(db.pool, '15d')
    const second = await ada.invite(id, address)
    expect(second).toMatchObject({ code: undefined, status: 'PENDING' })
    expect(await ada.resend(first.id)).toMatchObject({ code: 'ALREADY_INVITED' })
    expect(await bob.accept(await findSentToken(second.id))).toMatchObject({ status: 'ACCEPTED' })
  })
})

describe('at once', () => {
  test('of twenty invitations of one address one is made, and the others are refused', async () => {
    const id = await ada.create()
    const address = newAddress()
    const answers = await Promise.all(Array.from({ length: 20 }, () => ada.invite(id, address)))
    const codes = answers.map(({ code }) => code)
    expect(codes.filter((code) => code === undefined)).toHaveLength(1)
    expect(codes.filter((code) => code === 'ALREADY_INVITED')).toHaveLength(19)
    const { rows } = await db.pool.query(
      'select 1 from families.outbox_events where aggregate_id = any($1)',
      [answers.map((answer) => answer.id).filter(Boolean)],
    )
    expect(rows).toHaveLength(1)
  })

  test('twenty people join one family, each once', async () => {
    const id = await ada.create()
    const people = Array.from({ length: 20 }, (_, n) => `guest ${n}`)
    const invited = await Promise.all(people.map(() => ada.invite(id, newAddress())))
    const tokens: string[] = []
    for (const { id: invitation } of invited) tokens.push(await findSentToken(invitation))
    const joined = await Promise.all(
      people.map(async (sub, n) => (await running.as({ sub })).accept(tokens[n] ?? '')),
    )
    expect(joined.map(({ code }) => code)).toEqual(people.map(() => undefined))
    const { rows } = await db.pool.query<{ version: number; members: number; joined: number }>(
      `select version, (select count(*)::int from families.family_members where family_id = id) as members,
              (select count(*)::int from families.outbox_events
                where aggregate_id = id and event_type like '%Joined%') as joined
         from families.families where id = $1`,
      [id],
    )
    expect(rows).toEqual([{ version: 21, members: 21, joined: 20 }])
  })

  test('a token is accepted by one of ten', async () => {
    const { id: invitation } = await ada.invite(await ada.create(), newAddress())
    const token = await findSentToken(invitation)
    const answers = await Promise.all(
      Array.from({ length: 10 }, async (_, n) =>
        (await running.as({ sub: `thief ${n}` })).accept(token),
      ),
    )
    const codes = answers.map(({ code }) => code)
    expect(codes.filter((code) => code === undefined)).toHaveLength(1)
    expect(codes.filter((code) => code === 'NOT_FOUND')).toHaveLength(9)
  })

  test('concurrent inviting and accepting do not make a member with an open invitation', async () => {
    for (let round = 0; round < 10; round += 1) {
      const id = await ada.create()
      const address = newAddress()
      const first = await ada.invite(id, address)
      const token = await findSentToken(first.id)
      const [accepted, again] = await Promise.all([bob.accept(token), ada.invite(id, address)])
      expect(accepted.code).toBeUndefined()
      expect(['ALREADY_INVITED', 'ALREADY_MEMBER']).toContain(again.code)
    }
  })
})

test('trouble with the database is 500 or 503, says nothing of it, and changes nothing', async () => {
  await db.pool.query('alter table families.outbox_events rename to elsewhere')
  const { rows: before } = await db.pool.query('select count(*) from families.families')
  const { status, headers, errors, data } = await ada.ask(created)
  await db.pool.query('alter table families.elsewhere rename to outbox_events')
  expect(status).toBe(500)
  expect(headers.get('retry-after')).toBe('5')
  expect(data).toEqual({ createFamily: null })
  expect(errors).toMatchObject([{ extensions: { code: 'INTERNAL' } }])
  expect(JSON.stringify(errors)).not.toMatch(/outbox_events|relation/)
  expect(running.logged.join()).toContain('outbox_events')
  expect((await db.pool.query('select count(*) from families.families')).rows).toEqual(before)
})
