import { chromium, type Browser } from 'playwright-core'
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
