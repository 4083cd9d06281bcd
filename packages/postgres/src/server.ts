import { spawn } from 'node:child_process'
import { open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { as } from './account.ts'
import { seenBy, serverEnvironment, type Setting } from './cluster.ts'
import { PostgresServerError } from './errors.ts'
import {
  endProcessesIn,
  findPostmaster,
  readPostmaster,
  signal,
  waitForEnd,
  postgresProcessesIn,
} from './postmaster.ts'
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Settings of the server, as in postgresql.conf: `{ fsync: 'off' }`. */
export type ServerSettings = Readonly<Record<string, string | number>>

/** Recovery after a crash replays the log first, which may take minutes. */
const START_LIMIT_MS = 5 * 60_000
/**
 * How long a shutdown waits for sessions to end by themselves. A pool says that it has ended before the server
 * has read so: ended first, its connections would report an error that ends the process.
 */
const LEAVE_MS = 500
/** A fast shutdown ends every session and writes a checkpoint. */
const STOP_LIMIT_MS = 60_000
/** The children of a killed postmaster notice at once and leave. */
const ORPHAN_LIMIT_MS = 5_000

const DEFAULTS: ServerSettings = {
  max_connections: 200,
  // Change capture reads the log; raising the level later needs a restart.
  wal_level: 'logical',
  timezone: 'UTC',
  log_timezone: 'UTC',
}

/** Brings the server to the state in which it takes connections; returns its port. */
export async function startServer(setting: Setting, settings: ServerSettings): Promise<number> {
  const { folder } = setting
  await clearRemains(folder.data)
  for (let tries = 1; ; tries += 1) {
    const port = await freePort(folder.port)
    const failure = await launch(setting, { ...DEFAULTS, ...settings, port })
    if (failure === undefined) {
      await writeFile(folder.port, `${port}\n`)
      return port
    }
    // Another process took the port between our check and the server's start.
    if (tries < 3 && !(await isPortFree(port))) continue
    throw new PostgresServerError('POSTGRES_START_FAILED', failure)
  }
}

/** Waits for a server that another process started; undefined if it ends instead. */
export async function awaitServer(data: string): Promise<number | undefined> {
  const deadline = Date.now() + START_LIMIT_MS
  while (Date.now() < deadline) {
    const postmaster = await findPostmaster(data)
    if (postmaster === undefined) return undefined
    if (postmaster.status === 'ready') return postmaster.port
    await sleep(20)
  }
  throw new PostgresServerError('POSTGRES_START_FAILED', `A server is stuck in ${data}.`)
}

/** Ends all sessions and the server; what was committed is on disk. */
export async function stopServer(data: string): Promise<void> {
  const postmaster = await findPostmaster(data)
  if (postmaster === undefined) return
  signal(postmaster.pid, 'SIGTERM')
  if (await waitForEnd(data, LEAVE_MS)) return
  signal(postmaster.pid, 'SIGINT')
  if (await waitForEnd(data, STOP_LIMIT_MS)) return
  signal(postmaster.pid, 'SIGQUIT')
  if (await waitForEnd(data, STOP_LIMIT_MS)) return
  throw new PostgresServerError('POSTGRES_STOP_FAILED', `Its process is ${postmaster.pid}.`)
}

/** Ends the server and its children as a power cut would. */
export async function killServer(data: string): Promise<void> {
  const postmaster = await findPostmaster(data)
  // The postmaster first: it would take the death of a child for a crash and start again.
  if (postmaster !== undefined) signal(postmaster.pid, 'SIGKILL')
  await endProcessesIn(data)
  await waitForEnd(data, ORPHAN_LIMIT_MS)
}

/**
 * Makes the folder of a crashed server ready for a start. PostgreSQL refuses to start while the
 * pid in its own file is alive, though a zombie or a stranger may have that number; so the file
 * goes, but only after no process that could still write is left.
 */
async function clearRemains(data: string): Promise<void> {
  if (!(await waitForEnd(data, ORPHAN_LIMIT_MS))) await killServer(data)
  if (postgresProcessesIn(data)?.length === 0)
    await rm(join(data, 'postmaster.pid'), { force: true })
}

/** Starts the program; returns what it said if it ended before it was ready. */
async function launch(setting: Setting, settings: ServerSettings): Promise<string | undefined> {
  const { folder, binaries, account } = setting
  await rename(folder.log, `${folder.log}.1`).catch(() => undefined)
  const log = await open(folder.log, 'a', 0o600)
  const flags = { ...settings, listen_addresses: LOOPBACK, unix_socket_directories: '' }
  const child = spawn(
    binaries.postgres,
    [
      `-D${seenBy(account, folder.data)}`,
      ...Object.entries(flags).map(([name, value]) => `--${name}=${value}`),
    ],
    {
      ...as(account),
      cwd: folder.data,
      env: serverEnvironment(),
      stdio: ['ignore', log.fd, log.fd],
      // In a session of its own: Ctrl-C in our terminal must not reach a server others use.
      detached: true,
    },
  )
  const ended = new AbortController()
  child.once('error', (error) => ended.abort(error))
  child.once('exit', (code, cause) => ended.abort(`It ended with ${code ?? cause}:`))
  child.unref()
  await log.close()

  const deadline = Date.now() + START_LIMIT_MS
  while (!ended.signal.aborted) {
    const postmaster = await readPostmaster(folder.data)
    if (postmaster?.pid === child.pid && postmaster?.status === 'ready') return undefined
    if (Date.now() > deadline) child.kill('SIGQUIT')
    await sleep(20)
  }
  const said = await readFile(folder.log, 'utf8').catch(() => '')
  return `${String(ended.signal.reason)}\n${said.trim().split('\n').slice(-20).join('\n')}`
}

export const LOOPBACK = '127.0.0.1'

/**
 * Below the range from which systems give ports to outgoing connections: a kept port is then not
 * lost to some client while the server is down.
 */
const LOWEST = 20_000
const HIGHEST = 32_000

/** The port kept in the file if it is free, else another one. */
async function freePort(file: string): Promise<number> {
  const kept = await readPort(file)
  if (kept !== undefined && (await isPortFree(kept))) return kept
  for (let tries = 0; tries < 200; tries += 1) {
    const port = randomInt(LOWEST, HIGHEST)
    if (await isPortFree(port)) return port
  }
  const details = `No free one was found between ${LOWEST} and ${HIGHEST}.`
  throw new PostgresServerError('POSTGRES_PORT_TAKEN', details)
}

/** The port of the last start. */
async function readPort(file: string): Promise<number | undefined> {
  const port = Number(await readFile(file, 'utf8').catch(() => ''))
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined
}

function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen({ port, host: LOOPBACK }, () => probe.close(() => resolve(true)))
  })
}
