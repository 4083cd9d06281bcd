import type { ForeignWorld, ServerTests, Things } from '@posthorn/server/testing'
import { foreignWorld, makeThings, operatorOf } from './foreign-world.ts'

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

export interface Rooms extends ForeignWorld {
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
export async function foreignRooms(
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
