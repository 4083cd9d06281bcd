import fc from 'fast-check'
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery } from 'graphql'
import { BOMBS, makeRequest } from './query-generator.ts'

/** An answer that takes longer does not come. */
const PATIENCE_MS = 30_000

/**
 * Sends requests made up from the schema that a server tells, and those that are small to send and
 * dear to answer; throws at the first 5xx, at what is no answer of GraphQL, and where none comes.
 * Returns how many were sent.
 */
export async function fuzzGraphql(
  { url, token }: { readonly url: string; readonly token: string },
  { seed, runs }: { readonly seed: number; readonly runs: number },
): Promise<number> {
  let sent = 0
  const send = async (body: unknown) => {
    sent += 1
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    const answer = (await response.json()) as Record<string, unknown>
    const isAnswer = ['errors', 'data', 'code'].some((name) => name in answer)
    if (response.status < 500 && isAnswer) return answer
    throw new Error(`${response.status} ${JSON.stringify(answer)} to ${JSON.stringify(body)}`)
  }
  const { data } = await send({ query: getIntrospectionQuery({ descriptions: false }) })
  const schema = buildClientSchema(data as IntrospectionQuery)
  for (const bomb of Object.values(BOMBS)) await send(bomb)
  const property = fc.asyncProperty(fc.gen(), async (draw) => {
    await send(makeRequest(schema, draw))
  })
  await fc.assert(property, { seed, numRuns: runs })
  return sent
}
