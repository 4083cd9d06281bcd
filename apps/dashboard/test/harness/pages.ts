import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { REPORT_VIOLATIONS } from './problems.ts'

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
  await context.addInitScript({ content: REPORT_VIOLATIONS })
  return context.newPage()
}
