import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createLog, loadSystems, readConfiguration, startServer as start } from '@posthorn/server'
import type { System } from '@posthorn/system'
import type { Role } from '../../src/session/session.ts'

const SERVER = new URL('../../../server/src/', import.meta.url)
const MAIN = fileURLToPath(new URL('main.ts', SERVER))

/** Variables of the developer's environment that a server under test must not see. */
const NOT_INHERITED =
  /^(DATABASE_URL|KAFKA_|RABBITMQ_|S3_|AWS_|POSTHORN_(?!CACHE)|OTEL_|PORT$|HOST$|NODE_ENV$)/

const READY_WITHIN_MS = 240_000

function defaults(folder: string): NodeJS.ProcessEnv {
  return {
    PORT: '0',
    POSTHORN_DATA_DIR: folder,
    POSTHORN_RATE_LIMIT: '0',
    POSTHORN_REMOTE_DEVELOPMENT: 'true',
    // Of all servers of a database: the next one has another folder.
    POSTHORN_ENCRYPTION_KEYS: 'a-key-of-the-tests-of-the-dashboard',
  }
}

export interface ServerHere {
  readonly url: string
  close(): Promise<void>
}

export interface ServerProcess extends ServerHere {
  /** What it has printed so far. */
  output(): string
  /** Ends the process at once, without a word; another one at the same port goes on where it was. */
  kill(): Promise<void>
}

/** The systems of this repository, as `npm start` runs them. */
export async function configuredSystems(): Promise<readonly System[]> {
  const file = new URL('../../../../posthorn.config.ts', import.meta.url)
  return loadSystems({ POSTHORN_CONFIG: fileURLToPath(file) })
}

/** Runs a real server in this process, on a free port, until `close`. */
export async function serveHere(
  env: NodeJS.ProcessEnv,
  systems: readonly System[],
): Promise<ServerHere> {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-dashboard-'))
  const given = { ...defaults(folder), POSTHORN_LOG_LEVEL: 'silent', ...env }
  const configuration = readConfiguration(given, systems)
  const log = createLog(configuration.logLevel)
  const server = await start(configuration, { systems, log })
  return {
    url: server.url ?? '',
    async close() {
      await server.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Runs `npm start`'s server in its own process until `close`, at the latest until this process ends. */
export async function startServer(env: NodeJS.ProcessEnv): Promise<ServerProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-dashboard-'))
  const inherited = Object.entries(process.env).filter(([name]) => !NOT_INHERITED.test(name))
  const child = spawn(process.execPath, [MAIN], {
    env: {
      ...Object.fromEntries(inherited),
      ...defaults(folder),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  let output = ''
  const close = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM')
      const late = setTimeout(kill, 12_000)
      await once(child, 'exit')
      clearTimeout(late)
    }
    process.off('exit', kill)
    await rm(folder, { recursive: true, force: true })
  }
  const killNow = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const gone = once(child, 'exit')
      kill()
      await gone
    }
    process.off('exit', kill)
    await rm(folder, { recursive: true, force: true })
  }
  const ready = new Promise<string>((resolve, reject) => {
    const hear = (chunk: unknown) => {
      output += String(chunk)
      const url = /ready: (http:\S+)/.exec(output)?.[1]
      if (url !== undefined) resolve(url)
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.once('exit', () => reject(new Error(`the server did not start:\n${output}`)))
    const late = () => reject(new Error(`the server was not ready in time:\n${output}`))
    setTimeout(late, READY_WITHIN_MS).unref()
  })
  try {
    return { url: await ready, output: () => output, close, kill: killNow }
  } catch (error) {
    await close()
    throw error
  }
}

/** Who looks at the dashboard. */
export interface TestUser {
  readonly sub: string
  readonly org: string
  readonly role: Role
}

/** A token as the server takes it: HS256, valid for an hour by default. */
export function tokenFor(user: TestUser, secret: string, seconds = 3_600): string {
  const exp = Math.floor(Date.now() / 1_000) + seconds
  const parts = [
    { alg: 'HS256', typ: 'JWT' },
    { ...user, exp },
  ].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  const signed = parts.join('.')
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
}
