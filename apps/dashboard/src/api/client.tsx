import createClient, {
  type Client,
  type FetchResponse,
  type ParamsOption,
  type RequestBodyOption,
} from 'openapi-fetch'
import { ApiProblem, Unreachable } from './problem.ts'
import type { paths } from './schema.d.ts'
import {
  type QueryKey,
  useQuery,
  type UseQueryOptions,
  type UseQueryResult,
} from '@tanstack/react-query'
import { createContext, useContext } from 'react'

/** The server's API with its own types; an answer that is no success is thrown as an ApiProblem. */
export type Api = Client<paths>

interface ApiOptions {
  /** Default: where the page comes from. */
  readonly baseUrl?: string
  /** Default none: the browser sends the cookie of its session. */
  readonly token?: string
  /** The server did not take the token or the session. */
  readonly onExpired: () => void
}

export function createApi({ baseUrl = '/', token, onExpired }: ApiOptions): Api {
  const api = createClient<paths>({ baseUrl, cache: 'no-store' })
  api.use({
    onRequest({ request }) {
      if (token !== undefined) request.headers.set('authorization', `Bearer ${token}`)
      return request
    },
    async onResponse({ response }) {
      if (response.ok) return undefined
      const body: unknown = await response.json().catch(() => undefined)
      const problem = new ApiProblem(response, body)
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

export const ApiContext = createContext<Api | undefined>(undefined)

/** The server's API; `Paths` are the types of your own routes. */
export function useApi<Paths extends object = paths>(): Client<Paths> {
  const api = useContext(ApiContext)
  if (api === undefined) throw new Error('there is no ApiContext above')
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
  Of extends 'post' | 'put' | 'patch' = 'post',
> = paths[Path] extends { [Name in Of]: { requestBody: infer Content } } ? Json<Content> : never

/** What a route wants in its path and behind its `?`. */
type ParamsOf<Path extends ReadPath> = ParamsOption<paths[Path]['get']>

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

type Method = 'post' | 'put' | 'patch' | 'delete'
type PathOf<Of extends Method> = {
  [Path in keyof paths]: paths[Path] extends { [Name in Of]: object } ? Path : never
}[keyof paths]
type Operation<Of extends Method, Path extends PathOf<Of>> = NonNullable<paths[Path][Of]>
type Given<Parameters> = Parameters extends { parameters: infer All } ? All : object
type Init<Of extends Method, Path extends PathOf<Of>> = Given<Operation<Of, Path>> &
  RequestBodyOption<Operation<Of, Path>> & { readonly headers?: Readonly<Record<string, string>> }
type Sent<Of extends Method, Path extends PathOf<Of>> = NonNullable<
  FetchResponse<Operation<Of, Path>, object, `${string}/${string}`>['data']
>

/** A request as a function of the API, which `useAction`, `ActButton` or `BulkButton` calls. */
export type Asked<Result> = (api: Api) => Promise<Result>

function sender<Of extends Method>(method: Of) {
  const name = method.toUpperCase() as 'POST'
  return <Path extends PathOf<Of>>(
      path: Path,
      ...[init]: object extends Init<Of, Path> ? [Init<Of, Path>?] : [Init<Of, Path>]
    ): Asked<Sent<Of, Path>> =>
    (api) => {
      const { body, headers, ...params } = (init ?? {}) as { body?: unknown; headers?: object }
      return dataOf<Sent<Of, Path>>(api[name](path as never, { params, body, headers } as never))
    }
}

/** Requests as data: `post('/api/v1/things/{id}/stop', { path: { id }, body: { reason } })`. */
export const post = sender('post')
export const put = sender('put')
export const patch = sender('patch')
export const remove = sender('delete')

/** The body of a request that takes a reason, if there is one. */
export function because(reason: string | undefined): { reason?: string } {
  return reason === undefined ? {} : { reason }
}
