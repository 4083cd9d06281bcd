import { describe, expect, test } from 'vitest'
import { createTurns, type TurnsOptions } from './turns.ts'

/** Turns whose visitors are noted in the order in which they get their places. */
function sampleTurns(options: Partial<TurnsOptions> = {}) {
  const turns = createTurns({
    places: 2,
    mostBeside: () => 2,
    patienceMs: 10_000,
    late: () => new Error('late'),
    ...options,
  })
  const served: string[] = []
  return {
    served,
    turns,
    come: (party: string, times = 1) => {
      for (let n = 0; n < times; n += 1) {
        turns.enter({ party, go: (error) => void served.push(error ? error.message : party) })
      }
    },
  }
}

describe('turns', () => {
  test('nobody waits while there are places', () => {
    const { come, served } = sampleTurns()
    come('a', 2)
    expect(served).toEqual(['a', 'a'])
  })

  test('a party that asks a thousand times waits behind itself, not before others', () => {
    const { come, served, turns } = sampleTurns()
    come('flood', 1_000)
    come('b')
    come('c')
    for (const party of ['flood', 'flood', 'b']) turns.leave(party)
    expect(served).toEqual(['flood', 'flood', 'b', 'flood', 'c'])
    expect([turns.waiting('flood'), turns.waiting()]).toEqual([997, 997])
  })

  test('parties that wait take turns, and one that has fewer places goes first', () => {
    const { come, served, turns } = sampleTurns()
    come('x', 2)
    come('a', 3)
    come('b', 3)
    turns.leave('x')
    turns.leave('x')
    expect(served.slice(2)).toEqual(['a', 'b'])
    turns.leave('b')
    turns.leave('a')
    expect(served.slice(4)).toEqual(['b', 'a'])
  })

  test('one party cannot have all places; the others are there at once for the next', () => {
    const { come, served, turns } = sampleTurns({ places: 3, mostBeside: () => 2 })
    come('flood', 5)
    expect(served).toEqual(['flood', 'flood'])
    come('b')
    expect(served.at(-1)).toBe('b')
    turns.leave('b')
    expect(served).toHaveLength(3)
    turns.leave('flood')
    expect(served.at(-1)).toBe('flood')
  })

  test.each([1, 2, 3, 4, 5])(
    'beside %i parties that take what they get, one that has none finds a place',
    (floods) => {
      const { come, served, turns } = sampleTurns({ places: 10, mostBeside: (left) => 8 * left })
      const parties = ['a', 'b', 'c', 'd', 'e'].slice(0, floods)
      for (const party of parties) come(party, 100)
      // Each place is given back, and asked for again, as by requests that go on and on.
      for (let n = 0; n < 50; n += 1) turns.leave(served[n] ?? '')
      come('late')
      expect(served.at(-1)).toBe('late')
      const held = (party: string) => served.slice(50, -1).filter((each) => each === party).length
      const shares = parties.map(held)
      expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1)
      expect(shares.reduce((sum, share) => sum + share, 0)).toBe(floods === 1 ? 8 : 9)
    },
  )

  test('a bound that follows from what is left is said before one asks', () => {
    const { come, served, turns } = sampleTurns({ places: 10, mostBeside: (left) => 8 * left })
    come('a', 20)
    expect(served).toHaveLength(8)
    expect([turns.isOpenTo('a'), turns.isOpenTo('b')]).toEqual([false, true])
    turns.leave('a')
    expect([served.length, turns.isOpenTo('a')]).toEqual([9, false])
  })

  test('who waits too long is told so, once, and takes no place later', async () => {
    const { come, served, turns } = sampleTurns({ places: 1, mostBeside: () => 1, patienceMs: 10 })
    come('a')
    come('b')
    await expect.poll(() => served).toEqual(['a', 'late'])
    turns.leave('a')
    expect(served).toEqual(['a', 'late'])
    come('b')
    expect(served).toEqual(['a', 'late', 'b'])
  })
})
