import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { findClosedFolder, serverAccount } from './account.ts'
import { openPostgres } from './open-postgres.ts'
import {
  findPostmaster,
  signal,
  waitForEnd,
  isProcessAlive,
  postgresProcessesIn,
} from './postmaster.ts'
import { killServer } from './server.ts'

/** A folder whose server was started and stopped: making one takes longer than most tests. */
let prepared: string
let folder: string
let data: string
let children: ChildProcess[]

beforeAll(async () => {
  prepared = await mkdtemp(join(tmpdir(), 'posthorn-prepared-'))
  await (await openPostgres({ folder: prepared })).close()
})

afterAll(() => rm(prepared, { recursive: true, force: true }))

/** Puts a copy of the prepared folder in the place of the empty one. */
async function usePrepared(): Promise<void> {
  await promisify(execFile)('cp', ['-a', `${prepared}/.`, folder])
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'posthorn-open-'))
  data = join(folder, 'data')
  children = []
})

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL')
  await killServer(data)
  await killServer(join(folder, 'inner', 'data'))
  await rm(folder, { recursive: true, force: true })
})

/** Another process that opens the folder, says what it got, and closes on request. */
async function openElsewhere() {
  const source = `
    import { openPostgres } from ${JSON.stringify(new URL('index.ts', import.meta.url).href)}
    const { url, owner, close } = await openPostgres({ folder: ${JSON.stringify(folder)} })
    console.log(JSON.stringify({ url, owner }))
    process.stdin.once('data', async () => { await close(); process.exit(0) })`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  children.push(child)
  const [line] = await once(createInterface(child.stdout), 'line')
  const { url, owner } = JSON.parse(String(line))
  return {
    url: String(url),
    owner: String(owner),
    close: async () => {
      child.stdin.write('close\n')
      await once(child, 'exit')
    },
    kill: async () => {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

async function ask(url: string, statement: string): Promise<unknown> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query({ text: statement, rowMode: 'array' })
    return rows[0]?.[0]
  } finally {
    await client.end()
  }
}

const portOf = ({ url }: { url: string }) => Number(new URL(url).port)
const keptPort = async () => Number(await readFile(join(folder, 'port'), 'utf8'))

const isUp = async () => (await findPostmaster(data)) !== undefined

test('starts, and the last one out stops it', async () => {
  const first = await openPostgres({ folder })
  const second = await openPostgres({ folder })
  expect([first.owner, second.owner]).toEqual(['started', 'joined'])
  expect(second.url).toBe(first.url)
  expect(first.version).toMatch(/^18\./)
  await first.close()
  expect(await isUp()).toBe(true)
  expect(await ask(second.url, 'select 1')).toBe(1)
  await Promise.all([second.close(), second.close()])
  expect(await isUp()).toBe(false)
  expect(await readdir(join(folder, 'users'))).toEqual([])
})

test('three processes at the same moment start one server', async () => {
  const opened = await Promise.all([openElsewhere(), openElsewhere(), openElsewhere()])
  expect(opened.map(({ owner }) => owner).toSorted()).toEqual(['joined', 'joined', 'started'])
  expect(new Set(opened.map(({ url }) => url)).size).toBe(1)
  await Promise.all(opened.map(({ close }) => close()))
  expect(await isUp()).toBe(false)
})

test('adopts the server of a process that was killed', async () => {
  await usePrepared()
  const starter = await openElsewhere()
  await ask(starter.url, 'create table kept as select 7 as n')
  const before = await findPostmaster(data)
  await starter.kill()
  expect(await isUp()).toBe(true)

  const adopted = await openPostgres({ folder })
  expect(adopted.owner).toBe('adopted')
  expect((await findPostmaster(data))?.pid).toBe(before?.pid)
  expect(await ask(adopted.url, 'select n from kept')).toBe(7)
  await adopted.close()
  expect(await isUp()).toBe(false)
})

test('the death of one user does not stop the server of another', async () => {
  await usePrepared()
  const starter = await openElsewhere()
  const here = await openPostgres({ folder })
  await starter.kill()
  expect(await ask(here.url, 'select 1')).toBe(1)
  await here.close()
  expect(await isUp()).toBe(false)
})

test('starts a crashed server again, on its port and with its data', async () => {
  await usePrepared()
  const first = await openPostgres({ folder })
  await ask(first.url, 'create table kept as select 7 as n')
  await killServer(data)
  expect(await readFile(join(data, 'postmaster.pid'), 'utf8')).toMatch(/^\d+\n/)

  const second = await openPostgres({ folder })
  expect([second.owner, second.url]).toEqual(['started', first.url])
  expect(await ask(first.url, 'select n from kept')).toBe(7)
  await first.close()
  await second.close()
})

test('waits for the children of a postmaster that was killed alone', async () => {
  await usePrepared()
  const first = await openPostgres({ folder })
  const busy = new Client({ connectionString: first.url })
  busy.on('error', () => undefined)
  await busy.connect()
  const sleeping = busy.query('select pg_sleep(60)').catch(() => 'cut')
  const postmaster = await findPostmaster(data)
  signal(postmaster!.pid, 'SIGKILL')
  // The kernel takes its time to end it; until then it is a server that can be joined.
  await expect.poll(() => isProcessAlive(postmaster!.pid)).toBe(false)
  const second = await openPostgres({ folder })
  expect(second.owner).toBe('started')
  expect(await sleeping).toBe('cut')
  await first.close()
  await second.close()
})

test('does not take a stranger with the pid of the old server for the server', async () => {
  await usePrepared()
  const stale = [process.pid, data, 1, 5432, '', '127.0.0.1', '0 0', 'ready', '']
  await writeFile(join(data, 'postmaster.pid'), stale.join('\n'))
  const second = await openPostgres({ folder })
  expect([second.owner, portOf(second)]).toEqual(['started', await keptPort()])
  await second.close()
})

test('sweeps users whose process is gone or is another one now', async () => {
  await usePrepared()
  const postgres = await openPostgres({ folder })
  await writeFile(join(folder, 'users', 'gone'), '4194304 1')
  await writeFile(join(folder, 'users', 'recycled'), `${process.pid} 1`)
  await writeFile(join(folder, 'users', 'cut-short'), '')
  await postgres.close()
  expect(await isUp()).toBe(false)
})

test('takes another port when the kept one is taken', async () => {
  await usePrepared()
  const port = await keptPort()
  const taker = createServer().listen(port, '127.0.0.1')
  await once(taker, 'listening')
  const postgres = await openPostgres({ folder })
  expect(portOf(postgres)).not.toBe(port)
  expect(await ask(postgres.url, 'select 1')).toBe(1)
  await postgres.close()
  taker.close()
})

test('gets over a kill at any moment of the first start', async () => {
  for (const momentMs of [150, 250, 350, 450, 550, 650, 750]) {
    const cut = await Promise.race([openElsewhere(), sleep(momentMs)])
    if (cut === undefined) children.at(-1)?.kill('SIGKILL')
    else await cut.kill()
  }
  const postgres = await openPostgres({ folder })
  expect(await ask(postgres.url, 'select 1')).toBe(1)
  await postgres.close()
  expect((await readdir(folder)).filter((name) => name.startsWith('unfinished'))).toEqual([])
})

test('makes a new password when a killed start left the file empty', async () => {
  await writeFile(join(folder, 'password'), '')
  const postgres = await openPostgres({ folder })
  expect(new URL(postgres.url).password).not.toBe('')
  expect(await ask(postgres.url, 'select 1')).toBe(1)
  await postgres.close()
})

test('ends the initdb of a starter that was killed, which would write on', async () => {
  void openElsewhere()
  const initdb = await vi.waitUntil(
    async () => {
      const names = await readdir(folder)
      const unfinished = names.find((name) => name.startsWith('unfinished')) ?? 'none'
      return postgresProcessesIn(join(folder, unfinished, 'cluster'))?.at(0)
    },
    { timeout: 30_000, interval: 5 },
  )
  // Stopped it is slower than any other, and as on a busy machine still there when the next one comes.
  signal(initdb, 'SIGSTOP')
  children[0]?.kill('SIGKILL')
  const postgres = await openPostgres({ folder })
  expect(isProcessAlive(initdb)).toBe(false)
  await postgres.close()
  expect((await readdir(folder)).filter((name) => name.startsWith('unfinished'))).toEqual([])
})

test('keeps the password to its owner and refuses connections without it', async () => {
  const postgres = await openPostgres({ folder, settings: { work_mem: '7MB' } })
  expect((await stat(join(folder, 'password'))).mode & 0o777).toBe(0o600)
  const stranger = new URL(postgres.url)
  stranger.password = 'guess'
  await expect(ask(stranger.href, 'select 1')).rejects.toMatchObject({ code: '28P01' })
  expect(await ask(postgres.url, 'show work_mem')).toBe('7MB')
  expect(await ask(postgres.url, 'show listen_addresses')).toBe('127.0.0.1')
  expect(await ask(postgres.url, 'show fsync')).toBe('on')
  await postgres.close()
})

test('refuses a folder of another major version and one without its right password', async () => {
  await usePrepared()
  const postgres = await openPostgres({ folder })
  await postgres.close()
  const password = await readFile(join(folder, 'password'), 'utf8')
  await rm(join(folder, 'password'))
  await expect(openPostgres({ folder })).rejects.toMatchObject({
    code: 'POSTGRES_PASSWORD_MISSING',
  })
  await writeFile(join(folder, 'password'), 'another')
  await expect(openPostgres({ folder })).rejects.toMatchObject({ code: 'POSTGRES_CONNECT_FAILED' })
  expect(await isUp()).toBe(false)
  await writeFile(join(folder, 'password'), password)
  await writeFile(join(data, 'PG_VERSION'), '12\n')
  await expect(openPostgres({ folder })).rejects.toMatchObject({ code: 'POSTGRES_FOLDER_VERSION' })
})

test('a setting that PostgreSQL refuses is an error with its words', async () => {
  await usePrepared()
  const opening = openPostgres({ folder, settings: { work_mem: 'much' } })
  await expect(opening).rejects.toMatchObject({ code: 'POSTGRES_START_FAILED' })
  await expect(opening).rejects.toThrow('work_mem')
  expect(await readdir(join(folder, 'users'))).toEqual([])
})

test('works in a folder closed to all other accounts', async () => {
  // As /root is: the account that serves root cannot walk there.
  await chmod(folder, 0o700)
  const first = await openPostgres({ folder: join(folder, 'inner') })
  await first.close()
  const second = await openPostgres({ folder: join(folder, 'inner') })
  expect(await ask(second.url, 'select 1')).toBe(1)
  await killServer(join(folder, 'inner', 'data'))
  expect(await waitForEnd(join(folder, 'inner', 'data'), 1000)).toBe(true)
  const third = await openPostgres({ folder: join(folder, 'inner') })
  expect(third.url).toBe(second.url)
  await second.close()
  await third.close()
})

test('names a folder that it may not use', async () => {
  const asRoot = process.getuid?.() === 0
  await chmod(folder, asRoot ? 0o700 : 0)
  expect(findClosedFolder(await serverAccount(data), join(folder, 'a', 'b'))).toBe(folder)
  if (asRoot) process.seteuid?.('nobody')
  const opening = openPostgres({ folder: join(folder, 'inner') })
  await expect(opening.finally(() => asRoot && process.seteuid?.(0))).rejects.toMatchObject({
    code: 'POSTGRES_FOLDER_UNREACHABLE',
    message: expect.stringContaining(join(folder, 'inner')),
  })
  await chmod(folder, 0o700)
})
