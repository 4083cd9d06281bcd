import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const SERVER = new URL('../../../server/src/', import.meta.url)
const MAIN = fileURLToPath(new URL('main.ts', SERVER))
const GREETINGS = fileURLToPath(new URL('testing/greetings/index.ts', SERVER))

/** Variables of the developer's environment that a server under test must not see. */
const NOT_INHERITED =
  /^(DATABASE_URL|KAFKA_|RABBITMQ_|S3_|AWS_|POSTHORN_(?!CACHE)|OTEL_|PORT$|HOST$|NODE_ENV$)/

const READY_WITHIN_MS = 240_000

/** A second's patience in production is a test's long wait. */
const SHORT_INTERVALS = { OUTBOUND_WORKER_POLL_INTERVAL_MS: '500' }

export interface DashboardServer {
  readonly url: string
  /** What it has printed so far. */
  output(): string
  close(): Promise<void>
  /** Ends the process at once, without a word; another one at the same port goes on where it was. */
  kill(): Promise<void>
}

/** Runs a real server on a free port until `close`, at the latest until this process ends. */
export async function startServer(env: NodeJS.ProcessEnv): Promise<DashboardServer> {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-dashboard-'))
  const inherited = Object.entries(process.env).filter(([name]) => !NOT_INHERITED.test(name))
  const child = spawn(process.execPath, [MAIN], {
    env: {
      ...Object.fromEntries(inherited),
      ...SHORT_INTERVALS,
      PORT: '0',
      POSTHORN_DATA_DIR: folder,
      POSTHORN_RATE_LIMIT: '0',
      POSTHORN_CONFIG: GREETINGS,
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
