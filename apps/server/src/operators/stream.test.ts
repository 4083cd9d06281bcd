import { announce } from '@posthorn/engine/operate'
import { testDatabase } from '@posthorn/engine/testing'
import { signToken } from '@posthorn/http'
import { expect, onTestFinished, test } from 'vitest'
import { readEvents } from '../testing/event-reader.ts'
import { letterSystem } from '../testing/letters.ts'
import { testServer } from '../testing/test-server.ts'

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
  const [paid, underItsOldName] = operator.events.filter(({ data }) => data['id'] === 'p1')
  expect(underItsOldName).toEqual({ ...paid, event: 'news' })
  expect(paid).toEqual({
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
