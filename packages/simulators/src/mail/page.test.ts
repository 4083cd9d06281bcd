import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Mail } from './mail.ts'
import { linkAddresses, linksOf, mailboxPage, PAGE_POLICY } from './page.ts'

const mail: Mail = {
  id: 1,
  at: '2026-01-01T00:00:00.000Z',
  from: 'hub@example.com',
  to: 'ann@example.com',
  subject: 'Come in',
  text: 'Go to http://127.0.0.1:4600/join?token=a&b=1.',
  html: '',
  headers: {},
  attachments: [],
  outcome: 'ok',
}

describe('the mailbox page', () => {
  test('has links that can be clicked', () => {
    expect(mailboxPage([mail])).toContain(
      '<a href="http://127.0.0.1:4600/join?token=a&amp;b=1" rel="noopener noreferrer">',
    )
  })

  test.each(['from', 'to', 'subject', 'text', 'html'] as const)('trusts no %s', (field) => {
    const page = mailboxPage([{ ...mail, [field]: '<script>alert(1)</script><img src=x>"\'' }])
    expect(page).not.toContain('<script')
    expect(page).not.toContain('<img')
  })

  test('allows its own style and nothing else', () => {
    const style = /<style>(.*)<\/style>/s.exec(mailboxPage([]))?.[1] ?? ''
    const hash = createHash('sha256').update(style).digest('base64')
    expect(PAGE_POLICY).toContain(`default-src 'none'; style-src 'sha256-${hash}'`)
  })

  test('says so when there is no mail', () => {
    expect(mailboxPage([])).toContain('No mail yet.')
  })
})

describe('links', () => {
  test.each([
    ['see (https://a.example/x).', 'see (<a href="https://a.example/x"'],
    ['javascript:alert(1)', 'javascript:alert(1)'],
    ['<b>', '&lt;b&gt;'],
  ])('in the text %j', (text, start) => {
    expect(linkAddresses(text).startsWith(start)).toBe(true)
  })

  test('in HTML are its web addresses, each once', () => {
    const html = `<a href="https://a.example/?x=1&amp;y=2">a</a> <a HREF='https://b.example'>b</a>
      <a href="javascript:alert(1)">c</a> <a href="data:text/html,x">d</a>
      <a href="https://b.example">again</a>`
    expect(linksOf(html)).toEqual(['https://a.example/?x=1&y=2', 'https://b.example'])
  })

  test('take no long time in what is made to be slow', () => {
    const started = performance.now()
    linkAddresses(`http://a${'.'.repeat(250_000)}b ${'http://'.repeat(30_000)}`)
    linksOf('href= '.repeat(40_000) + `href${' '.repeat(200_000)}`)
    expect(performance.now() - started).toBeLessThan(20_000)
  })
})
