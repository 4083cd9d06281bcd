import { expect, test } from 'vitest'
import { acceptLinkIn } from './mails.tsx'

test('the link with the token is found among others', () => {
  const text = 'See http://a.test/help first.\n\nhttps://hub.test/invitations?token=abc-1\n\nBye.'
  expect(acceptLinkIn(text)).toEqual({
    href: 'https://hub.test/invitations?token=abc-1',
    token: 'abc-1',
  })
})

test.each(['', 'no link', 'javascript:alert(1)?token=x', 'http://', 'http://a.test/?token='])(
  'there is none in "%s"',
  (text) => {
    expect(acceptLinkIn(text)).toBeUndefined()
  },
)
