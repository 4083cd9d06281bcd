import { createHook } from 'node:async_hooks'
import { lookup } from 'node:dns/promises'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openNameServer, type Reply } from '../testing/name-server.ts'
import { createResolver } from './resolver.ts'

const folder = await mkdtemp(join(tmpdir(), 'hosts-'))
const hostsFile = join(folder, 'hosts')
await writeFile(hostsFile, '10.1.2.3 shop.local shop # ours\n# 10.9.9.9 not.there\n::1 shop\n')

/** Look-ups by `getaddrinfo`, on the threads that the rest of the process needs. */
let inThreads = 0
const hook = createHook({
  init: (_id, type) => void (inThreads += type === 'GETADDRINFOREQWRAP' ? 1 : 0),
}).enable()
afterAll(async () => {
  hook.disable()
  await rm(folder, { recursive: true })
})

const answers = new Map<string, Reply>()
const server = await openNameServer((name, family) => {
  if (name.startsWith('silent')) return 'silence'
  // As the attack was: nothing once, and then no answer any more.
  if (name.startsWith('nothing'))
    return server.asked.filter((n) => n === name).length <= 2 ? [] : 'silence'
  const answer = answers.get(name) ?? 'no such name'
  return family === 6 && typeof answer !== 'string' ? [] : answer
})
const DEADLINE_MS = 2_000
const options = { servers: [server.address], hostsFile, search: [], deadlineMs: DEADLINE_MS }

const codeOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'resolved',
    ({ code }: NodeJS.ErrnoException) => code,
  )

test('silent names of one tenant end in time and hold up no other look-up', async () => {
  const resolve = createResolver({ ...options, perTenant: 4 })
  answers.set('good.example', ['192.0.2.7'])
  const started = performance.now()
  const names = Array.from({ length: 40 }, (_, n) => `${n % 2 ? 'silent' : 'nothing'}${n}.example`)
  const attack = Promise.all(names.map((name) => codeOf(resolve(name, 'mallory'))))
  // Another tenant, and the rest of the process.
  expect(await resolve('good.example', 'acme')).toEqual([{ address: '192.0.2.7', family: 4 }])
  expect(await lookup('localhost', 4)).toMatchObject({ address: '127.0.0.1' })
  expect(performance.now() - started).toBeLessThan(DEADLINE_MS)
  // Only a few of them are asked for at once.
  const silent = new Set(server.asked.filter((name) => name.startsWith('silent')))
  expect(silent.size).toBeLessThanOrEqual(4)
  expect(new Set(await attack)).toEqual(new Set(['ENODATA', 'ETIMEOUT']))
  expect(performance.now() - started).toBeLessThan(4 * DEADLINE_MS)
  // What failed is not asked for again at once.
  const before = server.asked.length
  expect(await codeOf(resolve('silent1.example', 'mallory'))).toBe('ETIMEOUT')
  expect(await codeOf(resolve('nothing0.example', 'mallory'))).toBe('ENODATA')
  expect(server.asked.slice(before)).toEqual([])
  // Our own, that of the rest of the process.
  expect(inThreads).toBe(1)
})

test("a tenant's full queue is no answer to another who asks for the same name", async () => {
  const resolve = createResolver({ ...options, perTenant: 1 })
  answers.set('shared.example', ['192.0.2.8'])
  const found = [{ address: '192.0.2.8', family: 4 }]
  const queue = Array.from({ length: 1_001 }, (_, n) =>
    codeOf(resolve(`silent${n}.queue`, 'mallory')),
  )
  // Behind a thousand names that are waited for in vain: it fails, and says so to its own tenant alone.
  const last = codeOf(resolve('shared.example', 'mallory'))
  expect(await resolve('shared.example', 'acme')).toEqual(found)
  expect(await last).toBe('ETIMEOUT')
  expect(await resolve('shared.example', 'umbrella')).toEqual(found)
  await Promise.all(queue)
})

test('an answer counts as long as it says, and serves on while its server is silent', async () => {
  const brief = await openNameServer((name, family) => {
    if (brief.asked.filter((each) => each === name).length > 2) return 'failure'
    return family === 4 ? ['198.51.100.1'] : []
  }, 0)
  const resolve = createResolver({ ...options, servers: [brief.address] })
  const found = [{ address: '198.51.100.1', family: 4 }]
  expect(await resolve('brief.example')).toEqual(found)
  expect(await resolve('brief.example')).toEqual(found)
  expect(brief.asked).toHaveLength(2)
  await new Promise((done) => setTimeout(done, 1_050))
  expect(await resolve('brief.example')).toEqual(found)
  expect(brief.asked.length).toBeGreaterThan(2)
})

test('names of the hosts file and short names are found without a thread', async () => {
  const before = inThreads
  answers.set('depot.corp.example', ['192.0.2.9'])
  const resolve = createResolver({ ...options, search: ['corp.example'] })
  expect(await resolve('SHOP.local.')).toEqual([{ address: '10.1.2.3', family: 4 }])
  expect(await resolve('shop')).toHaveLength(2)
  expect(await resolve('depot')).toEqual([{ address: '192.0.2.9', family: 4 }])
  expect(await resolve('localhost')).toContainEqual({ address: '127.0.0.1', family: 4 })
  expect(await codeOf(resolve('not.there'))).toBe('ENOTFOUND')
  expect(inThreads).toBe(before)
})
