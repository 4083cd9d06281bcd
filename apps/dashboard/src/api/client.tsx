import createClient, { type Client, type ParamsOption } from 'openapi-fetch'
import { ApiProblem, Unreachable } from './problem.ts'
import type { paths } from './schema.d.ts'
import {
  type QueryKey,
  useQuery,
  type UseQueryOptions,
  type UseQueryResult,
} from '@tanstack/react-query'
import { createContext, type ReactNode, useContext } from 'react'

/** The server's API with its own types; an answer that is no success is thrown as an ApiProblem. */
export type Api = Client<paths>

export interface ApiOptions {
  /** Default: where the page comes from. */
  readonly baseUrl?: string
  /** Asked at each request: a token may have been renewed. */
  readonly token: () => string | undefined
  /** The server did not take the token. */
  readonly onExpired: () => void
}

export function createApi({ baseUrl = '/', token, onExpired }: ApiOptions): Api {
  const api = createClient<paths>({ baseUrl, cache: 'no-store' })
  api.use({
    onRequest({ request }) {
      const known = token()
      if (known !== undefined) request.headers.set('authorization', `Bearer ${known}`)
      return request
    },
    async onResponse({ response }) {
      if (response.ok) return undefined
      const problem = new ApiProblem(response, await bodyOf(response))
      if (problem.isExpired) onExpired()
      throw problem
    },
    onError({ error }) {
      // An aborted request is no failure.
      return error instanceof DOMException ? error : new Unreachable(error)
    },
  })
  return api
}

/** What an answer carries: `await dataOf(api.GET('/api/v1/outboxes'))`. */
export async function dataOf<Data>(answer: Promise<{ data?: Data }>): Promise<Data> {
  const { data } = await answer
  return data as Data
}

async function bodyOf(response: Response): Promise<unknown> {
  try {
    return await response.json()
  } catch {
    return undefined
  }
}

const Context = createContext<Api | undefined>(undefined)

export function ApiProvider(props: { api: Api; children: ReactNode }) {
  return <Context value={props.api}>{props.children}</Context>
}

/** The server's API; `Paths` are the types of your own routes. */
export function useApi<Paths extends object = paths>(): Client<Paths> {
  const api = useContext(Context)
  if (api === undefined) throw new Error('there is no ApiProvider above')
  return api
}

/** The routes that can be read. */
export type ReadPath = {
  [Path in keyof paths]: paths[Path] extends { get: object } ? Path : never
}[keyof paths]

type Json<Content> = Content extends { content: { 'application/json': infer Body } } ? Body : never

/** What a route answers to GET. */
export type Answer<Path extends ReadPath> = paths[Path] extends {
  get: { responses: { 200: infer Content } }
}
  ? Json<Content>
  : never

/** One of the items that a list answers with. */
export type ItemOf<Path extends ReadPath> =
  Answer<Path> extends { items: readonly (infer Item)[] } ? Item : never

/** What a route takes. */
export type BodyOf<
  Path extends keyof paths,
  Method extends 'post' | 'put' | 'patch' = 'post',
> = paths[Path] extends { [Name in Method]: { requestBody: infer Content } } ? Json<Content> : never

/** What a route wants in its path and behind its `?`. */
export type ParamsOf<Path extends ReadPath> = ParamsOption<paths[Path]['get']>

type Reading<Data> = Pick<
  UseQueryOptions<Data>,
  'enabled' | 'placeholderData' | 'refetchInterval' | 'retry' | 'staleTime'
>
type Options<Path extends ReadPath> = ParamsOf<Path> & Reading<Answer<Path>>

/** Reads a route; the first word of the key is its subject. */
export function useRead<Path extends ReadPath>(
  path: Path,
  queryKey: QueryKey,
  ...[options]: object extends ParamsOf<Path> ? [Options<Path>?] : [Options<Path>]
): UseQueryResult<Answer<Path>> {
  const api = useApi()
  const { params, ...reading } = (options ?? {}) as Reading<Answer<Path>> & { params?: object }
  return useQuery({
    queryKey,
    queryFn: ({ signal }) => dataOf<Answer<Path>>(api.GET(path, { params, signal } as never)),
    ...reading,
  })
}
