import { setTimeout as pause } from 'node:timers/promises'
import { announce } from '@posthorn/operate'
import { testDatabase } from '@posthorn/engine/testing'
import { signToken } from '@posthorn/http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { letterSystem } from '../testing/letters.ts'
import { testServer } from '../testing/test-server.ts'
import { mergeStreams } from './stream.ts'

/** One server-sent event as it was read. */
interface ReadEvent {
  readonly id: string | undefined
  readonly event: string
  readonly data: Record<string, unknown>
}

interface EventReader {
  readonly status: number
  readonly events: readonly ReadEvent[]
  lastId(): string | undefined
  /** Resolves when the server has ended the stream. */
  readonly over: Promise<void>
  close(): Promise<void>
}

/** Reads a stream by fetch, as the dashboard does. */
async function readEvents(url: string, headers: Record<string, string>): Promise<EventReader> {
  const stop = new AbortController()
  const response = await fetch(url, { headers, signal: stop.signal })
  const events: ReadEvent[] = []
  const over = response.body ? collect(response.body, events) : Promise.resolve()
  return {
    status: response.status,
    events,
    lastId: () => events.findLast(({ id }) => id !== undefined)?.id,
    over,
    async close() {
      stop.abort()
      await over
    },
  }
}

async function collect(body: ReadableStream<Uint8Array>, events: ReadEvent[]): Promise<void> {
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for await (const chunk of body) {
      rest += decoder.decode(chunk, { stream: true })
      const parts = rest.split('\n\n')
      rest = parts.pop() ?? ''
      events.push(...parts.flatMap(eventIn))
    }
  } catch {
    // Closed by the reader, or broken by the server: either way it is over.
  }
}

function eventIn(text: string): ReadEvent[] {
  const fields = new Map<string, string>()
  for (const line of text.split('\n')) {
    const [, name = '', value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? []
    if (name) fields.set(name, value)
  }
  const data = fields.get('data')
  if (data === undefined) return []
  const parsed = JSON.parse(data) as Record<string, unknown>
  return [{ id: fields.get('id'), event: fields.get('event') ?? 'message', data: parsed }]
}

const database = await testDatabase()
const { pool } = database
const letters = letterSystem()
const server = await testServer(database, { systems: [letters.system] })

async function follow(
  token: string,
  { after, query = '' }: { after?: string; query?: string } = {},
) {
  const reader = await readEvents(`${server.url}/api/v1/stream${query}`, {
    authorization: `Bearer ${token}`,
    ...(after !== undefined && { 'last-event-id': after }),
  })
  onTestFinished(() => reader.close())
  return reader
}

const idsIn = (reader: { events: readonly { data: Record<string, unknown> }[] }) =>
  reader.events.map(({ data }) => data['messageId']).filter((id) => id !== undefined)

test('the platform sees every transition as it happens, all others those of their tenant', async () => {
  const operator = await follow(await server.tokenFor({ role: 'platform' }))
  const elsewhere = await follow(await server.tokenFor({ org: 'other', role: 'operator' }))
  const member = await follow(await server.tokenFor({ org: 'acme' }))
  const stranger = await follow(await server.tokenFor({ org: 'other' }))
  const ours = await letters.write(pool, { reader: 'ada', org: 'acme' })
  const theirs = await letters.write(pool, { reader: 'bob', org: 'umbrella' })
  await expect.poll(() => idsIn(operator)).toEqual(expect.arrayContaining([ours, theirs]))
  await expect.poll(() => idsIn(member)).toContain(ours)
  expect(idsIn(member)).not.toContain(theirs)
  expect([idsIn(stranger), idsIn(elsewhere)]).toEqual([[], []])
  expect(operator.events.find(({ data }) => data['messageId'] === ours)).toMatchObject({
    event: 'transition',
    data: { outbox: 'test.letters', to: 'posted', tenant: 'acme' },
  })
})

test('goes on after a lost connection without a gap', async () => {
  const token = await server.tokenFor({ role: 'platform' })
  const first = await follow(token)
  const before = await letters.write(pool, { reader: 'carol' })
  await expect.poll(() => idsIn(first)).toContain(before)
  await expect.poll(() => first.lastId()).toBeDefined()
  const after = first.lastId()
  await first.close()
  const missed = await letters.write(pool, { reader: 'dave' })
  const second = await follow(token, after === undefined ? {} : { after })
  await expect.poll(() => idsIn(second)).toContain(missed)
  expect(idsIn(second)).not.toContain(before)
})

test('a position of the platform or of another tenant shows nothing but the own', async () => {
  const [platform, acme] = [
    await follow(await server.tokenFor({ role: 'platform' })),
    await follow(await server.tokenFor({ org: 'acme' })),
  ]
  const first = await letters.write(pool, { reader: 'erin', org: 'acme' })
  await expect.poll(() => idsIn(acme)).toContain(first)
  await expect.poll(() => platform.lastId()).toBeDefined()
  await expect.poll(() => acme.lastId()).toBeDefined()
  const positions = [platform.lastId(), acme.lastId()].filter((id) => id !== undefined)
  const theirs = await letters.write(pool, { reader: 'frank', org: 'acme' })
  const own = await letters.write(pool, { reader: 'grace', org: 'umbrella' })
  for (const role of ['member', 'operator'] as const) {
    const token = await server.tokenFor({ org: 'umbrella', role })
    for (const after of positions) {
      const reader = await follow(token, { after })
      await expect.poll(() => idsIn(reader)).toContain(own)
      expect(idsIn(reader)).not.toContain(theirs)
      expect(JSON.stringify(reader.events)).not.toMatch(/acme|erin|frank/)
      await reader.close()
    }
  }
})

test('an id that is none is 400, and too many streams of one caller are 429', async () => {
  const token = await server.tokenFor({ sub: 'greedy' })
  expect((await follow(token, { after: 'no position!' })).status).toBe(400)
  const open = await Promise.all(Array.from({ length: 11 }, () => follow(token)))
  expect(open.filter(({ status }) => status === 429)).toHaveLength(1)
})

test('ends with the token that opened it', async () => {
  const { secret } = server
  const token = await signToken({
    secret,
    sub: 'brief',
    org: 'demo',
    role: 'member',
    expiresIn: '1s',
  })
  const reader = await follow(token)
  expect(reader.status).toBe(200)
  await reader.over
})

test('announcements come among the transitions: to the platform all, to members those of their tenant', async () => {
  const operator = await follow(await server.tokenFor({ role: 'platform' }))
  const member = await follow(await server.tokenFor({ org: 'acme' }))
  const choosy = await follow(await server.tokenFor({ org: 'acme' }), {
    query: '?topics=jobs,files',
  })
  const announcedIn = (reader: {
    events: readonly { event: string; data: Record<string, unknown> }[]
  }) =>
    reader.events
      .filter(({ event, data }) => event === 'announcement' && data['topic'] !== '*')
      .map(({ data }) => data['id'])
  const hears = (reader: Parameters<typeof announcedIn>[0]) => async () => {
    await announce(pool, { topic: 'jobs', id: 'begin', tenant: 'acme' })
    return announcedIn(reader)
  }
  for (const reader of [operator, member, choosy]) {
    await expect.poll(hears(reader)).toContain('begin')
  }
  await announce(pool, { topic: 'payments', id: 'p1', tenant: 'acme', data: { status: 'paid' } })
  await announce(pool, { topic: 'payments', id: 'p2', tenant: 'umbrella' })
  await announce(pool, { topic: 'files', id: 'f1', tenant: 'acme' })
  await announce(pool, { topic: 'files', id: 'f2' })
  const transition = await letters.write(pool, { reader: 'erin', org: 'acme' })
  await expect.poll(() => idsIn(member)).toContain(transition)
  const seenBy = (reader: typeof operator) => announcedIn(reader).filter((id) => id !== 'begin')
  await expect.poll(() => seenBy(operator)).toEqual(['p1', 'p2', 'f1', 'f2'])
  await expect.poll(() => seenBy(member)).toEqual(['p1', 'f1'])
  await expect.poll(() => seenBy(choosy)).toEqual(['f1'])
  expect(operator.events.find(({ data }) => data['id'] === 'p1')).toEqual({
    id: undefined,
    event: 'announcement',
    data: {
      topic: 'payments',
      id: 'p1',
      tenant: 'acme',
      data: { status: 'paid' },
      truncated: false,
    },
  })
})

test('topics that are none are 400', async () => {
  const token = await server.tokenFor({ role: 'platform' })
  for (const topics of ['', '*', 'a,,b', 'Jobs']) {
    const query = `?topics=${encodeURIComponent(topics)}`
    expect((await follow(token, { query })).status).toBe(400)
  }
})

describe('streams that are merged', () => {
  /** Yields, then waits for ever, or until its signal is aborted. */
  async function* source(items: readonly string[], stopped?: AbortSignal): AsyncGenerator<string> {
    for (const item of items) {
      await pause(1)
      yield item
    }
    if (stopped) await new Promise((resolve) => stopped.addEventListener('abort', resolve))
  }

  async function take(from: AsyncIterable<string>, count: number): Promise<string[]> {
    const taken: string[] = []
    for await (const item of from) {
      taken.push(item)
      if (taken.length === count) break
    }
    return taken
  }

  test('each source keeps its order, and a silent one holds up no other', async () => {
    const stop = new AbortController()
    const sources = [source(['a1', 'a2', 'a3'], stop.signal), source([], stop.signal)]
    expect(await take(mergeStreams([...sources, source(['b1', 'b2'], stop.signal)]), 5)).toEqual(
      expect.arrayContaining(['a1', 'a2', 'a3', 'b1', 'b2']),
    )
    stop.abort()
  })

  test('ends with the first source that ends', async () => {
    const stop = new AbortController()
    const all = await take(mergeStreams([source(['a']), source([], stop.signal)]), 10)
    expect(all).toEqual(['a'])
    stop.abort()
  })

  test('breaks with the first source that breaks', async () => {
    const stop = new AbortController()
    async function* failAfterOne(): AsyncGenerator<string> {
      yield 'one'
      throw new Error('behind')
    }
    await expect(take(mergeStreams([failAfterOne(), source([], stop.signal)]), 10)).rejects.toThrow(
      'behind',
    )
    stop.abort()
  })

  test('a source that goes on for long leaves nothing behind on a silent one', async () => {
    const stop = new AbortController()
    async function* busy(): AsyncGenerator<string> {
      for (let n = 0; n < 50_000; n += 1) yield String(n)
    }
    const taken = await take(mergeStreams([busy(), source([], stop.signal)]), 50_000)
    expect(taken.at(-1)).toBe('49999')
    stop.abort()
  })
})
