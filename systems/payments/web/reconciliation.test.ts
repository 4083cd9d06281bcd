import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { axe, openDashboard, screenshot } from '@posthorn/dashboard/testing'
import { payments } from '../index.ts'

const patient = { timeout: 60_000 }

const dashboard = await openDashboard({ systems: [payments] })

interface Sample {
  readonly id: string
  readonly name: string
}

async function pay(name: string, amount: number): Promise<void> {
  await dashboard.call('/api/v1/payments', {
    body: { amount, currency: 'EUR', externalPaymentId: name },
    headers: { 'idempotency-key': name },
  })
}

async function uploadLines(filename: string, lines: readonly string[]): Promise<string> {
  const csv = ['external_transaction_id,amount,currency,date', ...lines].join('\n')
  const response = await fetch(`${dashboard.url}/api/v1/reconciliations?filename=${filename}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${dashboard.token()}`, 'content-type': 'text/csv' },
    body: `${csv}\n`,
  })
  expect(response.status).toBe(201)
  return ((await response.json()) as { id: string }).id
}

/** A file that was run: one match, one amount off by 15 cents, one in dollars, one without a payment. */
async function runFile(): Promise<Sample> {
  const name = `bank-${randomUUID().slice(0, 8)}`
  await pay(`${name}-1`, 1_299)
  await pay(`${name}-2`, 500)
  await pay(`${name}-3`, 4_000)
  await pay(`${name}-4`, 2_000)
  const id = await uploadLines(`${name}.csv`, [
    `${name}-1,12.99,EUR,2026-03-07`,
    `${name}-2,4.85,EUR,2026-03-07`,
    `${name}-3,40.00,USD,2026-03-07`,
    `${name}-x,7.77,EUR,2026-03-07`,
    `${name}-1,12.99,EUR,2026-03-07`,
  ])
  await dashboard.call(`/api/v1/reconciliations/${id}/run`, { body: {} })
  return { id, name }
}

function tab(page: Page, name: RegExp) {
  return page.getByRole('tab', { name })
}

async function decide(page: Page, verb: string, reason: string): Promise<void> {
  await page.getByRole('button', { name: verb, exact: true }).click()
  const dialog = page.getByRole('dialog', { name: new RegExp(`^${verb} line`) })
  await dialog.getByLabel('Reason').fill(reason)
  await dialog.getByRole('button', { name: verb }).click()
}

test('a sample is looked at, uploaded, rehearsed and run', async () => {
  const page = await dashboard.open('/reconciliation', { sub: 'newcomer', org: 'new' })
  await page.getByText('No files yet').waitFor()
  await page.getByRole('button', { name: 'Try with a sample' }).click()
  await page.getByRole('button', { name: 'Create 6 payments' }).click()
  const dialog = page.getByRole('dialog', { name: 'Upload this file?' })
  await dialog.getByRole('gridcell', { name: 'unknown-to-us' }).waitFor(patient)
  await axe(page)
  await screenshot(page, 'reconciliation-preview-light')
  await dialog.getByRole('button', { name: 'Upload' }).click()
  await page.getByText('not compared yet: run it').waitFor(patient)
  await page.getByRole('button', { name: 'Dry run' }).click()
  await page.getByText('It would match 3 of 7 records').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByRole('button', { name: 'Match 7' }).click()
  await page.getByText('3 of 7 records are matched: 42.86%.').waitFor(patient)
  await tab(page, /All open 4/).waitFor()
  await tab(page, /Amount differs 1/).waitFor()
  await tab(page, /Missing payments 3/).waitFor()
  await axe(page)
  await screenshot(page, 'reconciliation-run-light')
  await page.goto(`${dashboard.url}/reconciliation`)
  await page.getByRole('gridcell', { name: '42.86%' }).waitFor()
  await axe(page)
  await screenshot(page, 'reconciliation-light')
})

test('an exception shows both sides and is matched manually', async () => {
  const { id } = await runFile()
  const page = await dashboard.open(`/reconciliation/${id}?tab=amount_mismatch`)
  await page.getByRole('gridcell', { name: 'amount differs' }).click()
  const row = page.getByRole('row', { name: /^Amount/ })
  await expect.poll(() => row.textContent()).toContain('differs')
  await axe(page)
  await screenshot(page, 'reconciliation-exception-light')
  await page.getByRole('button', { name: 'Match', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Match line 3' })
  await dialog.getByLabel('Book the difference of -€0.15 as').first().waitFor()
  await dialog.getByLabel('Reason').fill('the bank kept its fee')
  await axe(page)
  await dialog.getByRole('button', { name: 'Match with 1 payment' }).click()
  await page.getByText('Line 3 is matched.').waitFor()
  await page.getByText('Gross €5.00, fee €0.15, net €4.85').waitFor()
  await decide(page, 'Unmatch', 'wrong invoice')
  await page.getByText('Line 3 is unmatched.').waitFor()
  await decide(page, 'Reopen', 'again')
  await page.getByText('Line 3 is reopened.').waitFor()
  await page.getByText('wrong invoice').waitFor()
})

test('a record is ignored, and the counts follow', async () => {
  const { id, name } = await runFile()
  const page = await dashboard.open(`/reconciliation/${id}`)
  await tab(page, /All open 4/).waitFor()
  await page.getByRole('gridcell', { name: `${name}-x` }).click()
  await decide(page, 'Ignore', 'not ours')
  await page.getByText('Line 5 is ignored.').waitFor()
  await page
    .getByRole('dialog', { name: 'Line 5', exact: true })
    .getByRole('button', { name: 'Close' })
    .click()
  await tab(page, /All open 3/).waitFor()
  await axe(page)
  await tab(page, /All records/).click()
  await page.getByRole('combobox', { name: 'Reason' }).click()
  await page.getByRole('option', { name: 'ignored' }).click()
  await page.getByRole('gridcell', { name: `${name}-x` }).waitFor()
  expect(page.url()).toContain('reason=ignored')
})

test('a decision on what has changed meanwhile is refused in words', async () => {
  const { id, name } = await runFile()
  const page = await dashboard.open(`/reconciliation/${id}`, { allowed: [/409/] })
  await page.getByRole('gridcell', { name: `${name}-x` }).click()
  await page.getByRole('button', { name: 'Ignore', exact: true }).click()
  await dashboard.database.pool.query(
    `update payments.reconciliation_records set version = version + 1
      where run_id = $1 and line_number = 5`,
    [id],
  )
  const dialog = page.getByRole('dialog', { name: 'Ignore line 5?' })
  await dialog.getByLabel('Reason').fill('too late')
  await dialog.getByRole('button', { name: 'Ignore' }).click()
  await dialog.getByText(/DECISION_STALE/).waitFor()
})

test('one goes from line to line, also from one that was just decided', async () => {
  const { id } = await runFile()
  const page = await dashboard.open(`/reconciliation/${id}?open=3`)
  const drawer = page.getByRole('dialog')
  const at = (line: number) => page.getByRole('dialog', { name: `Line ${line}` }).waitFor()
  await at(3)
  await drawer
    .getByRole('button', { name: 'Previous row' })
    .and(page.locator(':disabled'))
    .waitFor()
  await decide(page, 'Ignore', 'booked twice')
  await page.getByText('Line 3 is ignored.').waitFor()
  await tab(page, /All open 3/).waitFor()
  await drawer.getByRole('button', { name: 'Next row' }).click()
  await at(4)
  await page.keyboard.press('j')
  await at(5)
  await page.keyboard.press('k')
  await at(4)
})

test('suggestions are looked for, accepted and dismissed', async () => {
  const { id } = await runFile()
  const page = await dashboard.open(`/reconciliation/${id}?tab=suggestions`)
  await page.getByText('No suggestions').waitFor()
  await page.getByRole('button', { name: 'Find suggestions' }).click()
  await page.getByRole('button', { name: 'Find', exact: true }).click()
  await page.getByText(/\d suggestions?: accept/).waitFor()
  await page.getByRole('gridcell', { name: 'amount differs' }).click()
  await page.getByRole('heading', { name: 'Suggestions' }).waitFor()
  await axe(page)
  await screenshot(page, 'reconciliation-suggestion-light')
  await page.getByRole('button', { name: 'Accept' }).click()
  await page
    .getByRole('dialog', { name: /with 1 payment/ })
    .getByRole('button', { name: 'Accept' })
    .click()
  await page.getByText('Line 3 is matched.').waitFor()
  const second = await runFile()
  await dashboard.call(`/api/v1/reconciliations/${second.id}/suggest`, {
    body: { passes: [{ kind: 'amount_tolerance', bps: 500 }] },
  })
  await page.goto(`${dashboard.url}/reconciliation/${second.id}?tab=suggestions&open=3`)
  await page.getByRole('button', { name: 'Dismiss' }).click()
  await page
    .getByRole('dialog', { name: 'Dismiss this suggestion?' })
    .getByRole('button', { name: 'Dismiss' })
    .click()
  await page.getByText('The suggestion is dismissed.').waitFor()
})

test('missing payments are listed, and everything is exported', async () => {
  const { id, name } = await runFile()
  const page = await dashboard.open(`/reconciliation/${id}?tab=missing`)
  await page.getByRole('gridcell', { name: `${name}-4` }).waitFor()
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('button', { name: 'Missing payments' }).waitFor()
  await axe(page)
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Missing payments' }).click()
  expect((await download).suggestedFilename()).toBe(`reconciliation-${id}-missing.csv`)
})

test('a run of another client is seen at once', async () => {
  const { id, name } = await runFile()
  const page = await dashboard.open(`/reconciliation/${id}`)
  await tab(page, /No match 1/).waitFor()
  await pay(`${name}-x`, 777)
  await dashboard.call(`/api/v1/reconciliations/${id}/run`, { body: {} })
  await tab(page, /No match 0/).waitFor(patient)
  await page.getByText('run 2 was').waitFor()
})

test('a file that cannot be read says what is wrong, and one that is here leads to it', async () => {
  const page = await dashboard.open('/reconciliation', { allowed: [/400/, /409/] })
  const drop = page.getByLabel(/Drop a statement of your bank/)
  const give = (name: string, text: string) =>
    drop.setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
  const header = 'external_transaction_id,amount,currency,date'
  await give('bad.csv', `${header}\nabc,12.999,EUR,2026-03-07\n`)
  const dialog = page.getByRole('dialog', { name: 'Upload this file?' })
  await dialog
    .getByText(/has more than 2 decimals/)
    .first()
    .waitFor()
  await dialog.getByRole('button', { name: 'Upload' }).click()
  await dialog.getByText('VALIDATION_FAILED: nothing was stored.').waitFor()
  await axe(page)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await give('bank.csv', 'Zweck;Betrag;Buchung\nR-1;12,50;07.03.2026\n')
  const main = dialog.locator('button[data-variant=filled]')
  await expect.poll(() => main.textContent()).toBe('Make a profile')
  await main.click()
  await expect.poll(() => dialog.getByLabel('Column: Amount').inputValue()).toBe('Betrag')
  await dialog.getByRole('button', { name: 'Back to bank.csv' }).click()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  const line = `${randomUUID()},1.00,EUR,2026-03-07`
  const id = await uploadLines('once.csv', [line])
  await give('twice.csv', `${header}\n${line}\n`)
  await dialog.getByRole('button', { name: 'Upload' }).click()
  await dialog.getByRole('link', { name: 'Open the existing file' }).click()
  await page.getByRole('heading', { name: 'once.csv' }).waitFor()
  expect(page.url()).toContain(id)
})

test('a profile is made, tried, changed and removed', async () => {
  const name = 'Sparkasse'
  const page = await dashboard.open('/reconciliation/profiles', { allowed: [/400/] })
  await page.getByRole('button', { name: 'New profile' }).click()
  const drawer = page.getByRole('dialog')
  await drawer.getByRole('textbox', { name: 'Name', exact: true }).fill(name)
  await drawer.getByLabel(/Test it with a bank file/).setInputFiles({
    name: 'umsatz.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('Zweck;Kunde;Betrag;Buchung\nR-1;K-1;12,50;07.03.2026\n'),
  })
  await expect.poll(() => drawer.getByLabel('Date format').inputValue()).toBe('dd.MM.yyyy')
  expect(await drawer.getByLabel('Column: Amount').inputValue()).toBe('Betrag')
  await drawer.getByLabel('Currency of every row').fill('eur')
  await drawer.getByRole('gridcell', { name: 'R-1' }).waitFor(patient)
  await drawer.getByLabel('Column: Transaction id').click()
  await page.getByRole('option', { name: 'Kunde' }).click()
  await drawer.getByRole('gridcell', { name: 'K-1' }).waitFor(patient)
  await drawer.getByRole('gridcell', { name: '€12.50' }).waitFor(patient)
  await axe(page)
  await screenshot(page, 'reconciliation-profile-light')
  await drawer.getByRole('button', { name: 'Save profile' }).click()
  await page.getByText(`${name} is saved, version 1.`).waitFor()
  await page.getByRole('gridcell', { name }).click()
  await drawer.getByLabel('Date format').fill('d.M.yyyy')
  await drawer.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText(`${name} is saved, version 2.`).waitFor()
  await drawer.getByText('Version 2, by dev').waitFor()
  await axe(page)
  await drawer.getByRole('button', { name: 'Remove profile' }).click()
  await page
    .getByRole('dialog', { name: `Remove ${name}?` })
    .getByRole('button', { name: 'Remove' })
    .click()
  await page.getByText(`${name} is removed.`).waitFor()
})

test('files are the organisation’s own, and the page fits on a phone', async () => {
  const { id, name } = await runFile()
  const other = { sub: 'mia', org: 'other', allowed: [/404/] }
  const stranger = await dashboard.open(`/reconciliation/${id}`, other)
  await stranger.getByText('There is no such reconciliation.').waitFor()
  const page = await dashboard.open(`/reconciliation/${id}`, { size: { width: 390, height: 844 } })
  await page.getByRole('gridcell', { name: `${name}-x` }).waitFor()
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
    390,
  )
  await screenshot(page, 'reconciliation-run-phone')
  await page.getByRole('gridcell', { name: 'currency differs' }).click()
  await page.getByRole('grid', { name: 'Both sides' }).waitFor()
  await screenshot(page, 'reconciliation-exception-phone')
})

test('a run that matched nothing does not say so in green', async () => {
  const id = await uploadLines('none.csv', ['unknown-1,9.85,EUR,2026-03-07'])
  const page = await dashboard.open(`/reconciliation/${id}`)
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByRole('button', { name: 'Match 1' }).click()
  const toast = page.getByRole('alert').filter({ hasText: '0 of 1 records are matched' })
  await toast.waitFor(patient)
  const colour = await toast.evaluate((element) =>
    getComputedStyle(element).getPropertyValue('--notification-color'),
  )
  const filled = (name: string) =>
    page.evaluate<string>(
      `getComputedStyle(document.documentElement).getPropertyValue('--mantine-color-${name}-filled')`,
    )
  expect(colour).toBe(await filled('orange'))
  expect(colour).not.toBe(await filled('green'))
})
