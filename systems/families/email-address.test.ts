import { expect, test } from 'vitest'
import { isSameAddress, toEmailAddress } from './invitation.ts'

test.each([
  'john@example.com',
  'John.Doe+family@mail.example.co.uk',
  "o'hara@example.com",
  'a@b.c',
  `${'l'.repeat(64)}@example.com`,
])('%s is an address', (typed) => {
  expect(toEmailAddress(` ${typed} `)).toBe(typed)
})

test.each([
  '',
  'john',
  'john@',
  '@example.com',
  'john@localhost',
  'john@exa mple.com',
  'a@b@example.com',
  'john@-example.com',
  'john@example-.com',
  'john@example..com',
  '.john@example.com',
  'john.@example.com',
  'jo..hn@example.com',
  'john@example.com, jane@example.com',
  'John <john@example.com>',
  '"john"@example.com',
  'john@example.com\r\nBcc: all@example.com',
  'john\0@example.com',
  'jöhn@example.com',
  `${'l'.repeat(65)}@example.com`,
  `john@${'a.'.repeat(125)}com`,
])('%j is none', (typed) => {
  expect(toEmailAddress(typed)).toBeUndefined()
})

test('an address is the same in capitals', () => {
  expect(isSameAddress('John@Example.com', 'john@example.COM')).toBe(true)
  expect(isSameAddress('john@example.com', 'jane@example.com')).toBe(false)
})
