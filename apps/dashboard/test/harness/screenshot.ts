import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

const IMAGES = fileURLToPath(new URL('../../../../docs/images', import.meta.url))

/**
 * Keeps a picture of the page as `<name>.png` in the folder that SCREENSHOTS names: `1` means
 * docs/images. Without SCREENSHOTS nothing is written.
 */
export async function screenshot(page: Page, name: string): Promise<void> {
  const wished = process.env['SCREENSHOTS'] ?? ''
  if (!/^[a-z0-9-]+$/.test(name)) throw new TypeError(`"${name}" is no name for a picture`)
  if (wished === '') return
  const folder = wished === '1' ? IMAGES : wished
  await mkdir(folder, { recursive: true })
  await page.evaluate('document.fonts.ready.then(() => undefined)')
  await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' })
}
