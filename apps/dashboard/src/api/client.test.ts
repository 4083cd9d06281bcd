import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createApi, dataOf } from './client.tsx'
import { ApiProblem, Unreachable } from './problem.ts'
import { mayPass } from './query-client.ts'

async function serveAnswers(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function apiAt(baseUrl: string) {
  const expired: string[] = []
  const api = createApi({ baseUrl, token: 'secret', onExpired: () => expired.push('now') })
  return { expired, read: () => dataOf(api.GET('/api/v1/outboxes')) }
}

test('asks with the token and gives what the answer carries', async () => {
  const { read } = apiAt(
    await serveAnswers(({ headers, url }, response) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ items: [headers.authorization, url] }))
    }),
  )
  expect(await read()).toEqual({ items: ['Bearer secret', '/api/v1/outboxes'] })
})

test('throws the problem that the server tells', async () => {
  const { read, expired } = apiAt(
    await serveAnswers((_request, response) => {
      response.writeHead(403, { 'content-type': 'application/problem+json', 'x-request-id': 'r-9' })
      response.end(JSON.stringify({ code: 'FORBIDDEN', title: 'No', detail: 'For operators.' }))
    }),
  )
  const problem = await read().catch((error: unknown) => error)
  expect(problem).toBeInstanceOf(ApiProblem)
  expect(problem).toMatchObject({ code: 'FORBIDDEN', message: 'For operators.', requestId: 'r-9' })
  expect(mayPass(problem)).toBe(false)
  expect(expired).toEqual([])
})

test('says that the token is no longer taken', async () => {
  const { read, expired } = apiAt(
    await serveAnswers((_request, response) => void response.writeHead(401).end('<html>')),
  )
  await expect(read()).rejects.toMatchObject({ code: 'HTTP_401' })
  expect(expired).toEqual(['now'])
})

test('tells no answer from a bad one', async () => {
  const { read } = apiAt(await serveAnswers((request) => request.destroy()))
  const error = await read().catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(Unreachable)
  expect(mayPass(error)).toBe(true)
})
