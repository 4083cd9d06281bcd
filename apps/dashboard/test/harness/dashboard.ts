import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { testDatabase, type TestDatabase } from '@posthorn/engine/testing'
import { allMigrations } from '@posthorn/server'
import type { System } from '@posthorn/system'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, expect, onTestFinished } from 'vitest'
import { openBrowser, returnPage, takePage, watchProblems } from './browser.ts'
import {
  configuredSystems,
  serveHere,
  type ServerHere,
  type ServerProcess,
  startServer,
  type TestUser,
  tokenFor,
} from './server.ts'

const BUILD = fileURLToPath(new URL('../../../../scripts/dashboard.mjs', import.meta.url))

/** Once for all files of a process: it only looks whether its sources have changed. */
let built: Promise<unknown> | undefined
const build = () => promisify(execFile)(process.execPath, [BUILD], { timeout: 300_000 })

export interface PageOptions extends Partial<TestUser> {
  /** Default `light`. */
  readonly theme?: 'light' | 'dark'
  /** Default 1280 × 800. */
  readonly size?: { readonly width: number; readonly height: number }
  /** `none` opens the page without a token. Default `token`. */
  readonly login?: 'token' | 'none'
  /** Problems that the test makes on purpose. */
  readonly allowed?: readonly RegExp[]
}

export interface Dashboard {
  readonly url: string
  /** The server's database, to make things happen in. */
  readonly database: TestDatabase
  /**
   * A page of its own, logged in to `demo` as a platform operator by default. It is given back after the
   * test, which fails if anything went wrong on it.
   */
  open(path?: string, options?: PageOptions): Promise<Page>
  /** A token that the server takes; a platform operator in `demo` by default. */
  token(user?: Partial<TestUser>): string
  /** Calls the server's API by the token of a user; the body of the answer. */
  call(path: string, options?: CallOptions): Promise<unknown>
}

interface Killable extends Dashboard {
  /** Kills the server's process; the returned function starts another one at the same address. */
  killServer(): Promise<() => Promise<void>>
}

interface DashboardOptions {
  /** For the server, in addition to what every test has. */
  readonly env?: NodeJS.ProcessEnv
  /** Default: those of `posthorn.config.ts`. */
  readonly systems?: readonly System[]
}

interface Pages {
  readonly database: TestDatabase
  /** A page at an address, with these cookies; the test fails if anything goes wrong on it. */
  open(url: string, cookies: Parameters<BrowserContext['addCookies']>[0]): Promise<Page>
}

/** A browser and the built dashboard for a server that the test starts itself. */
export async function openPages(): Promise<Pages> {
  const database = await testDatabase()
  const browser = await openBrowser()
  if (browser) await (built ??= build())
  return {
    database,
    async open(url, cookies) {
      if (!browser) throw new Error('there is no browser')
      const page = await takePage(browser, { theme: 'light', size: { width: 1_280, height: 800 } })
      const { problems, stop } = watchProblems(page, [])
      onTestFinished(async () => {
        await returnPage(page)
        stop()
        expect(problems).toEqual([])
      })
      await page.context().addCookies(cookies)
      await page.goto(url)
      return page
    },
  }
}

export interface CallOptions extends Partial<TestUser> {
  /** Default GET, or POST with a body. */
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * The built dashboard, served by a real server on a database of its own: one for a test file, called
 * at its top. Server and database end with the file. The server runs in this process, which has its
 * modules for all files; only one that is to be killed needs a process.
 */
export async function openDashboard(options: DashboardOptions = {}): Promise<Dashboard> {
  const { env = {}, systems = await configuredSystems() } = options
  return openDashboardOn((wanted) => serveHere(wanted, systems), env, systems)
}

/** The same with a server that can be killed. */
export async function openKillable(env: NodeJS.ProcessEnv = {}): Promise<Killable> {
  let given: NodeJS.ProcessEnv = {}
  let server: ServerProcess | undefined
  const startAgain = async (wanted: NodeJS.ProcessEnv) => (server = await startServer(wanted))
  const dashboard = await openDashboardOn(
    (wanted) => startAgain((given = wanted)),
    env,
    await configuredSystems(),
  )
  afterAll(() => server?.close())
  return {
    ...dashboard,
    async killServer() {
      await server?.kill()
      return async () => {
        await startAgain({ ...given, PORT: new URL(dashboard.url).port })
      }
    },
  }
}

async function openDashboardOn(
  serve: (env: NodeJS.ProcessEnv) => Promise<ServerHere>,
  env: NodeJS.ProcessEnv,
  systems: readonly System[],
): Promise<Dashboard> {
  // The engine's own are there.
  const [, ...migrations] = await allMigrations(systems)
  const database = await testDatabase({ migrations })
  const secret = randomBytes(32).toString('base64url')
  const browser = await openBrowser()
  if (browser) await (built ??= build())
  const given = { DATABASE_URL: database.url, POSTHORN_JWT_SECRET: secret, ...env }
  const server = browser && (await serve(given))
  afterAll(() => server?.close())
  const url = server?.url ?? 'http://no.browser.invalid'

  const token = ({ sub = 'dev', org = 'demo', role = 'platform' }: Partial<TestUser> = {}) =>
    tokenFor({ sub, org, role }, secret)
  return {
    url,
    database,
    token,
    async open(path = '/', { login = 'token', allowed = [], ...wished } = {}) {
      if (!browser) throw new Error('there is no browser')
      const { theme = 'light', size = { width: 1_280, height: 800 } } = wished
      const page = await takePage(browser, { theme, size })
      const { problems, stop } = watchProblems(page, allowed)
      onTestFinished(async () => {
        await returnPage(page)
        stop()
        expect(problems).toEqual([])
      })
      await page.goto(`${url}${path}${login === 'none' ? '' : `#token=${token(wished)}`}`)
      return page
    },
    async call(path, { method, body, headers, ...user } = {}) {
      const response = await fetch(`${url}${path}`, {
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        headers: {
          authorization: `Bearer ${token(user)}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${response.status} of ${path}: ${text}`)
      return text === '' ? undefined : (JSON.parse(text) as unknown)
    },
  }
}
