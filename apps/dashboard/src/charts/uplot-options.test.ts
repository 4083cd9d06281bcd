import { expect, test } from 'vitest'
import { isWhole } from './uplot-options.ts'

const line = (values: readonly (number | null)[]) => ({
  id: 'a',
  label: 'a',
  color: 'teal',
  values,
})

test('counts are whole, with gaps and with nothing in them; shares and seconds are not', () => {
  expect(isWhole({ series: [line([0, 1, null]), line([7])] })).toBe(true)
  expect(isWhole({ series: [] })).toBe(true)
  expect(isWhole({ series: [line([0, 1]), line([0.5])] })).toBe(false)
})
