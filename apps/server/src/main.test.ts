import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  dataFolder,
  greet,
  untilCounted,
  call,
  startProcess,
  type ServerProcess,
} from './testing/server-process.ts'

test('two servers start on nothing side by side, each with its own data, which outlives it', async () => {
  const [folder, otherFolder] = [await dataFolder(), await dataFolder()]
  const one = startProcess({ POSTHORN_DATA_DIR: folder, POSTHORN_LOG_LEVEL: 'debug' })
  const other = startProcess({ POSTHORN_DATA_DIR: otherFolder })
  await greet(one, 'ada')
  await greet(other, 'grace')
  await untilCounted(one, 'ada', 1)
  await untilCounted(other, 'grace', 1)
  expect(other.output()).toMatch(/embedded PostgreSQL .*\(started\), \d+ migrations applied/)
  const [url, token] = [await other.url(), await other.token()]
  expect((await call(`${url}/api/v1/greetings/ada`, { token })).status).toBe(404)
  const foreign = await call(`${url}/api/v1/outboxes`, { token: await one.token() })
  expect(foreign.status, 'each has a secret of its own').toBe(401)

  // The process itself sees to its time: it ends with 1 when that is over.
  expect((await other.end('SIGTERM')).code).toBe(0)
  expect(other.output()).toContain('stopped; nothing was lost')
  const next = startProcess({ POSTHORN_DATA_DIR: otherFolder })
  await untilCounted(next, 'grace', 1)
  expect(next.output(), 'the database was stopped').toContain('(started)')
  expect(next.output()).not.toContain('migrations applied')
  const old = await call(`${await next.url()}/api/v1/outboxes`, { token })
  expect(old.status, 'a token outlives its server').toBe(200)

  await expectSecretKept(one, folder)
  await expectDatabaseRevived(one, folder)
}, 180_000)

async function expectSecretKept(server: ServerProcess, folder: string): Promise<void> {
  const file = join(folder, 'jwt-secret')
  expect((await stat(file)).mode & 0o077).toBe(0)
  const logs = server.output().replaceAll(await server.token(), '')
  expect(logs).not.toContain(await readFile(file, 'utf8'))
  expect(logs).not.toMatch(/eyJ[\w-]+\./)
  expect(logs).not.toMatch(/postgres(ql)?:\/\/[^\s:]*:[^…\s]+@/)
}

/** Kills the embedded database: the server says that it is not ready, and starts it again. */
async function expectDatabaseRevived(server: ServerProcess, folder: string): Promise<void> {
  const postmaster = join(folder, 'postgres', 'data', 'postmaster.pid')
  process.kill(Number((await readFile(postmaster, 'utf8')).split('\n')[0]), 'SIGKILL')
  const readiness = async () => (await call(`${await server.url()}/readyz`)).status
  await expect.poll(readiness, { interval: 100 }).toBe(503)
  await expect.poll(readiness, { timeout: 60_000, interval: 200 }).toBe(200)
  await greet(server, 'grace')
  await untilCounted(server, 'grace', 1)
}

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
})

test.each([
  [{ NODE_ENV: 'Production', DATABASE_URL: 'postgres://u@127.0.0.1:1/x' }, 'NODE_ENV must be'],
  [{ DATABASE_URL: 'postgres://u@db.invalid/x' }, 'DATABASE_URL is on db.invalid'],
])('does not fall back to development with %j', async (env, says) => {
  const wrong = startProcess({ POSTHORN_REMOTE_DEVELOPMENT: '', ...env })
  expect(await wrong.ended).toBe(1)
  expect(wrong.output()).toContain(says)
  expect(wrong.output()).not.toContain('eyJ')
})

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
