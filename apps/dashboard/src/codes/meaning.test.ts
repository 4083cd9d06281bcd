import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { isRepeated, meaningsIn, sectionOf } from './meaning.ts'

test('reads the codes of a table, with and without advice', () => {
  const meanings = meaningsIn(
    [
      '| code | what it means | what to do |',
      '| ---- | ------------- | ---------- |',
      '| `NACKED`  | RabbitMQ refused `a \\| b`. | Look at [the broker](x.md). |',
      '| `ALONE` | Only a meaning. |',
      '| `NACKED` | Said again elsewhere. | Other. |',
    ].join('\n'),
  )
  expect([...meanings]).toEqual([
    ['NACKED', { meaning: 'RabbitMQ refused a | b.', advice: 'Look at the broker.' }],
    ['ALONE', { meaning: 'Only a meaning.', advice: undefined }],
  ])
})

test('knows the codes that messages die of', async () => {
  const page = new URL('../../../../docs/reference/errors.md', import.meta.url)
  const meanings = meaningsIn(await readFile(page, 'utf8'))
  for (const code of ['CLAIM_FATAL', 'WEBHOOK_STATUS', 'MESSAGE_UNREADABLE', 'UNROUTABLE']) {
    expect(meanings.get(code)?.meaning).toBeTruthy()
  }
})

test('a code that two sections explain is distinguished by the section', async () => {
  const page = new URL('../../../../docs/reference/errors.md', import.meta.url)
  const orders = sectionOf(await readFile(page, 'utf8'), 'What an order says')
  expect(meaningsIn(orders).get('PAYMENT_DECLINED')?.advice).toBe(
    'No action needed: the order is undone.',
  )
  expect(sectionOf('# A\ntext\n## B\nmore', 'A')).toBe('A\ntext\n')
  expect(sectionOf('# A\ntext', 'C')).toBe('')
})

test('an error that says what its code means is not said twice', () => {
  const found = { meaning: 'The endpoint takes its time. Not charged yet.', advice: undefined }
  expect(isRepeated('The endpoint takes its time.', found)).toBe(true)
  expect(isRepeated('Endpoint answered 503: DOWN', found)).toBe(false)
  expect(isRepeated('The endpoint takes its time.', undefined)).toBe(false)
})
