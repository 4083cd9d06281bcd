import { sleep } from '@posthorn/engine/internal'
import { signToken } from '@posthorn/http'
import {
  isProduction,
  loadSystems,
  readConfiguration,
  secretOf,
  type Configuration,
} from '@posthorn/server'
import { examples, onDatabase, withJson, type DatabaseOptions, type Define } from '../options.ts'
import { variablesOf } from '../environment.ts'
import { EXIT, Failure, UsageError, type ExitCode } from '../errors.ts'
import { startProgress } from '../terminal/interact.ts'
import type { Terminal } from '../terminal/terminal.ts'

interface DemoOptions extends DatabaseOptions {
  readonly url?: string
  readonly token?: string
}

export const defineDemo: Define = (command, { terminal, end }) => {
  command
    .option('--url <address>', 'address of the server (default: from HOST and PORT)')
    .option(
      '--token <token>',
      'token of a platform operator (default: signed with the server’s secret)',
    )
  onDatabase(withJson(command)).action(async (options: DemoOptions) =>
    end(await playDemo(terminal, options)),
  )
  examples(command, ['demo', 'demo --url http://127.0.0.1:8080'])
}

interface Step {
  readonly id: string
  readonly title: string
  readonly about: string
  readonly look: readonly { readonly label: string; readonly path: string }[]
  readonly status: 'waiting' | 'running' | 'done' | 'failed' | 'cancelled'
  readonly says: readonly string[]
}

interface Story {
  readonly status: 'idle' | 'running' | 'completed' | 'failed' | 'cancelled'
  readonly error: string | null
  readonly steps: readonly Step[]
}

const EVERY_MS = 500

/** A server that is stopping does not answer any more. */
const CANCEL_WITHIN_MS = 10_000

/** Starts the story on a server, prints it as it runs, and ends it at Ctrl-C. */
async function playDemo(terminal: Terminal, options: DemoOptions): Promise<ExitCode> {
  const { interrupted } = terminal
  const server = await serverOf(terminal, options)
  let story = await call(server, 'POST')
  const tell = options.json ? () => undefined : createTeller(terminal, server.url)
  {
    using progress = startProgress(terminal, 'playing')
    while (story.status === 'running' && !interrupted.aborted) {
      tell(story)
      progress.tell(story.steps.find(({ status }) => status === 'running')?.title ?? 'playing')
      await sleep(EVERY_MS, interrupted)
      if (!interrupted.aborted) story = await call(server, 'GET')
    }
  }
  if (interrupted.aborted && story.status === 'running') {
    story = await call(server, 'DELETE', AbortSignal.timeout(CANCEL_WITHIN_MS))
  }
  tell(story)
  if (options.json) terminal.printJson(story)
  return codeAfter(terminal, story)
}

function codeAfter(terminal: Terminal, { status, error }: Story): ExitCode {
  if (status === 'completed') return EXIT.ok
  if (status === 'cancelled') {
    terminal.say('Demo stopped; its data stays.')
    return EXIT.interrupted
  }
  terminal.say(`posthorn: the demo failed: ${error ?? status}`)
  return EXIT.failed
}

/** Prints each sentence once, whenever it comes. */
function createTeller(terminal: Terminal, url: string): (story: Story) => void {
  const printed = new Set<string>()
  const once = (key: string, print: () => void) => {
    if (printed.has(key)) return
    printed.add(key)
    print()
  }
  return ({ steps }) => {
    for (const { id, title, about, look, status, says } of steps) {
      if (status === 'waiting') return
      once(id, () => {
        terminal.print(`\n${terminal.paint('bold', title)}`)
        terminal.print(`  ${about}`)
        for (const { label, path } of look) {
          terminal.print(terminal.paint('dim', `  ${label}: ${url}${path}`))
        }
      })
      for (const [i, sentence] of says.entries()) {
        once(`${id}/${i}`, () => terminal.print(`  → ${sentence}`))
      }
    }
  }
}

interface Server {
  readonly url: string
  readonly token: string
}

async function serverOf(terminal: Terminal, options: DemoOptions): Promise<Server> {
  const env = variablesOf(terminal, options)
  if (isProduction(env)) {
    throw new UsageError('the demo needs simulators, which do not exist in production')
  }
  const configuration = readConfiguration(env, await loadSystems(env))
  const url = (options.url ?? addressOf(configuration)).replace(/\/+$/, '')
  if (!/^https?:\/\/[^\s/]+/.test(url)) throw new UsageError('--url must be http(s)://host')
  return { url, token: options.token ?? (await ownToken(configuration)) }
}

function addressOf({ baseUrl, host, port }: Configuration): string {
  if (port === 0) throw new UsageError('PORT is 0: pass the server’s address as --url')
  return baseUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

async function ownToken(configuration: Configuration): Promise<string> {
  const secret = await secretOf(configuration)
  if (secret === undefined) {
    throw new UsageError('POSTHORN_JWKS_URL is set: pass a token as --token')
  }
  return signToken({ secret, sub: 'dev', org: 'demo', role: 'platform', expiresIn: '1h' })
}

async function call({ url, token }: Server, method: string, signal?: AbortSignal): Promise<Story> {
  const request = {
    method,
    headers: { authorization: `Bearer ${token}` },
    ...(signal && { signal }),
  }
  const response = await fetch(`${url}/api/v1/demo`, request).catch((cause: unknown) => {
    const start = 'start one with `npm start`, or name it by --url'
    throw new Failure(`no server answers at ${url}; ${start}`, { cause })
  })
  const body = (await response.json().catch(() => undefined)) as
    (Story & { detail?: string; title?: string }) | undefined
  if (response.ok && body !== undefined) return body
  if (response.status === 404) {
    throw new Failure(`${url} has no demo: it runs in production, or is not a Posthorn server`)
  }
  const why = body?.detail ?? body?.title ?? 'no reason given'
  throw new Failure(`${url} answered ${response.status}: ${why}`)
}
