import { expect, test } from 'vitest'
import { codeOf, isFinished } from './webhook.tsx'

test.each([
  ['status', 'WEBHOOK_STATUS'],
  ['timeout', 'WEBHOOK_TIMEOUT'],
  ['MESSAGE_UNREADABLE', 'MESSAGE_UNREADABLE'],
])('the class %s is explained by %s', (errorClass, code) => {
  expect(codeOf(errorClass)).toBe(code)
})

test('only what is finished is sent again by hand', () => {
  expect(isFinished({ status: 'failed' })).toBe(false)
  expect(isFinished({ status: 'abandoned' })).toBe(true)
})
