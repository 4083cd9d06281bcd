import createClient, { type Client } from 'openapi-fetch'
import { ApiProblem, Unreachable } from './problem.ts'
import type { paths } from './schema.d.ts'

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
