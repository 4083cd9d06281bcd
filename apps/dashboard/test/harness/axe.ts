import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const GRAVE = new Set(['serious', 'critical'])

/** Fails if the page would stop a user with a keyboard, a screen reader or weak eyes. */
export async function axe(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze()
  const found = violations
    .filter(({ impact }) => GRAVE.has(impact ?? ''))
    .flatMap(({ id, help, nodes }) =>
      nodes.map(({ html, target }) => `${id}: ${help} — ${target.join(' ')}\n  ${html}`),
    )
  expect(found).toEqual([])
}
