import { dataOf, type Api } from '../../api/client.ts'
import { ApiProblem } from '../../api/problem.ts'

interface GraphqlError {
  readonly message: string
  readonly extensions?: { readonly code?: string }
}

/** Why a mutation did nothing; it comes with status 200. */
export interface Refusal {
  readonly code: string
  readonly message: string
}

/** Asks the server by GraphQL; what goes wrong is thrown as the problem that any route answers. */
export async function ask<Data>(
  api: Api,
  request: { readonly query: string; readonly variables?: object },
  signal?: AbortSignal,
): Promise<Data> {
  const options = { body: request, fetch: asProblem, ...(signal && { signal }) }
  const answer = (await dataOf(api.POST('/graphql', options as never))) as { data: Data }
  return answer.data
}

/** What a mutation was about, or its refusal, thrown. */
export function doneOr<Payload extends { readonly errors: readonly Refusal[] }>(
  payload: Payload,
): Payload {
  const [refusal] = payload.errors
  if (refusal === undefined) return payload
  const { code, message: detail } = refusal
  const title = 'Request refused'
  throw new ApiProblem({ status: 422, headers: new Headers() }, { code, title, detail })
}

/** GraphQL tells trouble in a form of its own; every other route tells it as a problem. */
async function asProblem(request: Request): Promise<Response> {
  const response = await fetch(request)
  if (response.ok) return response
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined)
  const [error] = (body as { errors?: readonly GraphqlError[] } | undefined)?.errors ?? []
  if (error === undefined) return response
  const { status } = response
  const code = error.extensions?.code ?? `HTTP_${status}`
  return Response.json({ code, title: 'GraphQL error', detail: error.message }, { status })
}
