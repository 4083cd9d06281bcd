import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { createProgram } from './program.ts'
import type { Terminal } from './terminal/terminal.ts'
import { posthorn, posthornHere } from './testing/posthorn.ts'

// Processes that load a whole server, on a machine that may be busy with other tests.

const BIN = fileURLToPath(new URL('../bin/posthorn.mjs', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'posthorn-cli-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

const program = await createProgram({ terminal: {} as Terminal, end: () => undefined }, () => true)
/** Every command; one that only has commands below it has no examples itself. */
const COMMANDS = program.commands
  .flatMap((command) => [
    [command.name()],
    ...command.commands.map((own) => [command.name(), own.name()]),
  ])
  .filter(([name, own]) => name !== 'audit' || own !== undefined)
  .filter(([name, own]) => !['keys', 'recurring'].includes(name ?? '') || own === undefined)

describe('help', () => {
  test.each(COMMANDS)('of %s %s has a description and examples', async (...command) => {
    const { code, stdout, stderr } = await posthornHere([...command, '--help'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(`Usage: posthorn ${command.join(' ')}`)
    expect(stdout).toMatch(/\n\n[A-Z].*\n/)
    expect(stdout).toContain(`Examples:\n  $ posthorn ${command[0]}`)
  })

  test('loads nothing heavy', async () => {
    // However busy the machine is: the engine and the server are not loaded for it.
    const child = spawn(process.execPath, [BIN, '--help'], {
      env: { ...process.env, NODE_DEBUG: 'esm' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let loaded = ''
    child.stderr.on('data', (chunk) => (loaded += String(chunk)))
    child.stdout.resume()
    expect(await once(child, 'close')).toEqual([0, null])
    expect(loaded).toContain('apps/cli/src/program.ts')
    expect(loaded).not.toMatch(/packages\/engine|apps\/server/)
  })
})

describe('wrong usage', () => {
  test.each([
    [['stauts'], 'Did you mean status?'],
    [['status', '--jsno'], 'Did you mean --json?'],
    [[], 'Usage: posthorn'],
    [['pause'], "missing required argument 'outbox'"],
    [['pause', 'a', 'b'], 'too many arguments'],
    [['status', '--every', 'soon'], 'A duration is a number and a unit'],
    [['status', '--once', '--watch'], 'cannot be used with option'],
    [['replay', 'x', '--limit', '0'], 'a whole number from 1 on'],
    [['replay', 'x', '--per-second', '-1'], 'a number above 0'],
    [['replay', 'x', '--since', 'yesterday'], 'how long ago'],
    [['alerts', '--state', 'new'], 'Allowed choices'],
    [['token', '--role', 'emperor'], 'Allowed choices'],
  ])('%j is answered with 2 and what would be right', async (args, says) => {
    const { code, stdout, stderr } = await posthornHere(args)
    expect(stderr).toContain(says)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  })

  test('is the exit code of the process too', async () => {
    const { code, stderr } = await posthorn(['stauts'])
    expect(stderr).toContain('Did you mean status?')
    expect(code).toBe(2)
  })

  test('every mistake of the environment is named, without secrets', async () => {
    const { code, stderr } = await posthornHere(['status'], {
      DATABASE_URL: 'mysql://me:hunter2@db/x',
      PORT: 'x',
    })
    expect(code).toBe(2)
    expect(stderr).toContain('DATABASE_URL must be')
    expect(stderr).toContain('PORT must be')
    expect(stderr).not.toContain('hunter2')
  })

  test('a module of systems that cannot be loaded is named', async () => {
    const file = join(folder, 'broken.mjs')
    await writeFile(file, 'export const systems = 1')
    const { code, stderr } = await posthornHere(['status'], { POSTHORN_CONFIG: file })
    expect(code).toBe(2)
    expect(stderr).toContain('must export `systems`')
  })
})

test('a folder without a database is not filled with one by looking', async () => {
  const { code, stderr } = await posthornHere(['status', '--data-dir', join(folder, 'none')])
  expect(code).toBe(1)
  expect(stderr).toContain('there is no database in')
  expect(await readdir(folder)).not.toContain('none')
})

test('an address without a server is a failure that says so, without the password', async () => {
  const DATABASE_URL = 'postgres://me:hunter2@127.0.0.1:1/x'
  const { code, stdout, stderr } = await posthornHere(['status'], { DATABASE_URL })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain('is the database running?')
  expect(stderr).not.toContain('hunter2')
})

test('a reader that leaves early is no failure', async () => {
  const child = spawn(process.execPath, [BIN, 'migrate', 'sql'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stdout.destroy()
  let stderr = ''
  child.stderr.on('data', (chunk) => (stderr += String(chunk)))
  const [code] = await once(child, 'close')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})

test('a Node that is too old gets the version that is needed', async () => {
  const pretend = "Object.defineProperty(process.versions, 'node', { value: '18.19.0' })"
  const child = spawn(process.execPath, ['--import', `data:text/javascript,${pretend}`, BIN], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stderr = ''
  child.stderr.on('data', (chunk) => (stderr += String(chunk)))
  const [code] = await once(child, 'close')
  expect(code).toBe(1)
  expect(stderr).toContain('posthorn needs Node 24 or newer; this is 18.19.0')
})
