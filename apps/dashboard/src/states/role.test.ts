import { expect, test } from 'vitest'
import { ROLE_LOOKS, roleOf } from './role.ts'

const MESSAGES = {
  ready: 'QUEUED',
  claimed: 'SENDING',
  sent: 'SENT',
  retry: 'QUEUED',
  dead: 'FAILED',
}

test.each([
  ['QUEUED', 'ready'],
  ['SENDING', 'claimed'],
  ['FAILED', 'dead'],
  ['UNHEARD_OF', undefined],
])('%s of the messages is %s', (state, role) => {
  expect(roleOf(state, MESSAGES)).toBe(role)
})

test('numbers are states too', () => {
  expect(roleOf('0', { ready: 0, sent: 1 })).toBe('ready')
})

test('no two roles say the same word', () => {
  const words = Object.values(ROLE_LOOKS).map(({ word }) => word)
  expect(new Set(words).size).toBe(words.length)
})
