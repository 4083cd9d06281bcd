import {
  foreignWorld,
  makeThings,
  operatorOf,
  type Operator,
  type Things,
} from './foreign-world.ts'

/*
 * The registry of rooms: every path of the API with a name in it, what is in its place for an
 * organisation of ours and for theirs, and which paths are left out and why.
 */

/** A route as the API describes it. */
export interface Described {
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly schema?: { readonly type?: string; readonly enum?: unknown; readonly format?: string }
  }[]
  readonly requestBody?: unknown
}

export interface Route {
  readonly method: string
  readonly path: string
  readonly described: Described
}

export interface Rooms {
  readonly ours: Operator
  readonly theirs: Operator
  /** What is in our rooms, and in theirs. */
  readonly own: Things
  readonly foreign: Things
  readonly routes: readonly Route[]
  /** Those with a name in their path, and of these the ones with a thing of ours and of theirs. */
  readonly named: readonly Route[]
  readonly swept: readonly Route[]
  /** Pages and lists that operators read, without a name in their path. */
  readonly lists: readonly Route[]
  /** Every word by which a thing of theirs can be known. */
  readonly theirWords: readonly string[]
  roomOf(path: string): string
  thingsOf(path: string): Things[string]
  /** An answer in which ids and times cannot be told from each other. */
  withoutIds(text: string): string
}

export const NUMBERS = { ours: '+16505555678', theirs: '+16505554321' }

/** Paths with a name in them that is no organisation's, and why. */
export const EXPLAINED: readonly (readonly [RegExp, string])[] = [
  [/^\/sim\//, 'the simulated world, in development only'],
  [/^\/api\/v1\/event-types\/\{type\}$/, 'the catalogue of events, the same for all'],
  [/^\/api\/v1\/webhooks\/whatsapp\/accounts\/\{id\}\/inbound$/, "signed by the account's secret"],
  [
    /^\/api\/v1\/outboxes\/\{name\}(\/(dead-letters|messages|replays?))?$/,
    "an outbox is the server's, its messages are filtered: operators/tenants.test.ts",
  ],
  [
    /^\/api\/v1\/outboxes\/\{name\}\/(graph|pause|resume|keys(\/\{key\}\/unblock)?|recurring.*)$/,
    'for the platform alone: access.test.ts',
  ],
]

/** Rooms whose things have names that each organisation chooses; two may choose the same. */
export const CHOSEN = new Set(['dossiers', 'outbound/templates'])

export const namesIn = (path: string) =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)

export const UNKNOWN = '01890a5d-ac96-774b-bcce-b302099a8057'
/** An id that is none, of the same form. */
export function unknownOf(id: unknown): string {
  if (/^\d+$/.test(String(id))) return '999999999'
  return /^[\da-f-]{36}$/.test(String(id)) ? UNKNOWN : 'none_such'
}

export const filled = (path: string, ids: (name: string) => unknown) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(ids(name))))

export const queriesOf = ({ parameters = [] }: Described) =>
  parameters.filter((each) => each.in === 'query')

/** Two organisations with something in every room, and what the API says of its paths. */
export async function foreignRooms(): Promise<Rooms> {
  const world = await foreignWorld()
  const { body: description } = await world.server.call('/openapi.json')
  const paths = Object.entries(description['paths'] as Record<string, Record<string, Described>>)
  const routes = paths.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      ...{ method: method.toUpperCase(), path, described },
    })),
  )
  const [ours, theirs] = await Promise.all([operatorOf(world, 'ours'), operatorOf(world, 'theirs')])
  const [own, foreign] = await Promise.all([
    makeThings(world, { operator: ours, number: NUMBERS.ours }),
    makeThings(world, { operator: theirs, number: NUMBERS.theirs }),
  ])

  const roomOf = (path: string) =>
    Object.keys(foreign).find((room) => path.startsWith(`/api/v1/${room}/`)) ?? ''
  const thingsOf = (path: string) => foreign[roomOf(path)] ?? {}
  const named = routes.filter(({ path }) => path.includes('{'))
  const swept = named.filter(({ path }) => {
    const { length } = namesIn(path).filter((name) => thingsOf(path)[name] !== undefined)
    return length > 0 && !EXPLAINED.some(([pattern]) => pattern.test(path))
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
  const theirWords = [...theirIds.filter((id) => id.length > 8), NUMBERS.theirs, 'of theirs']
  const withoutIds = (text: string) =>
    [...theirIds, 'none_such', '999999999'].reduce(
      // As a whole: a short one is a part of many other words.
      (rest, id) => rest.replaceAll(new RegExp(`(?<!\\w)${id}(?!\\w)`, 'g'), '…'),
      text
        .replaceAll(/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g, '…')
        .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '…'),
    )
  return {
    ...{ ours, theirs, own, foreign, routes, named, swept, lists, theirWords },
    ...{ roomOf, thingsOf, withoutIds },
  }
}
