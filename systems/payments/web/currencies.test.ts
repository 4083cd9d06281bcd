import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { formatMoney, setMinorUnits } from '@posthorn/dashboard/kit'
import { openDashboard } from '@posthorn/dashboard/testing'
import { payments } from '../index.ts'

const dashboard = await openDashboard({ systems: [payments] })

/** Those that people write with fewer digits than their minor unit has. */
const WRITTEN_SHORTER = [
  ...['AFN', 'ALL', 'COP', 'HUF', 'IDR', 'IRR', 'KPW', 'LAK', 'LBP', 'MGA', 'MMK', 'PKR', 'SLL'],
  ...['SOS', 'SYP', 'YER', 'IQD'],
]

/** `123456.78 HUF`: 12345678 minor units of two digits. */
function plain(minor: string, digits: number): string {
  return digits === 0 ? minor : `${minor.slice(0, -digits)}.${minor.slice(-digits)}`
}

test('the page writes an amount of every currency with all digits of its minor unit', async () => {
  const page = await (await fetch(dashboard.url)).text()
  const [, given = ''] = /name="settings" content="([^"]*)"/.exec(page) ?? []
  const { minorUnits } = JSON.parse(given.replaceAll('&quot;', '"')) as {
    minorUnits: Record<string, number>
  }
  expect(Object.keys(minorUnits).length).toBeGreaterThan(150)
  setMinorUnits(minorUnits)
  for (const [currency, digits] of Object.entries(minorUnits)) {
    const [written] = /\d.*/.exec(formatMoney(12_345_678, currency, 'en')) ?? ['']
    expect(written.replaceAll(',', ''), currency).toBe(plain('12345678', digits))
  }
})

test('seventeen currencies stand on the page of payments as they were paid', async () => {
  for (const currency of WRITTEN_SHORTER) {
    await dashboard.call('/api/v1/payments', {
      body: { amount: 12_345_678, currency, externalPaymentId: `paid in ${currency}` },
      headers: { 'idempotency-key': randomUUID() },
    })
  }
  const page = await dashboard.open('/payments', { size: { width: 1_280, height: 2_000 } })
  for (const currency of WRITTEN_SHORTER) {
    const row = page.getByRole('row').filter({ hasText: `paid in ${currency}` })
    const amount = currency === 'IQD' ? '12,345.678' : '123,456.78'
    await row.getByRole('gridcell', { name: amount }).waitFor()
  }
})
