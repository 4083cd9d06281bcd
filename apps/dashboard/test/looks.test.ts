import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { fillExample } from './example/fill.ts'
import { EXAMPLE } from './example/index.ts'
import { addressIn, axe, openDashboard, patient, screenshot, type World } from './harness/index.ts'
import { fillSystems, systemSettings, systemViews } from './system-worlds.ts'
import { VIEWS } from './views.ts'

const example = await openDashboard({ systems: EXAMPLE })
const configured = await openDashboard({ env: await systemSettings() })

/** What a theme decides; the flows check every rule on the same pages in light. */
const OF_THEMES = ['color-contrast', 'link-in-text-block']

interface Look {
  readonly width: number
  readonly theme: 'light' | 'dark'
  /** Those of axe. Default all. */
  readonly rules?: readonly string[]
}

const WIDTHS = [1_440, 1_280, 1_024, 390]
const FULL: readonly Look[] = WIDTHS.flatMap((width) => [
  { width, theme: 'light' },
  { width, theme: 'dark' },
])
const SHORT: readonly Look[] = [
  { width: 1_024, theme: 'dark', rules: OF_THEMES },
  { width: 390, theme: 'light' },
]
const LOOKS = process.env['PROOF'] === 'full' ? FULL : SHORT

let world: World = {}
beforeAll(async () => {
  if (example.url.endsWith('.invalid')) return
  world = { ...(await fillSystems(configured)), ...(await fillExample(example)) }
})

/**
 * What does not fit: the page itself, what stands out of it to the right, a table that must be moved
 * sideways, and titles, labels and times that are cut.
 */
const CUT_OFF = `(() => {
  const shown = [...document.querySelectorAll('main *, [role=dialog] *')].filter((each) => each.checkVisibility())
  const isWide = (each) => each.scrollWidth > each.clientWidth + 1
  const isMoved = (each) => {
    for (let up = each; up && up.role !== 'dialog' && up.tagName !== 'MAIN'; up = up.parentElement) {
      if (['auto', 'scroll', 'hidden', 'clip'].includes(getComputedStyle(up).overflowX)) return true
    }
    return false
  }
  const root = document.documentElement
  const name = (each) => each.tagName + ' ' + (each.ariaLabel ?? each.textContent ?? '').slice(0, 60)
  const TITLES = '.mantine-Button-label, h1, h2, h3, [role=grid]:not([data-cards]) [role=columnheader], [role=gridcell]:has(time), [data-cards] [role=gridcell]'
  return [
    ...(root.scrollWidth > innerWidth ? ['the page: ' + root.scrollWidth + ' of ' + innerWidth] : []),
    ...shown
      .filter((each) => each.getBoundingClientRect().right > innerWidth + 1 && !isMoved(each))
      .map((each) => 'outside: ' + name(each)),
    ...shown.filter((each) => each.role === 'grid' && isWide(each)).map((each) => 'wide: ' + name(each)),
    ...shown.filter((each) => each.matches(TITLES) && isWide(each)).map((each) => 'cut: ' + name(each)),
  ]
})()`

async function look(page: Page, name: string, { width, theme, rules }: Look): Promise<void> {
  await page.emulateMedia({ colorScheme: theme })
  // The page hears of it a moment later: colours of both would be compared.
  await page.locator(`html[data-mantine-color-scheme="${theme}"]`).waitFor({ state: 'attached' })
  await page.setViewportSize({ width, height: width === 390 ? 844 : 900 })
  await expect
    .poll(() => page.evaluate<string[]>(CUT_OFF), { message: `${name} at ${width}` })
    .toEqual([])
  if (rules?.length !== 0) await axe(page, rules)
  await screenshot(page, `${name}-${width}-${theme}`)
}

test.each([
  ...VIEWS.map((view) => [...view, example] as const),
  ...(await systemViews()).map((view) => [...view, configured] as const),
])('%s is whole and readable at every width, in both themes', async (...view) => {
  const [name, path, text, dashboard] = view
  const page = await dashboard.open(addressIn(world, path))
  await page.getByText(text).first().waitFor(patient)
  for (const each of LOOKS) await look(page, name, each)
})

test('the login is whole and readable at every width, in both themes', async () => {
  const page = await example.open('/', { login: 'none' })
  await page.getByLabel('Token').waitFor()
  for (const each of LOOKS) await look(page, 'login', each)
})
