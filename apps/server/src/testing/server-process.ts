import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished } from 'vitest'

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))
const GREETINGS = fileURLToPath(new URL('./greetings/index.ts', import.meta.url))

/** Variables of the developer's environment that a server under test must not see. */
const NOT_INHERITED =
  /^(DATABASE_URL|KAFKA_|RABBITMQ_|NATS_|REDIS_|SQS_|POSTHORN_|OTEL_|PORT$|HOST$|NODE_ENV$)/

/** Servers of one database have the same. */
export const TEST_KEY = 'a-key-of-tests-that-all-servers-have'

export interface ServerProcess {
  readonly output: () => string
  /** Waits until it says something. */
  says(text: string | RegExp): Promise<void>
  /** Where it listens; waits until it does. */
  url(): Promise<string>
  /** The token it printed. */
  token(): Promise<string>
  /** Sends a signal and waits for the end; how it ended. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; ms: number }>
  readonly ended: Promise<number | null>
}

/** Runs the server with the greetings as its own process, on a free port by default; killed after the test. */
export function startProcess(env: NodeJS.ProcessEnv): ServerProcess {
  const inherited = Object.entries(process.env).filter(([name]) => !NOT_INHERITED.test(name))
  const child = spawn(process.execPath, [MAIN], {
    env: {
      ...Object.fromEntries(inherited),
      ...{ PORT: '0', POSTHORN_CONFIG: GREETINGS, POSTHORN_REMOTE_DEVELOPMENT: 'true' },
      ...{ POSTHORN_ENCRYPTION_KEYS: TEST_KEY, ...env },
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (chunk) => (output += String(chunk)))
  child.stderr.on('data', (chunk) => (output += String(chunk)))
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    const late = setTimeout(() => child.kill('SIGKILL'), 12_000)
    await once(child, 'exit')
    clearTimeout(late)
  })
  const readOutput = () => output
  const says = async (text: string | RegExp) => {
    await expect.poll(readOutput, { timeout: 90_000 }).toMatch(text)
  }
  const findLine = async (pattern: RegExp) => {
    await says(pattern)
    return pattern.exec(output)?.[1] ?? ''
  }
  return {
    output: readOutput,
    says,
    url: () => findLine(/ready: (http:\S+)/),
    token: () => findLine(/^(eyJ\S+)$/m),
    ended,
    async end(signal) {
      const started = performance.now()
      child.kill(signal)
      return { code: await ended, ms: performance.now() - started }
    },
  }
}

/** Calls a server as the holder of a token; the answer with its body read. */
export async function call(
  url: string,
  { token, body, method }: { token?: string; body?: unknown; method?: string } = {},
): Promise<{ status: number; headers: Headers; body: Record<string, unknown> }> {
  const response = await fetch(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const parsed = /json/.test(response.headers.get('content-type') ?? '')
    ? JSON.parse(text)
    : { text }
  return {
    status: response.status,
    headers: response.headers,
    body: parsed as Record<string, unknown>,
  }
}

/** For the data of a server; removed after the test. */
export async function dataFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-server-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

export async function greet(server: ServerProcess, name: string): Promise<void> {
  const [url, token] = [await server.url(), await server.token()]
  const { status } = await call(`${url}/api/v1/greetings`, { token, body: { name } })
  expect(status).toBe(202)
}

/** Waits until the consumer has counted so many greetings of a name. */
export async function untilCounted(
  server: ServerProcess,
  name: string,
  times: number,
): Promise<void> {
  const [url, token] = [await server.url(), await server.token()]
  const count = async () => (await call(`${url}/api/v1/greetings/${name}`, { token })).body['times']
  // What a killed server had in hand comes back when its leases run out: 30 s for a message that was
  // claimed, 15 s for the partitions of a topic.
  await expect.poll(count, { timeout: 90_000 }).toBe(times)
}
