import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const folder = await mkdtemp(join(tmpdir(), 'posthorn-server-'))
const children: ChildProcess[] = []

function start(env: NodeJS.ProcessEnv = {}) {
  const { DATABASE_URL: _, ...rest } = process.env
  const child = spawn(process.execPath, [fileURLToPath(new URL('./main.ts', import.meta.url))], {
    env: { ...rest, POSTHORN_DATA_DIR: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  let output = ''
  child.stdout.on('data', (chunk) => (output += String(chunk)))
  child.stderr.on('data', (chunk) => (output += String(chunk)))
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  return {
    child,
    ended,
    output: () => output,
    says: (text: string) => expect.poll(() => output, { timeout: 25_000 }).toContain(text),
  }
}

afterAll(async () => {
  for (const child of children) if (child.exitCode === null) child.kill('SIGTERM')
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  await rm(folder, { recursive: true, force: true })
})

test('starts its own database, delivers, and goes on where a killed one was', async () => {
  const first = start()
  await first.says('delivered: hello world, for the 1. time')
  expect(first.output()).toContain('embedded PostgreSQL')
  expect(first.output()).toContain('migrations applied')
  first.child.kill('SIGKILL')
  await first.ended

  const second = start()
  await second.says('for the 2. time')
  expect(second.output()).toContain('(adopted)')
  expect(second.output()).toContain('migrations up to date')
  second.child.kill('SIGTERM')
  expect(await second.ended).toBe(0)
  expect(second.output()).toContain('stopped; nothing was lost')

  const third = start()
  await third.says('for the 3. time')
  expect(third.output()).toContain('(started)')
  third.child.kill('SIGTERM')
  expect(await third.ended).toBe(0)
}, 60_000)

test('names what is wrong with its environment', async () => {
  const wrong = start({ DATABASE_URL: 'mysql://localhost' })
  expect(await wrong.ended).toBe(1)
  expect(wrong.output()).toContain('DATABASE_URL must look like postgresql://')
})
