import { expect, test } from 'vitest'
import { Window } from './window.ts'

const windowOf = (size: number) => new Window({ size, claims: 2, fairBy: undefined })

test('a payload that is nested deeper than the stack is measured', async () => {
  let payload: unknown = 'x'.repeat(10 * 1_024 * 1_024)
  for (let depth = 0; depth < 100_000; depth += 1) payload = [payload]
  const window = windowOf(100)
  window.fill(await window.reserve(1), [{ id: 'a', payload }])
  // Three of these are less than 32 MB.
  expect(await window.reserve(50)).toBe(2)
})
