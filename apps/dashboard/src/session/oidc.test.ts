import { expect, test } from 'vitest'
import { isReturn, placeIn } from './oidc.ts'

test.each([
  ['/outboxes?state=dead#keys', '/outboxes?state=dead#keys'],
  ['https://elsewhere.test/', '/'],
  ['//elsewhere.test/', '/'],
  ['/\\elsewhere.test/', '/'],
  // Where a login went wrong before: it would be taken for another return.
  ['/?code=a&state=b', '/'],
  ['javascript:alert(1)', '/'],
  [undefined, '/'],
  [{ place: '/x' }, '/'],
])('from %j one comes back to %s', (state, place) => {
  expect(placeIn(state)).toBe(place)
})

test.each([
  ['?code=a&state=b', true],
  ['?error=access_denied&state=b', true],
  ['?state=dead', false],
  ['?code=x', false],
  ['', false],
])('%j is a return: %s', (search, expected) => {
  expect(isReturn(search)).toBe(expected)
})
