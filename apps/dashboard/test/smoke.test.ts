import { expect, test } from 'vitest'
import { axe, openDashboard, screenshot } from './harness/index.ts'

const dashboard = await openDashboard()

test.each(['light', 'dark'] as const)('opens, logged in, in %s', async (theme) => {
  const page = await dashboard.open('/', { theme })
  await page.getByRole('navigation').first().waitFor()
  await expect.poll(() => page.url()).not.toContain('token')
  await axe(page)
  await screenshot(page, `smoke-${theme}`)
})

test('asks for a token where there is none', async () => {
  const page = await dashboard.open('/', { login: 'none' })
  await page.getByRole('textbox').first().waitFor()
  await axe(page)
})
