import axeCore, { type Result, type RunOptions } from 'axe-core'
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const GRAVE = new Set(['serious', 'critical'])

/** What has an end and has not come to it: a dialog that fades in is too pale until then. */
const MOVING = `document.getAnimations().filter(({ playState, effect }) =>
  playState === 'running' && effect?.getComputedTiming().endTime !== Infinity).length`

/**
 * Fails if the page would stop users of a keyboard, a screen reader, or with weak eyes. `rules` are
 * those of axe to check, all by default.
 */
export async function axe(page: Page, rules?: readonly string[]): Promise<void> {
  // A page that changes while axe looks is looked at again.
  if ((await findingsOn(page, rules)).length === 0) return
  expect(await findingsOn(page, rules)).toEqual([])
}

async function findingsOn(page: Page, rules?: readonly string[]): Promise<string[]> {
  await expect.poll(() => page.evaluate<number>(MOVING)).toBe(0)
  // Half a megabyte: a page that has it from the check before is not given it again.
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(axeCore.source)
  // Only violations are described, and no rule here reads style sheets, which `preload` would fetch.
  const options: RunOptions = { resultTypes: ['violations'], preload: false }
  if (rules) options.runOnly = { type: 'rule', values: [...rules] }
  const run = `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`
  const violations = await page.evaluate<Result[]>(run)
  return violations
    .filter(({ impact }) => GRAVE.has(impact ?? ''))
    .flatMap(({ id, help, nodes }) =>
      nodes.map(({ html, target }) => `${id}: ${help} — ${target.join(' ')}\n  ${html}`),
    )
}

/**
 * What has the focus and cannot be told to have it: nothing around it is drawn, or it is out of sight.
 * Fields of text have their caret. The page itself has the focus before the first and after the last.
 */
const UNSEEN = `(() => {
  const focused = document.activeElement
  if (focused === null || focused === document.body || focused.id === 'content') return null
  const name = focused.tagName + ' ' + (focused.ariaLabel ?? focused.textContent ?? '').slice(0, 60)
  const isText = focused.matches('textarea, input:not([type=checkbox]):not([type=radio])')
  // A box or a radio button that is drawn by its label has the ring there.
  const around = [focused, focused.nextElementSibling, focused.parentElement, focused.closest('label')]
  const hasRing = around.some((each) => {
    if (each === null) return false
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(each)
    return (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none'
  })
  if (!isText && !hasRing) return 'no ring around ' + name
  const box = (focused.closest('label') ?? focused).getBoundingClientRect()
  const isInside = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth
  return isInside ? null : 'out of sight: ' + name
})()`

/** A page that is used by keys alone. */
export function keyboardOf(page: Page) {
  const press = (...keys: readonly string[]) =>
    keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve())
  const hasFocus = async (target: Locator) =>
    (await target.and(page.locator(':focus')).count()) === 1
  return {
    press,
    type: (text: string) => page.keyboard.type(text),
    hasFocus: (target: Locator) => expect.poll(() => hasFocus(target)).toBe(true),
    /** Presses Tab until the focus is there; at every stop on the way it must be seen. */
    async tabTo(target: Locator, most = 60): Promise<void> {
      await target.waitFor()
      const stops: unknown[] = []
      for (let n = 0; n < most; n += 1) {
        if (await hasFocus(target)) return
        await press('Tab')
        // A row is scrolled to, and a tooltip drawn, after the key.
        await expect.poll(() => page.evaluate<string | null>(UNSEEN)).toBe(null)
        stops.push(await page.evaluate('document.activeElement?.textContent?.slice(0, 30)'))
      }
      throw new Error(`not reached within ${most} stops: ${stops.join(' | ')}`)
    },
  }
}

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
