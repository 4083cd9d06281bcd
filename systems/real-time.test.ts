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

test('what the business clock says is as long after the beginning, and never ahead of now', () => {
  const real = new Date('2024-05-01T10:00:00Z')
  const business = new Date('2031-05-01T10:00:00Z')
  const at = (iso: string) => realTimeOf(new Date(iso), { real, business })
  expect(at('2031-05-01T10:00:05Z').toISOString()).toBe('2024-05-01T10:00:05.000Z')
  expect(at('2031-05-01T09:00:00Z')).toEqual(real)
  expect(at('2999-01-01T00:00:00Z').getTime()).toBeLessThanOrEqual(Date.now())
})
