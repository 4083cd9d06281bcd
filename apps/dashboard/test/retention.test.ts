import { expect, test } from 'vitest'
import { axe, openDashboard, screenshot } from './harness/index.ts'

const dashboard = await openDashboard()

test('an admin sets a time, places and releases a hold, and erases a person', async () => {
  const page = await dashboard.open('/retention', { allowed: [/400 .*retention/] })
  const table = page.getByRole('table', { name: 'Kept data' })
  await table.getByText('payments.webhook-deliveries').waitFor()
  await axe(page)
  await page.getByRole('button', { name: /^Webhook deliveries .* 90 days/ }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Kept for').fill('3')
  await form.getByRole('button', { name: 'Save' }).click()
  await form.getByText(/must be 7d or more/).waitFor()
  await form.getByLabel('Kept for').fill('30')
  await form.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: /^Webhook deliveries .* 30 days/ }).waitFor()
  await table.getByText('set here').waitFor()
  await screenshot(page, 'retention-light')

  await page.getByRole('link', { name: 'Legal holds' }).click()
  await page.getByRole('button', { name: 'Place a hold' }).click()
  await form.getByLabel('What').click()
  await page.getByRole('option', { name: 'The whole organisation' }).click()
  await form.getByLabel('Reason').fill('lawsuit 12/26')
  await form.getByRole('button', { name: 'Place hold' }).click()
  await page.getByRole('gridcell', { name: 'lawsuit 12/26' }).waitFor()
  await axe(page)
  await page.getByRole('button', { name: 'Release' }).click()
  await form.getByLabel('Reason').fill('settled')
  await form.getByRole('button', { name: 'Release' }).click()
  await expect.poll(() => page.getByRole('button', { name: 'Release' }).count()).toBe(0)

  await page.getByRole('link', { name: 'Erasures' }).click()
  await page.getByRole('button', { name: 'Erase a person' }).click()
  await form.getByLabel('E-mail address').fill('ada@example.org')
  await form.getByRole('button', { name: 'Erase', exact: true }).click()
  const row = page.getByRole('row', { name: /E-mail address/ })
  await row.waitFor()
  await expect
    .poll(async () => {
      await page.getByRole('button', { name: 'Reload' }).click()
      return row.textContent()
    })
    .toContain('done')
  expect(await page.getByText('ada@example.org').count()).toBe(0)
  await axe(page)
})
