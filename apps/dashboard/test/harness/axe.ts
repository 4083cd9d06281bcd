import axeCore, { type Result, type RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

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
