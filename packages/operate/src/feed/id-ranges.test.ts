import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  LAST_ID,
  fromPosition,
  gapsOf,
  hasId,
  joinRanges,
  rangesOf,
  toPosition,
  union,
  without,
  type IdRanges,
} from './id-ranges.ts'

const UPTO = 40
const sets = fc.uniqueArray(fc.integer({ min: 0, max: UPTO }), { maxLength: UPTO })
const ranges = (ids: readonly number[]) =>
  rangesOf(ids.toSorted((a, b) => a - b).map((id) => BigInt(id)))
const members = (ids: IdRanges) =>
  Array.from({ length: UPTO + 1 }, (_, id) => id).filter((id) => hasId(ids, BigInt(id)))

/** In order, apart, none of them empty. */
function expectWhole(ids: IdRanges): void {
  ids.forEach(([low, high], at) => {
    expect(low).toBeLessThanOrEqual(high)
    if (at > 0) expect(low).toBeGreaterThan((ids[at - 1]?.[1] ?? 0n) + 1n)
  })
}

describe('sets of ids', () => {
  test('are what sets are', () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        const [x, y] = [ranges(a), ranges(b)]
        expect(new Set(members(x))).toEqual(new Set(a))
        expect(new Set(members(without(x, y)))).toEqual(new Set(a.filter((id) => !b.includes(id))))
        expect(new Set(members(union(x, y)))).toEqual(new Set([...a, ...b]))
        for (const result of [x, without(x, y), union(x, y)]) expectWhole(result)
      }),
    )
  })

  test('joined hold at least what they held', () => {
    fc.assert(
      fc.property(sets, fc.bigInt({ min: 0n, max: 5n }), (a, between) => {
        const wide = joinRanges(ranges(a), between)
        expect(without(ranges(a), wide)).toEqual([])
        expect(wide.length).toBeLessThanOrEqual(ranges(a).length)
      }),
    )
  })

  test('have gaps where they end', () => {
    expect(
      gapsOf([
        [1n, 2n],
        [5n, LAST_ID],
      ]),
    ).toEqual([[1n, 2n]])
  })
})

describe('a position', () => {
  test('stands for what it was made of', () => {
    fc.assert(
      fc.property(sets, (gaps) => {
        const wanted: IdRanges = [...ranges(gaps), [BigInt(UPTO + 2), LAST_ID]]
        expect(fromPosition(toPosition(wanted))).toEqual(wanted)
      }),
    )
  })

  test('of very many gaps asks for more, never for less, and stays short', () => {
    const gaps = Array.from({ length: 5_000 }, (_, n) => 10n ** 15n + 3n * BigInt(n))
    const wanted: IdRanges = [...rangesOf(gaps), [2n * 10n ** 15n, LAST_ID]]
    const position = toPosition(wanted)
    expect(position.length).toBeLessThan(2_000)
    expect(without(wanted, fromPosition(position))).toEqual([])
  })

  test.each([
    '',
    '.',
    '5.',
    '.5',
    '5-7',
    '7.5',
    '5-3.9',
    '3-5.5',
    'A',
    '-1',
    '5 ',
    '1y2p0ij32e8e8',
    '\0',
  ])('%j is none', (text) => {
    expect(() => fromPosition(text)).toThrow(expect.objectContaining({ code: 'CURSOR_INVALID' }))
  })
})
