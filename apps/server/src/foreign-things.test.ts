import { expect, test, vi } from 'vitest'
import {
  CHOSEN,
  EXPLAINED,
  filled,
  foreignRooms,
  namesIn,
  NUMBERS,
  queriesOf,
  UNKNOWN,
  unknownOf,
} from './testing/foreign-rooms.ts'
import { SUGGEST, TEMPLATE, type Body, type Operator } from './testing/foreign-world.ts'

/*
 * What is another organisation's, by every route with a name in its path, and named in filters,
 * cursors, bodies and by GraphQL: an operator of ours gets what an id that exists nowhere gets.
 * Lists are read first: names that organisations choose become ours too by asking for them.
 */
vi.setConfig({ testTimeout: 120_000 })

const rooms = await foreignRooms()
const { ours, theirs, own, foreign, routes, named, swept, lists, theirWords } = rooms
const { roomOf, thingsOf, withoutIds } = rooms

test('no filter of a list leads to what is theirs, in no part of the answer', async () => {
  const found: string[] = []
  const { payments, reconciliations, 'file-jobs': jobs } = foreign
  const values = [
    ...[payments?.['id'], payments?.['refundId'], reconciliations?.['id'], jobs?.['id']],
    ...[jobs?.['rowId'], foreign['orders']?.['id'], foreign['outbound/messages']?.['id']],
    ...[foreign['webhook-endpoints']?.['id'], foreign['webhook-events']?.['id']],
    ...[foreign['dossiers']?.['id'], NUMBERS.theirs, 'theirs', 'operator of theirs'],
  ].map(String)
  const look = async (path: string, value: string | undefined) => {
    const { status, text } = await ours.ask('GET', path)
    expect(status, path).toBeLessThan(500)
    // A refusal may repeat what was asked for, and nothing more.
    const words =
      status < 400 ? theirWords : theirWords.filter((word) => value?.includes(word) !== true)
    for (const word of words) if (text.includes(word)) found.push(`${path}: ${word}`)
  }
  for (const { path, described } of lists) {
    // Words and times of a list's own say nothing about an id.
    const filters = queriesOf(described)
      .filter(({ name, schema = {} }) => !/^(limit|cursor)$/.test(name) && schema.type === 'string')
      .filter(({ schema = {} }) => schema.enum === undefined && schema.format !== 'date-time')
    const queries = filters.flatMap(({ name }) => values.map((value) => [name, value] as const))
    await look(path, undefined)
    await Promise.all(
      queries.map(([name, value]) => look(`${path}?${name}=${encodeURIComponent(value)}`, value)),
    )
  }
  expect(lists.length).toBeGreaterThan(40)
  expect(found).toEqual([])
})

test('no cursor of theirs, with the sort keys in it, shows more than an own one', async () => {
  const found: string[] = []
  let cursors = 0
  const paged = [...lists, ...swept.filter(({ method }) => method === 'GET')].filter(
    ({ described }) => queriesOf(described).some(({ name }) => name === 'cursor'),
  )
  for (const { path } of paged) {
    const page = (things: typeof own) => filled(path, (name) => things[roomOf(path)]?.[name])
    const { body } = await theirs.ask('GET', `${page(foreign)}?limit=1`)
    const cursor = body['nextCursor']
    if (typeof cursor !== 'string') continue
    cursors += 1
    const at = `${page(own)}?cursor=${encodeURIComponent(cursor)}`
    const { status, text } = await ours.ask('GET', at)
    expect(status, at).toBeLessThan(500)
    for (const word of theirWords) if (text.includes(word)) found.push(`${at}: ${word}`)
  }
  expect(cursors).toBeGreaterThan(5)
  expect(found).toEqual([])
})

interface Naming {
  /** `path field`, without the beginning that all paths have. */
  readonly field: string
  readonly id: unknown
  readonly body: (id: unknown) => Body
}

const letterId = foreign['outboxes/{name}/messages']?.['id']
const deadId = foreign['consumers/dead-letters']?.['id']
const { id: paymentId, refundId } = foreign['payments'] ?? {}
const accountId = foreign['outbound/accounts']?.['id']
const suggestionId = foreign['reconciliations']?.['suggestionId']
const filterOf = (id: unknown) => ({ filter: { ids: [id] } })
const decide = (decision: Body) => ({ reason: 'seen', decisions: [decision] })
const MATCH = 'reconciliations/{id}/records/{recordId}/match'
const DECISIONS = 'reconciliations/{id}/decisions'

/** A request for each field that names a thing by its id. */
const NAMING: readonly Naming[] = [
  { field: 'consumers/dead-letters/drop ids', id: deadId, body: filterOf },
  { field: 'consumers/dead-letters/replay ids', id: deadId, body: filterOf },
  { field: 'outboxes/{name}/replay ids', id: letterId, body: filterOf },
  { field: 'outboxes/{name}/replays ids', id: letterId, body: filterOf },
  {
    field: 'legal-holds subject',
    id: foreign['sagas']?.['id'],
    body: (subject) => ({ kind: 'saga', subject, reason: 'court' }),
  },
  {
    field: 'outbound/messages accountId',
    id: accountId,
    body: (id) => ({
      ...{ channel: 'whatsapp', to: NUMBERS.ours, templateCode: 'appointment_reminder' },
      payloadJson: { language: 'en_US', parameters: ['Monday', '10:00'] },
      accountId: id,
    }),
  },
  {
    field: 'outbound/templates/import accountId',
    id: accountId,
    body: (id) => ({ accountId: id }),
  },
  {
    field: 'reconciliation-profiles/preview profile',
    id: foreign['reconciliation-profiles']?.['id'],
    body: (profile) => ({ profile, content: '' }),
  },
  { field: `${MATCH} paymentId`, id: paymentId, body: (id) => ({ reason: 'a', paymentId: id }) },
  {
    field: `${MATCH} paymentIds`,
    id: paymentId,
    body: (id) => ({ reason: 'a', paymentIds: [id] }),
  },
  { field: `${MATCH} refundIds`, id: refundId, body: (id) => ({ reason: 'a', refundIds: [id] }) },
  {
    field: `${DECISIONS} paymentIds`,
    id: paymentId,
    body: (id) => decide({ do: 'match', recordId: '2', paymentIds: [id] }),
  },
  {
    field: `${DECISIONS} refundIds`,
    id: refundId,
    body: (id) => decide({ do: 'match', recordId: '2', refundIds: [id] }),
  },
  {
    field: `${DECISIONS} suggestionId`,
    id: suggestionId,
    body: (id) => decide({ do: 'accept', suggestionId: id }),
  },
]

/** Names that are given outside: by other systems, of columns and lines of files, of persons. */
const OUTSIDE =
  /^(externalPaymentId|externalTransactionId|externalId|businessAccountId|phoneNumberIds|dossierId|recordId)$/

/** Properties of a body that can hold an id, at any depth. */
function idFields(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { properties } = schema as { properties?: object }
  const isName = (name: string) => /(^id|^ids|[a-z]Ids?|^subject|^profile)$/.test(name)
  const fields = Object.keys(properties ?? {}).filter((name) => isName(name) && !OUTSIDE.test(name))
  return [...fields, ...Object.values(schema).flatMap(idFields)]
}

test('every field of a request that names a thing by its id is tried', () => {
  const there = routes
    .filter(({ path }) => path.startsWith('/api/v1/') && !path.startsWith('/api/v1/webhooks/'))
    .flatMap(({ path, described }) =>
      idFields(described.requestBody)
        // A subject of an erasure is a person, by a name that each organisation gives.
        .filter((name) => !(path === '/api/v1/erasures' && name === 'subject'))
        .map((name) => `${path.slice('/api/v1/'.length)} ${name}`),
    )
  expect([...new Set(there)].toSorted()).toEqual(NAMING.map(({ field }) => field).toSorted())
})

test.each(NAMING)('what is theirs is none in $field', async ({ field, id, body }) => {
  const [path = ''] = field.split(' ')
  const at = filled(`/api/v1/${path}`, (name) =>
    name === 'name' ? 'test.letters' : own['reconciliations']?.[name],
  )
  const there = await ours.ask('POST', at, body(id))
  const nowhere = await ours.ask('POST', at, body(unknownOf(id)))
  expect(there.status, there.text).toBe(nowhere.status)
  expect(there.status, there.text).toBeLessThan(500)
  expect(withoutIds(there.text)).toBe(withoutIds(nowhere.text))
  // Refused, or done to none.
  if (there.status < 300) {
    expect(
      Object.values(there.body).filter((value) => value === 0 || Array.isArray(value)),
    ).not.toEqual([])
  }
})

test('a statement is not read by a profile of theirs', async () => {
  const read = async (profile: unknown) => {
    const path = `/api/v1/reconciliations?filename=b.csv&profile=${String(profile)}`
    const headers = { authorization: `Bearer ${ours.token}`, 'content-type': 'text/csv' }
    const response = await fetch(`${ours.url}${path}`, {
      method: 'POST',
      headers,
      body: 'a\n1\n',
    })
    return { status: response.status, text: withoutIds(await response.text()) }
  }
  const there = await read(foreign['reconciliation-profiles']?.['id'])
  expect(there).toEqual(await read(UNKNOWN))
  expect(there.status).toBeGreaterThanOrEqual(400)
})

const INVITE = (family: string) =>
  `mutation { made: inviteFamilyMemberByEmail(input: { familyId: "${family}", email: "a@b.test", role: MEMBER }) { thing: invitation { id } errors { code message } } }`

async function mutate({ make }: Operator, query: string): Promise<string> {
  const { data } = (await make('/graphql', { query })) as {
    data: { made: { thing: { id: string } | null } }
  }
  return data.made.thing?.id ?? ''
}

test('a family and an invitation of theirs are none by GraphQL, in questions, changes and cursors', async () => {
  const create = 'mutation { made: createFamily(input: { name: "F" }) { thing: family { id } } }'
  const family = await mutate(theirs, create)
  const second = await mutate(theirs, create)
  const invitation = await mutate(theirs, INVITE(family))
  const words = [family, second, invitation]
  expect(words).not.toContain('')
  const say = async (query: string) =>
    withoutIds((await ours.ask('POST', '/graphql', { query })).text)
  const member = (id: string) => `{ familyId: "${id}", userId: "operator of theirs"`
  const errors = '{ errors { code message } }'
  for (const [id, query] of [
    [family, (it: string) => `{ family(id: "${it}") { id name } }`],
    [invitation, (it: string) => `{ invitation(id: "${it}") { id } }`],
    [family, INVITE],
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
  for (const cursor of ['', `(cursor: "${family}")`, `(cursor: "${second}")`]) {
    const query = `{ families${cursor} { nodes { id } } }`
    const { text } = await ours.ask('POST', '/graphql', { query })
    for (const word of words) expect(text, query).not.toContain(word)
  }
  const query = `{ family(id: "${family}") { members { userId } } }`
  expect((await theirs.ask('POST', '/graphql', { query })).text).toContain('operator of theirs')
})

/** What a route needs to get as far as looking for the thing; other routes take an empty body. */
const BODIES: Readonly<Record<string, Body>> = {
  'POST approvals reject': { reason: 'no' },
  'POST reconciliations discard': { reason: 'wrong file' },
  'POST reconciliations decisions': {
    reason: 'old',
    decisions: [{ do: 'ignore', recordId: '2' }],
  },
  'POST reconciliations suggest': SUGGEST,
  'POST reconciliations match': { reason: 'seen', paymentId: UNKNOWN },
  'POST reconciliations unmatch': { reason: 'old' },
  'POST reconciliations ignore': { reason: 'old' },
  'POST reconciliations reopen': { reason: 'old' },
  'PUT reconciliations assignment': { owner: 'ada', note: null, dueOn: null },
  'POST webhook-endpoints replay': { since: '2026-01-01T00:00:00Z' },
  'POST webhook-endpoints recover': { since: '2026-01-01T00:00:00Z' },
  'POST file-jobs cancel': { reason: 'wrong file' },
  'PATCH outbound/accounts': { name: 'theirs no more' },
  'POST conversations messages': { text: 'hello' },
  'PUT conversations consent': { granted: false },
  'PUT dossiers': { granted: false },
  'PUT outbound/templates': TEMPLATE,
  'POST legal-holds release': { reason: 'over' },
  'POST sagas skip': { step: 'payment', reason: 'stuck' },
  'POST sagas restart': { from: 'payment', reason: 'stuck', step: 'payment' },
  'POST sagas complete': { reason: 'stuck', step: 'payment' },
  'POST sagas terminate': { reason: 'stuck', step: 'payment' },
  'POST sagas events': { name: 'release' },
  'POST incidents assign': { owner: 'ours' },
  'POST incidents snooze': { minutes: 5 },
  'POST outboxes/{name}/messages reveal': { reason: 'a look' },
}

function bodyOf({ method, path }: { method: string; path: string }): Body | undefined {
  if (method === 'GET' || method === 'DELETE') return undefined
  const word = path.split('/').at(-1) ?? ''
  const name = `${method} ${roomOf(path)}`
  return BODIES[word.includes('{') ? name : `${name} ${word}`] ?? {}
}

test('every path with a name in it is swept here, or explained', () => {
  const rest = named.filter((route) => !swept.includes(route))
  const unexplained = rest.filter(({ path }) => !EXPLAINED.some(([reason]) => reason.test(path)))
  expect(unexplained.map(({ method, path }) => `${method} ${path}`)).toEqual([])
  // An explanation of nothing is old.
  const isUsed = ([reason]: (typeof EXPLAINED)[number]) =>
    rest.some(({ path }) => reason.test(path))
  expect(EXPLAINED.filter((each) => !isUsed(each))).toEqual([])
  for (const { path } of swept) {
    for (const name of namesIn(path)) {
      expect(thingsOf(path)[name], `${name} of ${path}`).toBeDefined()
    }
  }
  expect(swept.length).toBeGreaterThan(85)
})

test('the things are there for their own organisation', async () => {
  const gone: string[] = []
  for (const { method, path } of swept.filter((route) => route.method === 'GET')) {
    const { status } = await theirs.ask(
      method,
      filled(path, (name) => thingsOf(path)[name]),
    )
    if (status !== 200) gone.push(`${path} ${status}`)
  }
  expect(gone).toEqual([])
})

test.each(swept)('$method $path of another organisation is not there', async (route) => {
  const { method, path } = route
  const things = thingsOf(path)
  const mine = own[roomOf(path)] ?? {}
  const isShared = (name: string) => mine[name] === things[name]
  const ask = (ids: (name: string) => unknown) => ours.ask(method, filled(path, ids), bodyOf(route))

  const there = await ask((name) => things[name])
  const nowhere = await ask((name) => (isShared(name) ? things[name] : unknownOf(things[name])))
  expect(there.status, there.text).toBe(nowhere.status)
  expect(withoutIds(there.text)).toBe(withoutIds(nowhere.text))
  if (!CHOSEN.has(roomOf(path))) expect(there.status, there.text).toBe(404)

  // A thing of theirs below one of ours.
  const last = namesIn(path).at(-1) ?? ''
  if (namesIn(path).filter((name) => !isShared(name)).length < 2 || isShared(last)) return
  const below = await ask((name) => (name === last ? things : mine)[name])
  expect(below.status, below.text).toBe(404)
})

test('nothing of theirs has changed', async () => {
  const read = async (room: string) => {
    const path = `/api/v1/${room}/${String(foreign[room]?.['id'])}`
    return (await theirs.ask('GET', path)).body
  }
  expect(await read('payments')).toMatchObject({ status: 'succeeded' })
  expect(await read('approvals')).toMatchObject({ status: 'pending' })
  expect(await read('reconciliations')).toMatchObject({ discarded: null })
  expect(await read('webhook-endpoints')).toMatchObject({ status: 'enabled' })
  expect(await read('outbound/messages')).toMatchObject({ status: 'DELIVERED' })
  expect(await read('orders')).toMatchObject({ id: foreign['orders']?.['id'] })
  const line = `/api/v1/reconciliations/${String(foreign['reconciliations']?.['id'])}/records/2`
  const { body: record } = await theirs.ask('GET', line)
  expect(record).toMatchObject({ status: 'unmatched', version: 0 })
  const accounts = await theirs.items('/api/v1/outbound/accounts')
  const account = accounts.find(({ id }) => id === foreign['outbound/accounts']?.['id'])
  expect(account).toMatchObject({ name: 'own' })
  expect(await theirs.items('/api/v1/outbound/templates')).toMatchObject([
    { name: 'template_of_theirs' },
  ])
  expect(await theirs.items('/api/v1/notice-channels')).toMatchObject([{ name: 'duty' }])
  expect(await theirs.items('/api/v1/legal-holds?status=open')).toHaveLength(1)
  expect(await theirs.items('/api/v1/consumers/dead-letters')).toMatchObject([
    foreign['consumers/dead-letters'],
  ])
  for (const incident of await theirs.items('/api/v1/incidents')) {
    expect(incident).toMatchObject({ owner: null, acknowledgedBy: null })
  }
  const dossier = `/api/v1/dossiers/${String(foreign['dossiers']?.['id'])}/consents`
  expect(await theirs.items(dossier)).toMatchObject([{ granted: true }])
  const letter = `/api/v1/outboxes/test.letters/messages/${String(letterId)}`
  expect((await theirs.ask('GET', letter)).body).toMatchObject({ state: 'lost' })
})

test('the audit of files and statements is searched by the id, each organisation its own', async () => {
  const search = async (operator: Operator, id: unknown) =>
    (await operator.items(`/api/v1/audit/entries?entityId=${String(id)}`)).map(
      ({ audit, action, actor }) => `${String(audit)} ${String(action)} ${String(actor)}`,
    )
  const { id: jobId, rowId } = foreign['file-jobs'] ?? {}
  const runId = foreign['reconciliations']?.['id']
  expect(await search(theirs, jobId)).toContain(
    'evidence.audit_log file_job.received operator of theirs',
  )
  await vi.waitFor(
    async () =>
      expect(await search(theirs, rowId)).toContain(
        'evidence.file_outbox_row_audit row.published PUBLISHER',
      ),
    { timeout: 60_000 },
  )
  expect(await search(theirs, runId)).toContain(
    'payments.audit_log reconciliation.uploaded operator of theirs',
  )
  for (const id of [jobId, rowId, runId]) expect(await search(ours, id)).toEqual([])
})
