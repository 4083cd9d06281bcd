import { expect, test } from 'vitest'
import { passesOf, USUAL_WISHES } from './matching.tsx'

test('wishes become passes, in percent and days', () => {
  expect(passesOf({ ...USUAL_WISHES, percent: 2.5 })).toEqual([
    { kind: 'amount_tolerance', bps: 250 },
    { kind: 'date_window', before: 3, after: 3 },
  ])
})

test('a payout goes by its field', () => {
  const none = { ...USUAL_WISHES, amount: false, date: false, payout: true }
  expect(passesOf(none)[0]).toMatchObject({ by: { metadata: 'payout_id' } })
  expect(passesOf({ ...none, field: ' ' })).toEqual([])
})
