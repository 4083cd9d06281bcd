import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { call, startProcess, type ServerProcess } from './testing/server-process.ts'

async function dataFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-server-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function greet(server: ServerProcess, name: string): Promise<void> {
  const [url, token] = [await server.url(), await server.token()]
  const { status } = await call(`${url}/api/v1/greetings`, { token, body: { name } })
  expect(status).toBe(202)
}

/** Waits until the consumer has counted so many greetings of a name. */
async function untilCounted(server: ServerProcess, name: string, times: number): Promise<void> {
  const [url, token] = [await server.url(), await server.token()]
  const count = async () => (await call(`${url}/api/v1/greetings/${name}`, { token })).body['times']
  // What a killed server had in hand comes back when its leases run out: 30 s for a message that was
  // claimed, 15 s for the partitions of a topic.
  await expect.poll(count, { timeout: 60_000 }).toBe(times)
}

test('starts on nothing, keeps its data, and goes on where a killed one was', async () => {
  const POSTHORN_DATA_DIR = await dataFolder()
  const first = startProcess({ POSTHORN_DATA_DIR })
  await greet(first, 'ada')
  await untilCounted(first, 'ada', 1)
  expect(first.output()).toMatch(/embedded PostgreSQL .*\(started\), \d+ migrations applied/)
  const token = await first.token()
  // Committed and perhaps not delivered yet: the next one must find it.
  await greet(first, 'grace')
  await first.end('SIGKILL')

  const second = startProcess({ POSTHORN_DATA_DIR })
  await untilCounted(second, 'grace', 1)
  await untilCounted(second, 'ada', 1)
  expect(second.output()).toContain('(adopted)')
  expect(second.output()).not.toContain('migrations applied')
  const old = await call(`${await second.url()}/api/v1/outboxes`, { token })
  expect(old.status, 'a token outlives its server').toBe(200)
  // The process itself sees to its time: it ends with 1 when that is over.
  expect((await second.end('SIGTERM')).code).toBe(0)
  expect(second.output()).toContain('stopped; nothing was lost')

  const third = startProcess({ POSTHORN_DATA_DIR })
  await untilCounted(third, 'ada', 1)
  expect(third.output()).toContain('(started)')
}, 180_000)

test('keeps its secret out of what it prints, and its embedded database running', async () => {
  const POSTHORN_DATA_DIR = await dataFolder()
  const server = startProcess({ POSTHORN_DATA_DIR, POSTHORN_LOG_LEVEL: 'debug' })
  await greet(server, 'ada')
  await untilCounted(server, 'ada', 1)
  const file = join(POSTHORN_DATA_DIR, 'jwt-secret')
  expect((await stat(file)).mode & 0o077).toBe(0)
  const logs = server.output().replaceAll(await server.token(), '')
  expect(logs).not.toContain(await readFile(file, 'utf8'))
  expect(logs).not.toMatch(/eyJ[\w-]+\./)
  expect(logs).not.toMatch(/postgres(ql)?:\/\/[^\s:]*:[^…\s]+@/)

  const postmaster = join(POSTHORN_DATA_DIR, 'postgres', 'data', 'postmaster.pid')
  process.kill(Number((await readFile(postmaster, 'utf8')).split('\n')[0]), 'SIGKILL')
  const readiness = async () => (await call(`${await server.url()}/readyz`)).status
  await expect.poll(readiness, { interval: 100 }).toBe(503)
  await expect.poll(readiness, { timeout: 30_000, interval: 200 }).toBe(200)
  await greet(server, 'grace')
  await untilCounted(server, 'grace', 1)
}, 120_000)

test('two servers run side by side, each with its own data', async () => {
  const [one, other] = [
    startProcess({ POSTHORN_DATA_DIR: await dataFolder() }),
    startProcess({ POSTHORN_DATA_DIR: await dataFolder() }),
  ]
  await greet(one, 'ada')
  await greet(other, 'grace')
  await untilCounted(one, 'ada', 1)
  await untilCounted(other, 'grace', 1)
  const [url, token] = [await other.url(), await other.token()]
  expect((await call(`${url}/api/v1/greetings/ada`, { token })).status).toBe(404)
  const foreign = await call(`${url}/api/v1/outboxes`, { token: await one.token() })
  expect(foreign.status, 'each has a secret of its own').toBe(401)
}, 90_000)

test('three roles are three processes on one data folder', async () => {
  const POSTHORN_DATA_DIR = await dataFolder()
  const api = startProcess({ POSTHORN_DATA_DIR, POSTHORN_ROLES: 'api' })
  await greet(api, 'ada')
  const [url, token] = [await api.url(), await api.token()]
  const outbox = async () => {
    const { body } = await call(`${url}/api/v1/outboxes`, { token })
    const items = body['items'] as { name: string }[]
    return items.find(({ name }) => name === 'example.greetings')
  }
  expect(await outbox()).toMatchObject({ counts: { waiting: 1, sent: 0 }, relays: 0 })

  const relay = startProcess({ POSTHORN_DATA_DIR, POSTHORN_ROLES: 'relay', PORT: '' })
  await relay.says('Posthorn is ready')
  expect(relay.output()).toContain('(joined)')
  await expect.poll(outbox).toMatchObject({ counts: { sent: 1 }, relays: 1 })
  const unread = await call(`${url}/api/v1/greetings/ada`, { token })
  expect(unread.status, 'no consumer reads the topic yet').toBe(404)

  const worker = startProcess({ POSTHORN_DATA_DIR, POSTHORN_ROLES: 'worker' })
  await untilCounted(api, 'ada', 1)
  const health = await worker.url()
  const readiness = async () => (await call(`${health}/readyz`)).body
  await expect.poll(readiness).toMatchObject({ ready: true })
  expect((await call(`${health}/api/v1/outboxes`, { token })).status).toBe(404)

  await greet(api, 'grace')
  await untilCounted(api, 'grace', 1)

  // The database was started by the first to go; the others keep it.
  expect((await api.end('SIGTERM')).code).toBe(0)
  expect((await call(`${health}/readyz`)).body).toMatchObject({ ready: true })
  expect((await relay.end('SIGTERM')).code).toBe(0)
  expect((await worker.end('SIGTERM')).code).toBe(0)
}, 90_000)

test('names every mistake of its environment at once, and starts nothing', async () => {
  const wrong = startProcess({
    POSTHORN_DATA_DIR: '/nonexistent/posthorn',
    PORT: '99999',
    POSTHORN_ROLES: 'boss',
    DATABASE_URL: 'mysql://root:hunter2@localhost',
    POSTHORN_JWT_SECRET: 'too short',
    GREETINGS_BROKER: 'pigeon',
  })
  expect(await wrong.ended).toBe(1)
  for (const name of ['PORT', 'POSTHORN_ROLES', 'DATABASE_URL', 'POSTHORN_JWT_SECRET']) {
    expect(wrong.output()).toContain(`${name} must be`)
  }
  expect(wrong.output()).toContain('GREETINGS_BROKER must be')
  expect(wrong.output()).not.toMatch(/hunter2|too short/)
})

test('production makes nothing up', async () => {
  const bare = startProcess({ NODE_ENV: 'production' })
  expect(await bare.ended).toBe(1)
  expect(bare.output()).toContain('DATABASE_URL is missing')
  expect(bare.output()).toContain('POSTHORN_JWT_SECRET or POSTHORN_JWKS_URL is missing')
})

test('says so when its port is taken, and leaves nothing running', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void taken.close())
  await new Promise((resolve) => taken.once('listening', resolve))
  const { port } = taken.address() as { port: number }
  const POSTHORN_DATA_DIR = await dataFolder()
  const server = startProcess({ POSTHORN_DATA_DIR, PORT: String(port) })
  expect(await server.ended).toBe(1)
  expect(server.output()).toContain(`Port ${port} of 127.0.0.1 is taken`)
  const next = startProcess({ POSTHORN_DATA_DIR })
  await next.url()
  expect(next.output(), 'the database was stopped').toContain('(started)')
}, 60_000)
