// node apps/dashboard/test/load.ts <seconds>: what the dashboard costs under a load of 50 messages a
// second. Two operators with three windows each, on a real server with its usual limit of requests;
// one JSON object a window. Uses DATABASE_URL. `npm run bench -- dashboard` prints it as a table.

import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core'
import { ensureChromium } from '../../../scripts/services/index.mjs'
import { startServer, tokenFor } from './harness/server.ts'

const PER_SECOND = 50
/** Each has an allowance of its own. */
const WRITERS = 10
const SETTLE_MS = 15_000
const OPERATORS = ['ada', 'grace']
const PATHS = ['/overview', '/messages', '/outboxes']

/** Run in the page before anything else. */
const OBSERVE = `
  window.measured = { longTasks: 0, longestTaskMs: 0, layoutShift: 0 }
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) {
      measured.longTasks += 1
      measured.longestTaskMs = Math.max(measured.longestTaskMs, duration)
    }
  }).observe({ type: 'longtask' })
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) measured.layoutShift += entry.value
  }).observe({ type: 'layout-shift' })`

interface Observed {
  longTasks: number
  longestTaskMs: number
  layoutShift: number
}

interface Window {
  readonly operator: string
  readonly path: string
  readonly page: Page
  readonly session: CDPSession
  requests: number
  refused: number
}

const seconds = Number(process.argv[2] ?? 60)
const secret = randomBytes(32).toString('base64url')
const build = fileURLToPath(new URL('../../../scripts/dashboard.mjs', import.meta.url))
await promisify(execFile)(process.execPath, [build], { timeout: 600_000 })
const server = await startServer({
  DATABASE_URL: process.env['DATABASE_URL'],
  POSTHORN_JWT_SECRET: secret,
  POSTHORN_RATE_LIMIT: '600',
})
const browser = await chromium.launch({
  executablePath: await ensureChromium(),
  args: ['--disable-dev-shm-usage'],
})
try {
  await measure(browser)
} finally {
  await browser.close()
  await server.close()
}

async function measure(on: Browser): Promise<void> {
  const end = new AbortController()
  const writing = write(end.signal)
  const windows = []
  for (const operator of OPERATORS) {
    for (const path of PATHS) windows.push(await openWindow(on, operator, path))
  }
  await sleep(SETTLE_MS)
  const before = await Promise.all(windows.map(heapOf))
  for (const window of windows) {
    window.requests = 0
    await window.page.evaluate(
      'Object.assign(measured, { longTasks: 0, longestTaskMs: 0, layoutShift: 0 })',
    )
  }
  await sleep(seconds * 1_000)
  const made = windows.map(({ requests }) => requests)
  for (const [i, window] of windows.entries()) {
    const observed = (await window.page.evaluate('measured')) as Observed
    const line = {
      operator: window.operator,
      page: window.path,
      requestsPerSecond: round((made[i] ?? 0) / seconds),
      refused429: window.refused,
      longTasks: observed.longTasks,
      longestTaskMs: Math.round(observed.longestTaskMs),
      layoutShift: round(observed.layoutShift),
      heapBeforeMb: round(before[i] ?? 0),
      heapAfterMb: round(await heapOf(window)),
    }
    process.stdout.write(`${JSON.stringify(line)}\n`)
  }
  end.abort()
  process.stdout.write(`${JSON.stringify({ messagesPerSecond: round(await writing) })}\n`)
}

/** Writes until its caller ends it; how many a second there were. */
async function write(signal: AbortSignal): Promise<number> {
  const began = performance.now()
  let written = 0
  const writers = Array.from({ length: WRITERS }, async (_, n) => {
    const token = tokenFor({ sub: `writer-${n}`, org: 'demo', role: 'member' }, secret)
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ name: `writer ${n}` })
    const everyMs = (1_000 * WRITERS) / PER_SECOND
    let nextAt = performance.now()
    while (!signal.aborted) {
      const answer = await fetch(`${server.url}/api/v1/greetings`, {
        method: 'POST',
        headers,
        body,
      })
      if (!answer.ok) throw new Error(`a message was not taken: ${answer.status}`)
      written += 1
      // What a busy machine made it miss is not made up for: that would be more than 50 a second.
      nextAt = Math.max(nextAt + everyMs, performance.now())
      await sleep(Math.max(0, nextAt - performance.now()))
    }
  })
  await Promise.all(writers)
  return written / ((performance.now() - began) / 1_000)
}

async function openWindow(on: Browser, operator: string, path: string): Promise<Window> {
  const context = await on.newContext({ viewport: { width: 1_440, height: 900 } })
  await context.addInitScript({ content: OBSERVE })
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  const window = { operator, path, page, session, requests: 0, refused: 0 }
  page.on('request', (request) => {
    if (/\/(api|sim)\//.test(request.url())) window.requests += 1
  })
  page.on('response', (response) => {
    if (response.status() === 429) window.refused += 1
  })
  const token = tokenFor({ sub: operator, org: 'demo', role: 'platform' }, secret)
  await page.goto(`${server.url}${path}#token=${token}`)
  await page.getByRole('heading', { level: 1 }).waitFor({ timeout: 60_000 })
  return window
}

/** What is in use after a collection, in MB. */
async function heapOf({ session }: Window): Promise<number> {
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  return usedSize / 1e6
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
