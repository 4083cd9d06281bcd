import { expect, test } from 'vitest'
import { delivered, refused, retryLater, unknown, unreachable, wasTried } from './outcome.ts'

test.each([
  ['delivered', delivered(), true],
  ['refused', refused('no'), true],
  ['unknown', unknown('no answer'), true],
  ['a failure', retryLater('busy'), true],
  ['an unreachable destination', unreachable('no route'), true],
  ['unreachable and free', retryLater('no route', { charge: false, unreachable: true }), true],
  ['held back', retryLater('a pause', { charge: false }), false],
  ['over a rate limit', retryLater('slow down', { charge: false, tried: true }), true],
  ['charged without an attempt', retryLater('no', { tried: false }), false],
])('%s: whether it was tried', (_, outcome, tried) => {
  expect(wasTried(outcome)).toBe(tried)
})
