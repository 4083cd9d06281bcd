import { expect, test } from 'vitest'
import { checkRetention } from './retention.ts'

const now = new Date('2026-03-01T12:00:00Z')
const ago = (hours: number) => new Date(now.getTime() - hours * 3_600_000)
const run = {
  ...{ class: 'payments.webhook-deliveries', started_at: ago(1), ended_at: ago(1) },
  ...{ complete_at: ago(1), removed: 5, last_removed: 0, oldest_at: null, error: null },
}

test('retention that keeps up is well', () => {
  expect(checkRetention([run], now)).toMatchObject([{ level: 'ok' }])
  expect(checkRetention([], now)).toMatchObject([
    { level: 'ok', says: expect.stringContaining('not run yet') },
  ])
})

test('retention that fails or falls behind is a finding', () => {
  expect(
    checkRetention([{ ...run, error: '23503' }, { ...run, complete_at: ago(30) }, run], now),
  ).toMatchObject([
    { level: 'warn', says: expect.stringContaining('could not be removed: 23503') },
    { level: 'warn', says: expect.stringContaining('for 1d 6h no run') },
  ])
})
