import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const GRAVE = new Set(['serious', 'critical'])

/**
 * Fails if the page would stop users of a keyboard, a screen reader, or with weak eyes. `rules` are
 * those of axe to check, all by default.
 */
export async function axe(page: Page, rules?: readonly string[]): Promise<void> {
  // Only violations are described, and by one script: there are no frames to look into.
  const options = { resultTypes: ['violations' as const] }
  const builder = new AxeBuilder({ page }).setLegacyMode(true).options(options)
  if (rules) builder.withRules([...rules])
  const { violations } = await builder.analyze()
  const found = violations
    .filter(({ impact }) => GRAVE.has(impact ?? ''))
    .flatMap(({ id, help, nodes }) =>
      nodes.map(({ html, target }) => `${id}: ${help} — ${target.join(' ')}\n  ${html}`),
    )
  expect(found).toEqual([])
}
