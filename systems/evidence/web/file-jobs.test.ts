import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { zipOf } from './sample-zip.ts'
import { axe, openDashboard, screenshot } from '@posthorn/dashboard/testing'
import type { FindDeliveries } from '@posthorn/system'
import { evidence } from '../index.ts'

const patient = { timeout: 60_000 }

/** Stands for the system that delivers webhooks: every event of one organisation arrived. */
const findDeliveries: FindDeliveries = async (_db, { org, ids }) =>
  (org === 'told' ? ids : []).map((eventId) => ({
    ...{ id: randomUUID(), eventId, url: 'https://merchant.example.test/hooks' },
    ...{ status: 'delivered', attempts: 0, deliveredAt: new Date() },
  }))

const dashboard = await openDashboard({
  systems: [evidence({ notify: async () => undefined, findDeliveries })],
})

function zipOfCases(cases: readonly string[]): Uint8Array {
  const rows = cases.map((id) => `${id},a.pdf\n`).join('')
  return zipOf({ 'cases.csv': `case_id,evidence_files\n${rows}`, 'a.pdf': '%PDF-1.7\n%%EOF\n' })
}

async function upload(page: Page, name: string, content: Uint8Array): Promise<void> {
  const file = { name, mimeType: 'application/zip', buffer: Buffer.from(content) }
  await page.getByLabel(/Drop a ZIP here/).setInputFiles(file)
  await page.getByRole('heading', { name, level: 1 }).waitFor()
}

/** From now on, or for so many requests, the document service does not attach anything. */
async function failDocuments(fault: object): Promise<void> {
  const response = await fetch(`${dashboard.url}/sim/documents/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(fault),
  })
  expect(response.status).toBeLessThan(300)
}

test('there is nothing at first, and it says what to do', async () => {
  const page = await dashboard.open('/file-jobs', { org: 'nobody', role: 'member' })
  await page.getByText('No files yet').waitFor()
  await axe(page)
})

test('a sample is uploaded, read and attached before one’s eyes', async () => {
  const page = await dashboard.open('/file-jobs')
  await page.getByRole('button', { name: 'Try with a sample' }).click()
  await page.getByText('sample.zip uploaded; processing has started.').waitFor()
  await page.getByRole('heading', { name: 'sample.zip' }).waitFor()
  await page.getByText('All rows done: 5 attached, 1 with an error.').waitFor(patient)
  await page.getByText('Final Results: 5 success, 1 errors').waitFor(patient)
  await page.getByText('No webhook endpoint subscribed to it.').first().waitFor()
  await page.getByText('not-in-the-table.pdf').waitFor()
  await page.getByRole('img', { name: 'Rows: 5 attached, 1 with an error' }).waitFor()
  await axe(page)
  await screenshot(page, 'file-job-light')
  await page.goto(`${dashboard.url}/file-jobs`)
  await page.getByRole('gridcell', { name: 'sample.zip' }).first().waitFor()
  await axe(page)
  await screenshot(page, 'file-jobs-light')
})

test('a row tells its way, its files and what to do', async () => {
  const page = await dashboard.open('/file-jobs')
  await page.getByRole('button', { name: 'Try with a sample' }).click()
  await page.getByText('All rows done').waitFor(patient)
  await page.getByRole('gridcell', { name: 'CASE-1001' }).click()
  const drawer = page.getByRole('dialog')
  await drawer.getByText('PENDING → PUBLISHED').waitFor()
  await drawer.getByText('PUBLISHED → SUCCESS').waitFor()
  await drawer.getByText(/partition \d+, offset \d+/).waitFor()
  await drawer.getByText('ATTACHED').waitFor()
  await drawer.getByRole('button', { name: 'Copy document id' }).waitFor()
  await axe(page)
  await screenshot(page, 'file-row-light')
  await drawer.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('combobox', { name: 'State' }).click()
  await page.getByRole('option', { name: 'ERROR' }).click()
  await page.getByRole('gridcell', { name: 'CASE-1006' }).click()
  await drawer.getByText('Correct the line in the error CSV').waitFor()
  await drawer.getByText('is not in the ZIP').waitFor()
  expect(page.url()).toContain('row=ERROR')
})

test('a file that is not taken says why and what to mend', async () => {
  const page = await dashboard.open('/file-jobs')
  await upload(page, 'no-csv.zip', zipOf({ 'a.pdf': '%PDF-1.7\n' }))
  await page.getByText('Add one CSV with the columns').waitFor(patient)
  await page.getByText('NO_CSV').first().waitFor()
  await page.getByText('File rejected').first().waitFor()
  await axe(page)
  await screenshot(page, 'file-job-rejected-light')
  await page.goto(`${dashboard.url}/file-jobs?status=REJECTED`)
  await page.getByRole('gridcell', { name: 'no-csv.zip' }).waitFor()
})

test('a file can be dropped', async () => {
  const page = await dashboard.open('/file-jobs')
  const bytes = [...zipOfCases(['DROPPED-1'])]
  const data = await page.evaluateHandle(
    `(() => {
      const transfer = new DataTransfer()
      const bytes = new Uint8Array([${bytes.join(',')}])
      transfer.items.add(new File([bytes], 'dropped.zip', { type: 'application/zip' }))
      return transfer
    })()`,
  )
  await page.getByText('Drop a ZIP here').dispatchEvent('drop', { dataTransfer: data })
  await page.getByRole('heading', { name: 'dropped.zip' }).waitFor()
})

test('errors are saved as CSV and tried again, with their count', async () => {
  await failDocuments({ mode: 'error', status: 422 })
  const page = await dashboard.open('/file-jobs')
  await upload(page, 'refused.zip', zipOfCases(['REFUSED-1', 'REFUSED-2']))
  await page.getByText('All rows done: 0 attached, 2 with an error.').waitFor(patient)
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export error CSV' }).click()
  expect((await download).suggestedFilename()).toMatch(/^errors-.*\.csv$/)
  await failDocuments({ mode: 'ok' })
  await page.getByRole('button', { name: 'Retry 2 errors' }).click()
  const dialog = page.getByRole('dialog', { name: 'Retry up to 2 rows?' })
  await axe(page)
  await dialog.getByRole('button', { name: 'Retry up to 2' }).click()
  await page.getByText('Retrying 2 rows.').waitFor()
  await page.getByText('All rows done: 2 attached, 0 with an error.').waitFor(patient)
  await page.getByText('2, after a retry of its errors').waitFor()
})

test('the merchant’s notifications say what became of their webhooks', async () => {
  const org = 'told'
  const page = await dashboard.open('/file-jobs', { org })
  await upload(page, 'told.zip', zipOfCases(['TOLD-1']))
  await page.getByText('Final Results: 1 success, 0 errors').waitFor(patient)
  await page.getByText('Webhook delivered').first().waitFor()
  // A link needs the page of the system that delivers, and that does not run here.
  expect(await page.getByRole('link', { name: /^Webhook / }).count()).toBe(0)
})

test('a user sees only the files of the own organisation', async () => {
  const page = await dashboard.open('/file-jobs', { org: 'stranger', role: 'member', sub: 'mia' })
  await page.getByText('No files yet').waitFor()
  const { items } = (await dashboard.call('/api/v1/file-jobs')) as { items: { id: string }[] }
  const strange = await dashboard.open(`/file-jobs/${items[0]?.id}`, {
    org: 'stranger',
    role: 'member',
    allowed: [/404/],
  })
  await strange.getByText('NOT_FOUND').waitFor()
})

test('it fits on a phone', async () => {
  const page = await dashboard.open('/file-jobs', { size: { width: 390, height: 844 } })
  await page.getByRole('gridcell', { name: 'sample.zip' }).first().waitFor()
  await screenshot(page, 'file-jobs-phone')
  await page.getByRole('gridcell', { name: 'sample.zip' }).first().click()
  await page.getByRole('heading', { name: 'Rows' }).waitFor()
  const width = () => page.evaluate('document.documentElement.scrollWidth')
  await expect.poll(width).toBeLessThanOrEqual(390)
  await screenshot(page, 'file-job-phone')
})

test('a file is cancelled with a reason, its rows found by case and its files saved', async () => {
  await dashboard.call('/api/v1/outboxes/evidence.rows/pause', { method: 'POST' })
  const page = await dashboard.open('/file-jobs')
  await upload(page, 'cancelled.zip', zipOfCases(['CANCEL-6', 'CANCEL-7', 'CANCEL-70']))
  await page.getByText(/3 wait for the document service/).waitFor(patient)
  await page.getByRole('button', { name: 'Cancel file' }).click()
  const dialog = page.getByRole('dialog', { name: 'Cancel this file?' })
  await dialog.getByLabel('Reason').fill('the wrong month')
  await axe(page)
  await dialog.getByRole('button', { name: 'Cancel file' }).click()
  await page.getByText('the wrong month').waitFor()
  await page.getByText('Cancelled: 0 attached, 3 stopped or with an error.').waitFor(patient)
  await dashboard.call('/api/v1/outboxes/evidence.rows/resume', { method: 'POST' })
  expect(await page.getByRole('button', { name: /^Retry/ }).count()).toBe(0)
  await page.getByLabel('Case').fill('CANCEL-7')
  await page.getByRole('gridcell', { name: 'CANCEL-70' }).waitFor({ state: 'detached' })
  await page.getByRole('gridcell', { name: 'CANCEL-7', exact: true }).click()
  const download = page.waitForEvent('download')
  await page.getByRole('dialog').getByRole('button', { name: 'Download a.pdf' }).click()
  expect((await download).suggestedFilename()).toBe('a.pdf')
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await axe(page)
  await screenshot(page, 'file-job-cancelled-light')
})

test('the same file again is warned of, and results are mailed and said to be', async () => {
  const page = await dashboard.open('/file-jobs')
  const zip = zipOfCases(['REJECT-1', 'REJECT-2'])
  await upload(page, 'once.zip', zip)
  await page.getByText('All rows done: 0 attached, 2 with an error.').waitFor(patient)
  const badge = page.locator('[data-color]', { hasText: 'COMPLETED' }).first()
  expect(await badge.getAttribute('data-color')).toBe('red')
  await page.getByLabel('Mail results to').fill('office@demo.test')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Results of all files are mailed to office@demo.test.').waitFor()
  await page.goto(`${dashboard.url}/file-jobs`)
  await upload(page, 'twice.zip', zip)
  await page
    .getByText(/The same file was uploaded on .* as once.zip/)
    .first()
    .waitFor(patient)
  await page.getByText('Mail to office@demo.test sent').first().waitFor(patient)
  await axe(page)
  await screenshot(page, 'file-job-warned-light')
  await page.setViewportSize({ width: 390, height: 844 })
  await screenshot(page, 'file-job-warned-narrow')
})

test('a file whose rows all failed has ended in red', async () => {
  const rows = ['CASE-1', 'CASE-2'].map((id) => `${id},missing.pdf\n`).join('')
  const zip = zipOf({ 'cases.csv': `case_id,evidence_files\n${rows}`, 'other.pdf': '%PDF-1.7' })
  const page = await dashboard.open('/file-jobs')
  await upload(page, 'lost.zip', zip)
  await page.goto(`${dashboard.url}/file-jobs`)
  const badge = page
    .getByRole('row', { name: /lost\.zip/ })
    .locator('[data-color]')
    .filter({ hasText: 'COMPLETED' })
  await badge.waitFor(patient)
  expect(await badge.getAttribute('data-color')).toBe('red')
})
