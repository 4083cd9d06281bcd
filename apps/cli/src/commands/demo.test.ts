import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testDatabase } from '@posthorn/engine/testing'
import { afterAll, expect, test, vi } from 'vitest'
import { posthorn, posthornHere, SHOP, startPosthorn } from '../testing/posthorn.ts'

const { url: database } = await testDatabase()
const folder = await mkdtemp(join(tmpdir(), 'posthorn-demo-'))
const env = { POSTHORN_DATA_DIR: folder, POSTHORN_CONFIG: SHOP, DATABASE_URL: database }
const server = startPosthorn(['start', '--port', '0'], env)
afterAll(async () => {
  server.child.kill('SIGTERM')
  await server.ended
  await rm(folder, { recursive: true, force: true })
})
const url = await vi.waitFor(
  () => {
    const found = /Posthorn is ready: (http:\S+)/.exec(server.stdout())?.[1]
    if (found === undefined) throw new Error(`the server is not ready: ${server.stderr()}`)
    return found
  },
  { timeout: 60_000, interval: 100 },
)

test('tells the story as it is played, and where to look', async () => {
  const { code, stdout, stderr } = await posthorn(['demo', '--url', `${url}/`], env)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toBe(
    [
      '\nA look\n  The outboxes are listed.',
      `  Outboxes: ${url}/outboxes`,
      '  → The shop has two outboxes.',
      '\nA wait\n  The shop looks ten times.',
      '  → The shop has waited.\n',
    ].join('\n'),
  )
})

test('ends at Ctrl-C, and the story with it', async () => {
  const running = startPosthorn(['demo', '--url', url, '--json'], env)
  const token = (await posthornHere(['token'], env)).stdout.trim()
  const status = async () => {
    const headers = { authorization: `Bearer ${token}` }
    const response = await fetch(`${url}/api/v1/demo`, { headers })
    return ((await response.json()) as { status: string }).status
  }
  await expect.poll(status, { timeout: 60_000, interval: 50 }).toBe('running')
  running.child.kill('SIGINT')
  const { code, stdout, stderr } = await running.ended
  expect(code).toBe(130)
  expect(stderr).toContain('Demo stopped; its data stays')
  expect(JSON.parse(stdout)).toMatchObject({ status: 'cancelled' })
  expect(await status()).toBe('cancelled')
})

test.each([
  [['--url', 'http://127.0.0.1:1'], {}, 1, 'start one with `npm start`'],
  [['--url', 'nowhere'], {}, 2, '--url must be http(s)://host'],
  [['--url', url, '--token', 'no.such.token'], {}, 1, 'answered 401'],
  [[], { PORT: '0' }, 2, 'pass the server’s address as --url'],
  [[], { NODE_ENV: 'production' }, 2, 'which do not exist in production'],
  [[], { POSTHORN_JWKS_URL: 'https://login.example/keys' }, 2, 'pass a token as --token'],
])('%j with %o is answered with %d', async (args, more, expected, says) => {
  const { code, stdout, stderr } = await posthornHere(['demo', ...args], { ...env, ...more })
  expect(stderr).toContain(says)
  expect({ code, stdout }).toEqual({ code: expected, stdout: '' })
})
