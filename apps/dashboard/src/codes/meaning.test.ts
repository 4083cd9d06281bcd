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
  for (const code of ['CLAIM_FATAL', 'MESSAGE_UNREADABLE', 'UNROUTABLE']) {
    expect(meanings.get(code)?.meaning).toBeTruthy()
  }
})

test('a code that two sections explain is distinguished by the section', () => {
  const row = (meaning: string) => `| \`LATE\` | ${meaning} | Wait. |\n`
  const page = `# Trains\n${row('No train.')}## Mail\n${row('No letter.')}`
  expect(meaningsIn(page).get('LATE')?.meaning).toBe('No train.')
  expect(meaningsIn(sectionOf(page, 'Mail')).get('LATE')?.meaning).toBe('No letter.')
  expect(sectionOf('# A\ntext\n## B\nmore', 'A')).toBe('A\ntext\n')
  expect(sectionOf('# A\ntext', 'C')).toBe('')
})

test('a code is explained by the part whose routes answer with it', () => {
  const rows = ['No train.', '409. No letter.', '404. No box.', 'No bus.']
  const page = rows.map((meaning) => `| \`LATE\` | ${meaning} | Wait. |`).join('\n')
  expect(meaningsIn(page).get('LATE')?.meaning).toBe('409. No letter.')
})

test('an error that says what its code means is not said twice', () => {
  const found = { meaning: 'The endpoint takes its time. Not charged yet.', advice: undefined }
  expect(isRepeated('The endpoint takes its time.', found)).toBe(true)
  expect(isRepeated('Endpoint answered 503: DOWN', found)).toBe(false)
  expect(isRepeated('The endpoint takes its time.', undefined)).toBe(false)
})
