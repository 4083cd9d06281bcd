import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalJson } from './idempotency.ts'

/** The same value with the keys of every object in another order. */
function shuffle(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffle)
  if (typeof value !== 'object' || value === null) return value
  const copy = Object.create(null) as Record<string, unknown>
  for (const [key, field] of Object.entries(value).toReversed()) copy[key] = shuffle(field)
  return copy
}

describe('canonicalJson', () => {
  test.each([
    [{ b: [1, { d: 1, c: 2 }], a: null }, '{"a":null,"b":[1,{"c":2,"d":1}]}'],
    [{ a: undefined, b: [undefined, 1] }, '{"b":[null,1]}'],
    [new Date(0), '"1970-01-01T00:00:00.000Z"'],
    [12345678901234567890n, '12345678901234567890'],
    [Object.create(null), '{}'],
    [JSON.parse('{"__proto__":1}'), '{"__proto__":1}'],
  ])('%o is %s', (value, text) => expect(canonicalJson(value)).toBe(text))

  test('writes numbers as the appendix of RFC 8785', () => {
    const numbers = [
      0, -0, 5e-324, -1.7976931348623157e308, 1e23, 999999999999999700000, 333333333.3333333,
    ]
    expect(canonicalJson(numbers)).toBe(
      '[0,0,5e-324,-1.7976931348623157e+308,1e+23,999999999999999700000,333333333.3333333]',
    )
  })

  test('writes strings and sorts keys as the examples of RFC 8785', () => {
    expect(canonicalJson('\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\\"/')).toBe(
      '"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"',
    )
    const keys = ['\u20ac', '\r', '\ufb33', '1', '\ud83d\ude00', '\u0080', '\u00f6']
    const sorted = ['\r', '1', '\u0080', '\u00f6', '\u20ac', '\ud83d\ude00', '\ufb33']
    const text = canonicalJson(Object.fromEntries(keys.map((key) => [key, 0])))
    expect(text).toBe(`{${sorted.map((key) => `${JSON.stringify(key)}:0`).join(',')}}`)
  })

  test.each([
    [Number.NaN],
    [Infinity],
    [undefined],
    [() => 1],
    [Symbol('a')],
    [new Map([[1, 2]])],
    [new Set([1])],
  ])('refuses %o, also inside', (value) => {
    expect(() => canonicalJson(value)).toThrow(TypeError)
    expect(() => canonicalJson({ a: { b: [[value ?? Number.NaN]] } })).toThrow(TypeError)
  })

  test('keeps the meaning, and has one text for it in any order of keys', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value)
        expect(canonicalJson(JSON.parse(text))).toBe(text)
        expect(canonicalJson(shuffle(value))).toBe(text)
        // JSON knows no -0.
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  test('has different texts for different meanings', () => {
    const pair = fc.tuple(fc.jsonValue({ maxDepth: 2 }), fc.jsonValue({ maxDepth: 2 }))
    fc.assert(
      fc.property(pair, ([a, b]) => {
        const [left, right] = [a, b].map((value) => JSON.parse(JSON.stringify(value)) as unknown)
        expect(canonicalJson(a) === canonicalJson(b)).toBe(equal(left, right))
      }),
      { numRuns: 1_000 },
    )
  })
})

function equal(a: unknown, b: unknown): boolean {
  try {
    expect(a).toStrictEqual(b)
    return true
  } catch {
    return false
  }
}
