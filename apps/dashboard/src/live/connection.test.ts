import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { type Batch, createBatches, type LiveState, openConnection } from './connection.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** A server with one answer per request; the last one repeats. */
async function serve(...answers: Answer[]) {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    const answer = answers[Math.min(requests.length, answers.length - 1)]
    requests.push(request)
    answer?.(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, requests }
}

function follow(url: string, more: { silenceMs?: number } = {}) {
  const batches: Batch[] = []
  const states: LiveState[] = []
  const connection = openConnection({
    url,
    onBatch: (batch) => batches.push(batch),
    onState: (state) => states.push(state),
    waitMs: 5,
    batchMs: 5,
    ...more,
  })
  onTestFinished(() => connection.close())
  const data = () => batches.flatMap(({ events }) => events.map((event) => event.data))
  return { connection, batches, states, data }
}

const stream =
  (text: string, { ends = false } = {}): Answer =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(text)
    if (ends) response.end()
  }

const refuse =
  (status: number, headers = {}): Answer =>
  (_request, response) =>
    response.writeHead(status, headers).end()

test('goes on from the last position after every loss', async () => {
  const server = await serve(
    stream('id: 1\ndata: a\n\ndata: b\n\n', { ends: true }),
    (request) => request.socket.destroy(),
    refuse(503),
    stream('id: 3\ndata: c\n\n'),
  )
  const { data, states } = follow(server.url)
  await expect.poll(data).toEqual(['a', 'b', 'c'])
  expect(server.requests.map(({ headers }) => headers['last-event-id'])).toEqual([
    undefined,
    '1',
    '1',
    '1',
  ])
  expect(states.at(-1)).toBe('live')
})

test('a position that the server has forgotten means: look at everything again', async () => {
  const server = await serve(
    stream('id: old\ndata: a\n\n', { ends: true }),
    refuse(400),
    stream('data: b\n\n'),
  )
  const { data, batches } = follow(server.url)
  await expect.poll(data).toEqual(['a', 'b'])
  expect(server.requests[2]?.headers['last-event-id']).toBeUndefined()
  expect(batches.at(-1)?.lookAgain).toBe(true)
})

test.each([401, 403])('%i ends it for good', async (status) => {
  const server = await serve(refuse(status))
  const { states, connection } = follow(server.url)
  await expect.poll(() => states.at(-1)).toBe('refused')
  connection.resume()
  expect(states).toEqual(['connecting', 'refused'])
  expect(server.requests).toHaveLength(1)
})

test('paused, it holds no connection; resumed, it goes on from where it was', async () => {
  const server = await serve(stream('id: 5\ndata: a\n\n'), stream('id: 6\ndata: b\n\n'))
  const { data, states, connection } = follow(server.url)
  await expect.poll(data).toEqual(['a'])
  connection.pause()
  await expect.poll(() => server.requests[0]?.socket.destroyed).toBe(true)
  expect(states.at(-1)).toBe('paused')
  expect(server.requests).toHaveLength(1)
  connection.resume()
  await expect.poll(data).toEqual(['a', 'b'])
  expect(server.requests[1]?.headers['last-event-id']).toBe('5')
})

test('a server that says nothing any more is left', async () => {
  const server = await serve(stream(': here\n\n'), stream('data: back\n\n'))
  const { data } = follow(server.url, { silenceMs: 50 })
  await expect.poll(data).toContain('back')
})

test('more events than a page can draw are cut to the newest, and said to be', async () => {
  const batches: Batch[] = []
  const collected = createBatches({ onBatch: (batch) => batches.push(batch), everyMs: 5, most: 3 })
  onTestFinished(() => collected.close())
  for (let i = 0; i < 10_000; i++) collected.add([{ id: undefined, event: 'x', data: String(i) }])
  await expect.poll(() => batches.length).toBe(1)
  expect(batches[0]?.lookAgain).toBe(true)
  expect(batches[0]?.events.map(({ data }) => data)).toEqual(['9997', '9998', '9999'])
})
