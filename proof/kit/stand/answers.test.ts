import { describe, expect, test } from 'vitest'
import { isBroken } from '../ledger.ts'
import { answerLines, keepAnswer, type KeptAnswer } from './answers.ts'

const path = '/api/v1/orders'
const asking = (key: string) => ({ path, key })
const placed = (key: string, id: string) => keepAnswer(asking(key), { status: 202, body: { id } })
const refused = (key: string, code: string) =>
  keepAnswer(asking(key), { status: 422, body: { code } })
const whole = [placed('k1', 'a'), placed('k2', 'b')]

function findBroken(
  answers: readonly KeptAnswer[],
  things: readonly { id: string; key?: string }[],
  refusals: Record<string, number> = {},
): string[] {
  const lines = answerLines(answers, { name: 'orders', path, things, refusals })
  return lines.filter(isBroken).map(({ name }) => name)
}

describe('a ledger of answers', () => {
  test('holds where every answer is true', () => {
    expect(findBroken(whole, [{ id: 'a', key: 'k1' }, { id: 'b' }])).toEqual([])
    // The same answer to the same key, given twice.
    expect(findBroken([...whole, placed('k1', 'a')], [{ id: 'a' }, { id: 'b' }])).toEqual([])
    expect(
      findBroken([...whole, refused('k3', 'SOLD')], [{ id: 'a' }, { id: 'b' }], { SOLD: 1 }),
    ).toEqual([])
  })

  test('misses what was answered and is gone', () => {
    expect(findBroken(whole, [{ id: 'a' }])).toEqual(['orders answered, and not there'])
  })

  test('finds two things of one key, told or untold', () => {
    const two = [...whole, placed('k2', 'c')]
    expect(findBroken(two, [{ id: 'a' }, { id: 'b' }, { id: 'c' }])).toEqual([
      'keys with two orders',
    ])
    expect(findBroken(whole, [{ id: 'a' }, { id: 'b' }, { id: 'c' }])).toEqual([
      'orders that no answer names',
    ])
  })

  test('finds a thing under the key of another', () => {
    expect(findBroken(whole, [{ id: 'a', key: 'k2' }, { id: 'b' }])).toEqual([
      'orders answered, and not there',
    ])
  })

  test('takes refusals only of known kinds and numbers', () => {
    const answers = [...whole, refused('k3', 'SOLD'), refused('k4', 'SOLD')]
    const things = [{ id: 'a' }, { id: 'b' }]
    expect(findBroken(answers, things)).toEqual(['orders refused without a cause'])
    expect(findBroken(answers, things, { SOLD: 1 })).toEqual(['orders refused without a cause'])
    expect(findBroken(answers, things, { SOLD: 2 })).toEqual([])
  })

  test('wants answers at all', () => {
    expect(findBroken([], [])).toEqual(['answers about orders, compared', 'orders answered'])
  })

  test('allows as many untold things as requests without an answer', () => {
    const silent = keepAnswer(asking('k3'), { status: 0, body: {} })
    expect(findBroken([...whole, silent], [{ id: 'a' }, { id: 'b' }, { id: 'c' }])).toEqual([])
  })
})
