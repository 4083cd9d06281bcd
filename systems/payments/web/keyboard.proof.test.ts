import { beforeAll, test } from 'vitest'
import { axe, keyboardOf, openDashboard, patient, worldCalls } from '@posthorn/dashboard/testing'
import { payments } from '../index.ts'
import { world } from './world.ts'

/** By keys alone: no test here touches the mouse. */
const dashboard = await openDashboard({
  systems: [payments],
  env: { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' },
})

beforeAll(async () => {
  if (!dashboard.url.endsWith('.invalid')) await world.fill(worldCalls(dashboard))
})

test('an exception of a statement is matched', async () => {
  const page = await dashboard.open('/overview')
  const keys = keyboardOf(page)
  await page.getByRole('heading', { name: 'Overview' }).waitFor(patient)
  await keys.press('g', 'r')
  await keys.tabTo(page.getByRole('row').filter({ hasText: 'bank.csv' }))
  await keys.press('Enter')
  const row = page.getByRole('row').filter({ hasText: 'amount differs' })
  await keys.tabTo(row)
  await keys.press('Enter')
  const drawer = page.getByRole('dialog').first()
  await keys.tabTo(drawer.getByRole('button', { name: 'Match', exact: true }))
  await keys.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Match line 2' })
  await keys.tabTo(dialog.getByRole('textbox', { name: 'Reason' }))
  await keys.type('the bank kept its fee')
  await axe(page)
  await keys.tabTo(dialog.getByRole('button', { name: 'Match with 1 payment' }))
  await keys.press('Enter')
  await page.getByText('Line 2 is matched.').waitFor()
  await dialog.waitFor({ state: 'detached' })
  await drawer.getByText('Gross €10.00, fee €0.15, net €9.85').waitFor()
  // From the line to the payment, and all that belongs to both.
  await keys.tabTo(drawer.getByRole('link', { name: 'Whole journey' }))
  await keys.press('Enter')
  await page.getByRole('link', { name: /^Payment of 10.00 EUR/ }).waitFor()
  await page.getByText('statement line', { exact: true }).first().waitFor()
})
