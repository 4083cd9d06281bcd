import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

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
