import { expect, test } from 'vitest'
import { eachText, MOST_AT_ONCE, runEach } from './bulk-button.tsx'

const words = { nouns: ['message', 'messages'], past: 'cancelled' } as const

test('one that is refused does not keep the others, and is told of', async () => {
  const seen: number[] = []
  const each = await runEach([1, 2, 3], async (row) => {
    seen.push(row)
    if (row === 2) throw new Error('it is being sent')
  })
  expect(seen).toEqual([1, 2, 3])
  expect(each.refused).toEqual([{ row: 2, reason: 'it is being sent' }])
  expect(eachText(each, words)).toBe('2 messages cancelled, 1 not:')
  expect(eachText(await runEach([1], async () => undefined), words)).toBe('1 message cancelled.')
})

test('if none was done the action has failed, and too many are not begun', async () => {
  const refuse = async () => {
    throw new Error('you may not')
  }
  await expect(runEach([1, 2], refuse)).rejects.toThrow(/^you may not$/)
  const many = Array.from({ length: MOST_AT_ONCE + 10 }, (_, n) => n)
  expect(await runEach(many, async () => undefined)).toEqual({ done: 500, refused: [] })
})
