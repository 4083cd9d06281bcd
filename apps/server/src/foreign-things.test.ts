import { testDatabase } from '@posthorn/engine/testing'
import { expect, test, vi } from 'vitest'
import { loadSystems } from './systems.ts'
import { testServer } from './testing/test-server.ts'

/*
 * Messages, conversations, accounts, orders, sagas, families and holds of another organisation, by
 * every route that has an id in its path, in filters, cursors, bodies and by GraphQL.
 */
const PATIENT = { timeout: 60_000 }
const UNKNOWN = '01890a5d-ac96-774b-bcce-b302099a8057'

const NAMES = new Set(['payments', 'messages', 'orders', 'families'])
const installed = await loadSystems({})
const systems = installed.filter(({ name }) => NAMES.has(name))
const server = await testServer(await testDatabase(), { systems })

type Body = Record<string, unknown>

interface Described {
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly schema?: { readonly type?: string; readonly enum?: unknown; readonly format?: string }
  }[]
}

const { body: description } = await server.call('/openapi.json')
const paths = Object.entries(description['paths'] as Record<string, Record<string, Described>>)

const ROOMS =
  /^\/api\/v1\/(orders|sagas|conversations|legal-holds|outbound\/(?:messages|accounts))\//
const routes = paths.flatMap(([path, methods]) =>
  ROOMS.test(path) && path.includes('{id}')
    ? Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path }))
    : [],
)
const lists = paths.flatMap(([path, { get }]) =>
  get && path.startsWith('/api/v1/') && !/[{]|stream|overview|database|\/demo/.test(path)
    ? [{ path, filters: (get.parameters ?? []).filter((each) => each.in === 'query') }]
    : [],
)

/** What a route needs to get as far as looking for the thing; other routes take an empty body. */
const BODIES: Readonly<Record<string, Body>> = {
  'PATCH accounts': { name: 'theirs no more' },
  'POST conversations messages': { text: 'hello' },
  'PUT conversations consent': { granted: false },
  'POST legal-holds release': { reason: 'over' },
  'POST sagas skip': { step: 'payment', reason: 'stuck' },
  'POST sagas restart': { from: 'payment', reason: 'stuck', step: 'payment' },
  'POST sagas complete': { reason: 'stuck', step: 'payment' },
  'POST sagas terminate': { reason: 'stuck', step: 'payment' },
  'POST sagas events': { name: 'release' },
}

async function operatorOf(org: string) {
  const token = await server.tokenFor({ sub: `operator of ${org}`, org, role: 'operator' })
  const ask = async (method: string, path: string, body?: Body) => {
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'idempotency-key': `${org} ${Math.random()}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, text, body: (text === '' ? {} : JSON.parse(text)) as Body }
  }
  const make = async (path: string, body: Body) => {
    const answer = await ask('POST', path, body)
    expect(answer.status, answer.text).toBeLessThan(300)
    return answer.body
  }
  const first = async (path: string) => {
    const items = async () => (await ask('GET', path)).body['items'] as Body[]
    await vi.waitFor(async () => expect(await items(), path).not.toHaveLength(0), PATIENT)
    return String((await items())[0]?.['id'])
  }
  return { ask, make, first }
}

type Operator = Awaited<ReturnType<typeof operatorOf>>

const GRAPHQL = {
  create: 'mutation { made: createFamily(input: { name: "F" }) { thing: family { id } } }',
  invite: (family: string) =>
    `mutation { made: inviteFamilyMemberByEmail(input: { familyId: "${family}", email: "a@b.test", role: MEMBER }) { thing: invitation { id } errors { code message } } }`,
}

async function mutate({ make }: Operator, query: string): Promise<string> {
  const { data } = (await make('/graphql', { query })) as {
    data: { made: { thing: { id: string } | null } }
  }
  return data.made.thing?.id ?? ''
}

/** One of everything that has an id. */
async function makeThings(operator: Operator, digits: string) {
  const { make, first } = operator
  const to = `+1650555${digits}`
  const line = { items: [{ sku: 'LAMP', quantity: 1 }], amount: 100, currency: 'EUR', hold: true }
  const { id: order } = await make('/api/v1/orders', line)
  const { id: message } = await make('/api/v1/outbound/messages', {
    ...{ channel: 'whatsapp', to, templateCode: 'appointment_reminder' },
    payloadJson: { language: 'en_US', parameters: ['Monday', '10:00'] },
  })
  const { id: account } = await make('/api/v1/outbound/accounts', {
    ...{ name: 'own', phoneNumberIds: [`1065${digits}`], accessToken: 'token-of-account' },
    ...{ appSecret: 'secret-of-account', verifyToken: 'word-of-account' },
  })
  const { id: hold } = await make('/api/v1/legal-holds', { kind: 'organisation', reason: 'court' })
  const status = async () =>
    (await operator.ask('GET', `/api/v1/outbound/messages/${String(message)}`)).body['status']
  await vi.waitFor(async () => expect(await status()).toBe('DELIVERED'), PATIENT)
  await make('/sim/whatsapp/inbound', { from: to, text: 'Yes', name: 'Ada' })
  const family = await mutate(operator, GRAPHQL.create)
  const invitation = await mutate(operator, GRAPHQL.invite(family))
  const conversation = await first('/api/v1/conversations')
  const saga = await first('/api/v1/sagas')
  return {
    ids: {
      orders: order,
      sagas: saga,
      conversations: conversation,
      'legal-holds': hold,
      'outbound/messages': message,
      'outbound/accounts': account,
    } as Readonly<Record<string, unknown>>,
    ...{ family, invitation, number: to },
  }
}

const [ours, theirs] = [await operatorOf('ours'), await operatorOf('theirs')]
const foreign = await makeThings(theirs, '1234')
const theirWords = [...Object.values(foreign.ids), foreign.family, foreign.invitation].map(String)

const withoutIds = (text: string) =>
  [...theirWords, UNKNOWN].reduce((rest, id) => rest.replaceAll(id, '…'), text)

test('the things are there for their own organisation', async () => {
  expect(routes.length).toBeGreaterThan(18)
  for (const { method, path } of routes) {
    if (method !== 'GET') continue
    const room = ROOMS.exec(path)?.[1] ?? ''
    const { status } = await theirs.ask(method, path.replace('{id}', String(foreign.ids[room])))
    expect(status, path).toBe(200)
  }
})

test.each(routes)(
  '$method $path of another organisation is not there',
  async ({ method, path }) => {
    const room = ROOMS.exec(path)?.[1] ?? ''
    const word = path.split('/').at(-1)?.replace('{id}', '') ?? ''
    const isWriting = method !== 'GET' && method !== 'DELETE'
    const name = [method, room.split('/').at(-1), word].filter((part) => part !== '').join(' ')
    const body = isWriting ? (BODIES[name] ?? {}) : undefined
    const askFor = (id: unknown) => ours.ask(method, path.replace('{id}', String(id)), body)
    const [there, nowhere] = [await askFor(foreign.ids[room]), await askFor(UNKNOWN)]
    expect(there.status, there.text).toBe(404)
    expect(withoutIds(there.text)).toBe(withoutIds(nowhere.text))
  },
)

test('no filter and no cursor of a list leads to what is theirs', async () => {
  const found: string[] = []
  const { orders, 'outbound/messages': message } = foreign.ids
  const values = [orders, message, foreign.family, foreign.number, 'theirs'].map(String)
  for (const { path, filters } of lists) {
    // Words and times of a list's own say nothing about an id.
    const queries = filters
      .filter(({ name, schema = {} }) => !/^(limit|cursor)$/.test(name) && schema.type === 'string')
      .filter(({ schema = {} }) => schema.enum === undefined && schema.format !== 'date-time')
      .flatMap(({ name }) => values.map((value) => `${name}=${encodeURIComponent(value)}`))
    const { body } = await theirs.ask('GET', `${path}?limit=1`)
    const cursor = body['nextCursor']
    if (typeof cursor === 'string') queries.push(`cursor=${encodeURIComponent(cursor)}`)
    const asked = ['', ...queries].map(async (query) => {
      const { status, body: answer } = await ours.ask('GET', `${path}?${query}`)
      expect(status, `${path}?${query}`).toBeLessThan(500)
      const items = JSON.stringify(answer['items'] ?? [])
      for (const word of theirWords) if (items.includes(word)) found.push(`${path}?${query}`)
    })
    await Promise.all(asked)
  }
  expect(lists.length).toBeGreaterThan(10)
  expect(found).toEqual([])
})

test('a family and an invitation of theirs are none by GraphQL, whatever is asked', async () => {
  const { family, invitation } = foreign
  const say = async (query: string) =>
    withoutIds((await ours.ask('POST', '/graphql', { query })).text)
  const member = (id: string) => `{ familyId: "${id}", userId: "operator of theirs"`
  const errors = '{ errors { code message } }'
  for (const [id, query] of [
    [family, (it: string) => `{ family(id: "${it}") { id name } }`],
    [invitation, (it: string) => `{ invitation(id: "${it}") { id } }`],
    [family, (it: string) => GRAPHQL.invite(it)],
    [family, (it: string) => `mutation { leaveFamily(input: { familyId: "${it}" }) ${errors} }`],
    [family, (it: string) => `mutation { removeFamilyMember(input: ${member(it)} }) ${errors} }`],
    [
      family,
      (it: string) =>
        `mutation { changeFamilyMemberRole(input: ${member(it)}, role: MEMBER }) ${errors} }`,
    ],
    [
      family,
      (it: string) => `mutation { transferFamilyOwnership(input: ${member(it)} }) ${errors} }`,
    ],
    [
      invitation,
      (it: string) => `mutation { resendInvitation(input: { invitationId: "${it}" }) ${errors} }`,
    ],
    [
      invitation,
      (it: string) => `mutation { revokeInvitation(input: { invitationId: "${it}" }) ${errors} }`,
    ],
  ] as const) {
    const there = await say(query(id))
    expect(there).toBe(await say(query(UNKNOWN)))
    expect(there).not.toContain('Cannot query')
  }
  const list = await ours.ask('POST', '/graphql', { query: '{ families { nodes { id } } }' })
  for (const word of theirWords) expect(list.text).not.toContain(word)
})

test('what names a thing of theirs in a body is refused as if there were none', async () => {
  const hold = (subject: unknown) =>
    ours.ask('POST', '/api/v1/legal-holds', { kind: 'saga', subject, reason: 'court' })
  const send = (accountId: unknown) =>
    ours.ask('POST', '/api/v1/outbound/templates/import', { accountId })
  for (const [ask, id] of [
    [hold, foreign.ids['sagas']],
    [send, foreign.ids['outbound/accounts']],
  ] as const) {
    const [there, nowhere] = [await ask(id), await ask(UNKNOWN)]
    expect(there.status).toBe(nowhere.status)
    expect(withoutIds(there.text).replaceAll(/"(id|createdAt|at)":"[^"]*"/g, '')).toBe(
      withoutIds(nowhere.text).replaceAll(/"(id|createdAt|at)":"[^"]*"/g, ''),
    )
  }
})

test('nothing of theirs has changed', async () => {
  const read = async (room: string) =>
    (await theirs.ask('GET', `/api/v1/${room}/${String(foreign.ids[room])}`)).body
  expect(await read('outbound/messages')).toMatchObject({ status: 'DELIVERED' })
  expect(await read('orders')).toMatchObject({ id: foreign.ids['orders'] })
  const { body } = await theirs.ask('GET', '/api/v1/outbound/accounts')
  expect(JSON.stringify(body)).not.toContain('theirs no more')
  const query = `{ family(id: "${foreign.family}") { members { userId } } }`
  const { text } = await theirs.ask('POST', '/graphql', { query })
  expect(text).toContain('operator of theirs')
})
