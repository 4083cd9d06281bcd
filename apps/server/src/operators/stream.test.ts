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

test('an operator sees every transition as it happens, a member those of the own tenant', async () => {
  const operator = await follow(await server.tokenFor({ role: 'operator' }))
  const member = await follow(await server.tokenFor({ org: 'acme' }))
  const stranger = await follow(await server.tokenFor({ org: 'other' }))
  const ours = await letters.write(pool, { reader: 'ada', org: 'acme' })
  const theirs = await letters.write(pool, { reader: 'bob', org: 'umbrella' })
  await expect
    .poll(() => idsIn(operator), { timeout: 5_000 })
    .toEqual(expect.arrayContaining([ours, theirs]))
  await expect.poll(() => idsIn(member), { timeout: 5_000 }).toContain(ours)
  expect(idsIn(member)).not.toContain(theirs)
  expect(idsIn(stranger)).toEqual([])
  expect(operator.events.find(({ data }) => data['messageId'] === ours)).toMatchObject({
    event: 'transition',
    data: { outbox: 'test.letters', to: 'posted', tenant: 'acme' },
  })
})

test('goes on after a lost connection without a gap', async () => {
  const token = await server.tokenFor({ role: 'operator' })
  const first = await follow(token)
  const before = await letters.write(pool, { reader: 'carol' })
  await expect.poll(() => idsIn(first), { timeout: 5_000 }).toContain(before)
  await expect.poll(() => first.lastId()).toBeDefined()
  const after = first.lastId()
  await first.close()
  const missed = await letters.write(pool, { reader: 'dave' })
  const second = await follow(token, after === undefined ? {} : { after })
  await expect.poll(() => idsIn(second), { timeout: 5_000 }).toContain(missed)
  expect(idsIn(second)).not.toContain(before)
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
