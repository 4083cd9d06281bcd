import { expect, test } from 'vitest'
import { openKillable, screenshot } from './harness/index.ts'

const dashboard = await openKillable()
const patient = { timeout: 60_000 }

/** What a browser says of a server that is not there. */
const GONE = [/ERR_|Failed to fetch|Failed to load resource|preload CSS|dynamically imported/]

test('a killed server: pages say how old they are, answer clicks, and heal by themselves', async () => {
  const open = (path: string) => dashboard.open(path, { allowed: GONE })
  const overview = await open('/overview')
  const messages = await open('/messages')
  const audit = await open('/audit')
  const elsewhere = await open('/outboxes')
  const pages = [overview, messages, audit, elsewhere]
  for (const page of pages)
    await page
      .getByRole('status')
      .getByText(/^(Live|Updated)/)
      .waitFor()
  await overview.getByText('Oldest pending').first().waitFor()
  const loading = elsewhere.getByRole('status', { name: 'Loading' })
  await expect.poll(() => loading.count()).toBe(0)
  await screenshot(overview, 'outage-before')

  const restart = await dashboard.killServer()
  for (const page of pages) {
    await page.getByText(/This page is as of \d\d:\d\d:\d\d/).waitFor(patient)
  }
  const opacity = 'getComputedStyle(document.querySelector("[data-old]")).opacity'
  expect(Number(await overview.evaluate(opacity))).toBeLessThan(1)
  await screenshot(overview, 'outage-during')
  // A page that was never loaded: the click is taken, and waits.
  await elsewhere.getByRole('link', { name: 'Consumers', exact: true }).click()
  await loading.waitFor(patient)
  expect(await elsewhere.getByText('Unable to preload CSS').count()).toBe(0)

  const before = await messages.evaluate('performance.timeOrigin')
  await restart()
  for (const page of pages) {
    await page.getByText('This page is as of').waitFor({ state: 'detached', ...patient })
    await page
      .getByRole('status')
      .getByText(/^(Live|Updated)/)
      .waitFor(patient)
  }
  await elsewhere.getByRole('heading', { name: 'Consumers', level: 1 }).waitFor(patient)
  await overview.getByText('Oldest pending').first().waitFor()
  await screenshot(overview, 'outage-after')
  expect(await messages.evaluate('performance.timeOrigin'), 'not loaded anew').toBe(before)
})
