import type { Body, ForeignWorld, Naming, ServerTests, Things } from '@posthorn/server/testing'
import { expect, test, vi } from 'vitest'
import { contributionsTo } from './contributions.ts'
import { foreignWorld, makeThings, operatorOf } from './foreign-world.ts'

/*
 * The registry of rooms: every path of the API with a name in it, what is in its place for an
 * organisation of ours and for theirs, and which paths are left out and why.
 */

/** A route as the API describes it. */
interface Described {
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly schema?: { readonly type?: string; readonly enum?: unknown; readonly format?: string }
  }[]
  readonly requestBody?: unknown
}

interface Route {
  readonly method: string
  readonly path: string
  readonly described: Described
}

interface Rooms extends ForeignWorld {
  /** Where the things are of ours. */
  readonly own: Things
  readonly routes: readonly Route[]
  readonly explained: typeof EXPLAINED
  /** Those with a name in their path, and of these the ones with a thing of ours and of theirs. */
  readonly named: readonly Route[]
  readonly swept: readonly Route[]
  /** Pages and lists that operators read, without a name in their path. */
  readonly lists: readonly Route[]
  /** Every word by which a thing of theirs can be known. */
  readonly theirWords: readonly string[]
  roomOf(path: string): string
  thingsOf(path: string): Things[string]
}

/** Paths with a name in them that is no organisation's, and why. */
const EXPLAINED: readonly (readonly [RegExp, string])[] = [
  [/^\/sim\//, 'the simulated world, in development only'],
  [
    /^\/api\/v1\/outboxes\/\{name\}(\/(dead-letters|messages|replays?))?$/,
    "an outbox is the server's, its messages are filtered: operators/tenants.test.ts",
  ],
  [
    /^\/api\/v1\/outboxes\/\{name\}\/(graph|pause|resume|keys(\/\{key\}\/unblock)?|recurring.*)$/,
    'for the platform alone: access.test.ts',
  ],
]

const namesIn = (path: string) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)

const UNKNOWN = '01890a5d-ac96-774b-bcce-b302099a8057'
/** An id that is none, of the same form. */
function unknownOf(id: unknown): string {
  if (/^\d+$/.test(String(id))) return '999999999'
  return /^[\da-f-]{36}$/.test(String(id)) ? UNKNOWN : 'none_such'
}

const filled = (path: string, ids: (name: string) => unknown) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(ids(name))))

const queriesOf = ({ parameters = [] }: Described) =>
  parameters.filter((each) => each.in === 'query')

/** Two organisations with something in every room, and what the API says of its paths. */
async function foreignRooms(
  foreigns: readonly NonNullable<ServerTests['foreign']>[],
): Promise<Rooms> {
  const world = await foreignWorld()
  const explained = [...EXPLAINED, ...foreigns.flatMap((each) => each.explained ?? [])]
  const { body: description } = await world.server.call('/openapi.json')
  const paths = Object.entries(description['paths'] as Record<string, Record<string, Described>>)
  const routes = paths.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      ...{ method: method.toUpperCase(), path, described },
    })),
  )
  const [ours, theirs] = await Promise.all([
    operatorOf(world, { org: 'ours', number: '+16505555678' }),
    operatorOf(world, { org: 'theirs', number: '+16505554321' }),
  ])
  const [own, foreign] = await Promise.all([
    makeThings(world, ours, foreigns),
    makeThings(world, theirs, foreigns),
  ])

  const roomOf = (path: string) =>
    Object.keys(foreign).find((room) => path.startsWith(`/api/v1/${room}/`)) ?? ''
  const thingsOf = (path: string) => foreign[roomOf(path)] ?? {}
  const named = routes.filter(({ path }) => path.includes('{'))
  const swept = named.filter(({ path }) => {
    const { length } = namesIn(path).filter((name) => thingsOf(path)[name] !== undefined)
    return length > 0 && !explained.some(([pattern]) => pattern.test(path))
  })
  const lists = routes.filter(
    ({ method, path }) =>
      method === 'GET' && path.startsWith('/api/v1/') && !/[{]|\/stream$/.test(path),
  )

  const theirIds = Object.entries(foreign).flatMap(([room, things]) =>
    Object.entries(things)
      // What both have is the server's.
      .filter(([name, id]) => own[room]?.[name] !== id)
      .map(([, id]) => String(id)),
  )
  // Short numbers would be found in any text.
  const theirWords = [...theirIds.filter((id) => id.length > 8), theirs.number, 'of theirs']
  const withoutIds = (text: string) =>
    [...theirIds, 'none_such', '999999999'].reduce(
      // As a whole: a short one is a part of many other words.
      (rest, id) => rest.replaceAll(new RegExp(`(?<!\\w)${id}(?!\\w)`, 'g'), '…'),
      text
        .replaceAll(/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g, '…')
        .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '…'),
    )
  return {
    ...{ ours, theirs, own, foreign, routes, named, explained, swept, lists, theirWords },
    ...{ roomOf, thingsOf, withoutIds },
  }
}

/*
 * What is another organisation's, by every route with a name in its path, and named in filters,
 * cursors and bodies: an operator of ours gets what an id that exists nowhere gets.
 * Lists are read first: names that organisations choose become ours too by asking for them.
 */
vi.setConfig({ testTimeout: 120_000 })

const foreigns = await contributionsTo('foreign')
const rooms = await foreignRooms(foreigns)
const { ours, theirs, own, foreign, routes, named, explained, swept, lists, theirWords } = rooms
const { roomOf, thingsOf, withoutIds } = rooms

test('no filter of a list leads to what is theirs, in no part of the answer', async () => {
  const found: string[] = []
  const sought = foreigns.flatMap((each) => each.sought ?? [])
  const ids = sought.map((each) => {
    const [room = '', name = ''] = each.split(' ')
    expect(foreign[room]?.[name], each).toBeDefined()
    return foreign[room]?.[name]
  })
  const values = [...ids, theirs.number, 'theirs', 'operator of theirs'].map(String)
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
  expect(lists.length).toBeGreaterThan(20)
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

const letterId = foreign['outboxes/{name}/messages']?.['id']
const deadId = foreign['consumers/dead-letters']?.['id']
const filterOf = (id: unknown) => ({ filter: { ids: [id] } })

/** A request for each field that names a thing by its id. */
const NAMING: readonly Naming[] = [
  { field: 'consumers/dead-letters/drop ids', id: deadId, body: filterOf },
  { field: 'consumers/dead-letters/replay ids', id: deadId, body: filterOf },
  { field: 'outboxes/{name}/replay ids', id: letterId, body: filterOf },
  { field: 'outboxes/{name}/replays ids', id: letterId, body: filterOf },
  {
    field: 'legal-holds subject',
    id: letterId,
    body: (subject) => ({ kind: 'letter', subject, reason: 'court' }),
  },
  ...foreigns.flatMap((each) => each.naming?.(rooms) ?? []),
]

/** Names that are given outside; a dossier is a person, in the subject of an erasure too. */
const OUTSIDE = new Set([
  'dossierId',
  'externalId',
  ...foreigns.flatMap((each) => each.outside ?? []),
])

/** Properties of a body that can hold an id, at any depth. */
function idFields(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { properties } = schema as { properties?: object }
  const isName = (name: string) => /(^id|^ids|[a-z]Ids?|^subject|^profile)$/.test(name)
  const fields = Object.keys(properties ?? {}).filter((name) => isName(name) && !OUTSIDE.has(name))
  return [...fields, ...Object.values(schema).flatMap(idFields)]
}

test('every field of a request that names a thing by its id is tried', () => {
  const there = routes
    .filter(({ path }) => path.startsWith('/api/v1/') && !path.startsWith('/api/v1/webhooks/'))
    .flatMap(({ path, described }) =>
      idFields(described.requestBody)
        // A subject of an erasure is a person, by a name that each organisation gives.
        .filter((name) => !(path.startsWith('/api/v1/erasures') && name === 'subject'))
        .map((name) => `${path.slice('/api/v1/'.length)} ${name}`),
    )
  expect([...new Set(there)].toSorted()).toEqual(NAMING.map(({ field }) => field).toSorted())
})

test.each(NAMING)('what is theirs is none in $field', async ({ field, id, body }) => {
  const [path = ''] = field.split(' ')
  const at = filled(`/api/v1/${path}`, (name) =>
    name === 'name' ? 'test.letters' : own[roomOf(`/api/v1/${path}`)]?.[name],
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

test.each(foreigns.flatMap((each) => Object.entries(each.also ?? {})))('%s', (_, check) =>
  check(rooms),
)

/** What a route needs to get as far as looking for the thing; other routes take an empty body. */
const BODIES: Readonly<Record<string, Body>> = {
  'POST legal-holds release': { reason: 'over' },
  'POST incidents assign': { owner: 'ours' },
  'POST incidents snooze': { minutes: 5 },
  'POST outboxes/{name}/messages reveal': { reason: 'a look' },
  ...Object.assign({}, ...foreigns.map((each) => each.bodies ?? {})),
}
const CHOSEN = new Set(foreigns.flatMap((each) => each.chosen ?? []))

function bodyOf({ method, path }: { method: string; path: string }): Body | undefined {
  if (method === 'GET' || method === 'DELETE') return undefined
  const word = path.split('/').at(-1) ?? ''
  const name = `${method} ${roomOf(path)}`
  return BODIES[word.includes('{') ? name : `${name} ${word}`] ?? {}
}

test('every path with a name in it is swept here, or explained', () => {
  const rest = named.filter((route) => !swept.includes(route))
  const unexplained = rest.filter(({ path }) => !explained.some(([reason]) => reason.test(path)))
  expect(unexplained.map(({ method, path }) => `${method} ${path}`)).toEqual([])
  // An explanation of nothing is old.
  const isUsed = ([reason]: (typeof explained)[number]) =>
    rest.some(({ path }) => reason.test(path))
  expect(explained.filter((each) => !isUsed(each))).toEqual([])
  for (const { path } of swept) {
    for (const name of namesIn(path)) {
      expect(thingsOf(path)[name], `${name} of ${path}`).toBeDefined()
    }
  }
  const reached = new Set(swept.map(({ path }) => roomOf(path)))
  expect(Object.keys(foreign).filter((room) => !reached.has(room))).toEqual([])
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
  for (const each of foreigns) await each.unchanged?.(rooms)
  expect(await theirs.items('/api/v1/notice-channels')).toMatchObject([{ name: 'duty' }])
  expect(await theirs.items('/api/v1/legal-holds?status=open')).toHaveLength(1)
  expect(await theirs.items('/api/v1/consumers/dead-letters')).toMatchObject([
    foreign['consumers/dead-letters'],
  ])
  for (const incident of await theirs.items('/api/v1/incidents')) {
    expect(incident).toMatchObject({ owner: null, acknowledgedBy: null })
  }
  const letter = `/api/v1/outboxes/test.letters/messages/${String(letterId)}`
  expect((await theirs.ask('GET', letter)).body).toMatchObject({ state: 'lost' })
})
