import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type Browser,
  chromium,
  type ConsoleMessage,
  type Page,
  type Request,
  type Response,
} from 'playwright-core'
import { beforeEach } from 'vitest'
import { ensureChromium } from '../../../../scripts/services/index.mjs'

let opened: Promise<Browser | undefined> | undefined

/**
 * A headless Chromium, or undefined where none can be had: then every test of the file is skipped,
 * loudly, and in CI it is a failure. The test files of a process share it, and it ends with the
 * process; each page has a context of its own, so that nothing is left for the next.
 */
export async function openBrowser(): Promise<Browser | undefined> {
  opened ??= launch()
  const browser = await opened
  if (browser === undefined) beforeEach((context) => context.skip('there is no browser'))
  return browser
}

async function launch(): Promise<Browser | undefined> {
  const path = await ensureChromium().catch((error: unknown) => skipWithoutBrowser(error))
  if (path === undefined) return undefined
  return chromium.launch({ executablePath: path, args: ['--disable-dev-shm-usage'] })
}

function skipWithoutBrowser(error: unknown): undefined {
  const isCi = !['', 'false', '0'].includes(process.env['CI'] ?? '')
  if (isCi || !(error instanceof Error)) throw error
  process.stderr.write(`\n  SKIPPED: no browser. ${error.message}\n\n`)
  return undefined
}

export interface Look {
  readonly theme: 'light' | 'dark'
  readonly size: { readonly width: number; readonly height: number }
}

/** Blank pages that no test uses now. A new one costs a process and compiles every script anew. */
const blank: Page[] = []

let nothing: Promise<string> | undefined

/**
 * The address of an empty page of this process. It is of the same site as the servers of all tests,
 * whatever their ports, so that a page which waits here keeps its process, and the scripts that were
 * compiled in it; behind `about:blank` it would be given a new one.
 */
async function serveNothing(): Promise<string> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end('<!doctype html><link rel="icon" href="data:,"><title>Nothing</title>')
  })
  await once(server.listen(0, '127.0.0.1').unref(), 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

/** A page that remembers nothing of the tests before. */
export async function takePage(browser: Browser, { theme, size }: Look): Promise<Page> {
  const page = blank.pop() ?? (await newPage(browser))
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
  await page.setViewportSize(size)
  return page
}

/** Gives a page back: blank, if it can be made to forget what was done on it. */
export async function returnPage(page: Page): Promise<void> {
  try {
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.evaluate('localStorage.clear(), sessionStorage.clear()')
    await page.goto(await (nothing ??= serveNothing()))
    await page.context().clearCookies()
    blank.push(page)
  } catch {
    await page.context().close()
  }
}

async function newPage(browser: Browser): Promise<Page> {
  const context = await browser.newContext({
    // What moves cannot be compared, nor clicked in time.
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  // Half a minute is too short where other programs take the processors.
  context.setDefaultTimeout(60_000)
  await context.addInitScript({ content: REPORT_VIOLATIONS })
  return context.newPage()
}

/** A page that moves on gives up its requests, the live stream before all. */
const GIVEN_UP = 'net::ERR_ABORTED'

/** Chromium's words for a violated policy are a console error; this names the rule and the place. */
const REPORT_VIOLATIONS = `
  document.addEventListener('securitypolicyviolation', (event) => {
    console.error('CSP: ' + event.violatedDirective + ' forbids ' + event.blockedURI + ' at ' +
      event.sourceFile + ':' + event.lineNumber)
  })`

/** What went wrong on a page, as far as it was watched. */
interface Watch {
  readonly problems: readonly string[]
  stop(): void
}

/**
 * Collects what must not happen on a page: errors in the console or thrown, violations of the
 * content security policy, answers of 500 and more, requests that fail. `allowed` are the problems
 * that a test makes on purpose.
 */
export function watchProblems(page: Page, allowed: readonly RegExp[]): Watch {
  const problems: string[] = []
  const note = (problem: string) => {
    if (!allowed.some((pattern) => pattern.test(problem))) problems.push(problem)
  }
  const onConsole = (message: ConsoleMessage) => {
    if (message.type() === 'error') note(`console: ${message.text()} (${message.location().url})`)
  }
  const onError = (error: Error) => note(`thrown: ${error.stack ?? error.message}`)
  const onResponse = (response: Response) => {
    const { method, url } = { method: response.request().method(), url: response.url() }
    if (response.status() >= 500) note(`answer: ${response.status()} of ${method} ${url}`)
  }
  const onFailure = (request: Request) => {
    const reason = request.failure()?.errorText ?? 'unknown'
    if (reason !== GIVEN_UP) note(`request: ${request.method()} ${request.url()}: ${reason}`)
  }
  page.on('console', onConsole).on('pageerror', onError)
  page.on('response', onResponse).on('requestfailed', onFailure)
  return {
    problems,
    stop() {
      page.off('console', onConsole).off('pageerror', onError)
      page.off('response', onResponse).off('requestfailed', onFailure)
    },
  }
}
