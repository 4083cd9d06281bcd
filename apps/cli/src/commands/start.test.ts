import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { SHOP, posthorn, posthornHere, startPosthorn, type Running } from '../testing/posthorn.ts'

const folder = await mkdtemp(join(tmpdir(), 'posthorn-cli-'))
const env = { POSTHORN_CONFIG: SHOP, POSTHORN_DATA_DIR: folder }
const started: Running[] = []
await writeFile(join(folder, 'posthorn.config.ts'), `export { systems } from '${SHOP}'\n`)

/** In a folder that has a configuration, so that the environment need not name one. */
function start(...args: string[]): Running {
  const running = startPosthorn(args, { POSTHORN_DATA_DIR: folder }, folder)
  started.push(running)
  return running
}

afterAll(async () => {
  for (const { child } of started) if (child.exitCode === null) child.kill('SIGTERM')
  await Promise.all(started.map(({ ended }) => ended))
  await rm(folder, { recursive: true, force: true })
})

/** Relays of the shop, as the status tells. */
async function relays(): Promise<number> {
  const { stdout } = await posthornHere(['status', '--json'], env)
  const { outboxes } = JSON.parse(stdout) as { outboxes: { name: string; relays: number }[] }
  return outboxes.find(({ name }) => name === 'shop.events')?.relays ?? 0
}

test('start runs the systems of posthorn.config.ts; commands join its embedded database', async () => {
  const server = start('start', '--port', '0', '--role', 'api,relay')
  await expect.poll(() => server.stdout(), { timeout: 35_000 }).toContain('Posthorn is ready')
  const url = /Posthorn is ready: (http:\S+)/.exec(server.stdout())?.[1]
  expect(url).toBeDefined()
  const status = await posthorn(['status'], env)
  expect(status.stdout).toContain('(joined)')
  expect(status.stdout).toContain('shop.events')
  expect((await posthornHere(['pause', 'shop.events'], env)).code).toBe(0)
  expect(await relays()).toBe(1)

  // The token of the command is one that the server takes.
  const token = (await posthornHere(['token'], env)).stdout.trim()
  const answer = await fetch(`${url}/api/v1/outboxes`, {
    headers: { authorization: `Bearer ${token}` },
  })
  expect(answer.status).toBe(200)
  await answer.body?.cancel()

  const relay = start('relay')
  await expect.poll(() => relay.stdout(), { timeout: 35_000 }).toContain('Posthorn is ready')
  await expect.poll(relays, { timeout: 30_000, interval: 500 }).toBe(2)
  relay.child.kill('SIGTERM')
  expect((await relay.ended).code).toBe(0)
  server.child.kill('SIGINT')
  expect(await server.ended).toMatchObject({ code: 0 })

  // No process is left: the command starts the database, and stops it again.
  const alone = await posthorn(['status'], env)
  expect(alone.stdout).toContain('(started)')
}, 180_000)

test('a wrong role is named', async () => {
  const { code, stderr } = await posthorn(['start', '--role', 'relais'], env)
  expect(stderr).toContain('POSTHORN_ROLES must be')
  expect(code).toBe(2)
})
