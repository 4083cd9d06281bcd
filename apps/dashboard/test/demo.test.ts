import { expect, test, vi } from 'vitest'
import { axe, openDashboard, screenshot } from './harness/index.ts'

const dashboard = await openDashboard()
// A whole story beside a browser, on a machine that may be busy with other tests.
vi.setConfig({ testTimeout: 240_000 })
const patient = { timeout: 180_000 }

test('the demo is started from the overview', async () => {
  const page = await dashboard.open('/overview')
  await page.getByRole('link', { name: 'Run the demo' }).click()
  const { steps } = (await dashboard.call('/api/v1/demo')) as { steps: { title: string }[] }
  await page.getByRole('heading', { name: steps[0]?.title ?? '' }).waitFor()
  await axe(page)
  await page.getByRole('button', { name: 'Play' }).click()
  await page.getByRole('button', { name: 'Stop' }).waitFor()
  await page.getByText('Demo finished').waitFor(patient)
  await axe(page)
  await screenshot(page, 'demo-played')
})

test('the demo is stopped by the operator', async () => {
  const page = await dashboard.open('/demo')
  await page.getByRole('button', { name: /^Play/ }).click()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('Demo stopped').waitFor(patient)
  await page.getByRole('button', { name: 'Play again' }).waitFor()
  await axe(page)
})

test('members neither see nor start it', async () => {
  const page = await dashboard.open('/demo', { role: 'member', allowed: [/403/] })
  await page.getByText('Demo is for operators').waitFor()
  expect(await page.getByRole('button', { name: 'Play' }).count()).toBe(0)
})
