import { expect, test } from 'vitest'
import { madeAt, realTimeOf } from './real-time.ts'

const FALLBACK = new Date('2020-01-01T00:00:00Z')

test('an id of version 7 has its moment in it, others have none', () => {
  expect(madeAt('017f22e2-79b0-7cc3-98c4-dc0c0c07398f', FALLBACK).toISOString()).toBe(
    '2022-02-22T19:22:22.000Z',
  )
  expect(madeAt('01890a5d-ac96-474b-bcce-b302099a8057', FALLBACK)).toBe(FALLBACK)
  expect(madeAt('pay_1', FALLBACK)).toBe(FALLBACK)
})

test('what the business clock says is set back by the moves that were made before it', () => {
  const hour = 3_600_000
  const moves = [
    { at: new Date('2024-05-01T10:00:00Z'), ms: 6 * hour },
    { at: new Date('2024-05-01T10:10:00Z'), ms: hour },
  ]
  const at = (iso: string) => realTimeOf(new Date(iso), moves).toISOString()
  expect(at('2024-05-01T09:59:00Z')).toBe('2024-05-01T09:59:00.000Z')
  expect(at('2024-05-01T16:09:00Z')).toBe('2024-05-01T10:09:00.000Z')
  expect(at('2024-05-01T17:10:05Z')).toBe('2024-05-01T10:10:05.000Z')
  // Passed over by the first move.
  expect(at('2024-05-01T12:00:00Z')).toBe('2024-05-01T10:00:00.000Z')
  expect(realTimeOf(new Date('2024-05-01T12:00:00Z'), []).toISOString()).toBe(
    '2024-05-01T12:00:00.000Z',
  )
})
