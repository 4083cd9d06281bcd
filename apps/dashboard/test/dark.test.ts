import { beforeAll, test } from 'vitest'
import { axe, openDashboard, screenshot } from './harness/index.ts'
import { VIEWS } from './views.ts'
import { addressIn, fillPages, type World } from './world.ts'

const dashboard = await openDashboard({ env: { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' } })
const patient = { timeout: 60_000 }

/** What a theme decides; the flows check every rule on the same pages in light. */
const OF_THEMES = ['color-contrast', 'link-in-text-block']

let world: World = {}
beforeAll(async () => {
  if (!dashboard.url.endsWith('.invalid')) world = await fillPages(dashboard)
})

test.each(VIEWS)('%s is readable in dark', async (name, path, text) => {
  const page = await dashboard.open(addressIn(world, path), { theme: 'dark' })
  await page.getByText(text).first().waitFor(patient)
  await axe(page, OF_THEMES)
  await screenshot(page, `${name}-dark`)
})

test('the login is readable in dark', async () => {
  const page = await dashboard.open('/', { theme: 'dark', login: 'none' })
  await page.getByLabel('Token').waitFor()
  await axe(page, OF_THEMES)
  await screenshot(page, 'login-dark')
})
