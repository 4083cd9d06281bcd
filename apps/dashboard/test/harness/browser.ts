import { chromium, type Browser } from 'playwright-core'
import { beforeEach } from 'vitest'
import { ensureChromium } from '../../../../scripts/services/index.mjs'

/**
 * A headless Chromium, or undefined where none can be had: then every test of the file is skipped,
 * loudly, and in CI it is a failure.
 */
export async function openBrowser(): Promise<Browser | undefined> {
  const path = await ensureChromium().catch((error: unknown) => missing(error))
  if (path === undefined) return undefined
  return chromium.launch({ executablePath: path, args: ['--disable-dev-shm-usage'] })
}

function missing(error: unknown): undefined {
  const isCi = !['', 'false', '0'].includes(process.env['CI'] ?? '')
  if (isCi || !(error instanceof Error)) throw error
  process.stderr.write(`\n  SKIPPED: no browser. ${error.message}\n\n`)
  beforeEach((context) => context.skip('there is no browser'))
  return undefined
}
