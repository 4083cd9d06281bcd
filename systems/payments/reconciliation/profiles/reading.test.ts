import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readAmount, datePattern, type NumberStyle } from './amount.ts'

const PLAIN: NumberStyle = { decimal: '.', thousands: '' }
const ENGLISH: NumberStyle = { decimal: '.', thousands: ',' }
const GERMAN: NumberStyle = { decimal: ',', thousands: '.' }
const FRENCH: NumberStyle = { decimal: ',', thousands: ' ' }
const SWISS: NumberStyle = { decimal: '.', thousands: "'" }

describe('amounts', () => {
  test.each([
    ['0', PLAIN, 0],
    ['-0.00', PLAIN, 0],
    ['12', PLAIN, 1_200],
    ['+12.3', PLAIN, 1_230],
    ['.05', PLAIN, 5],
    ['-12.34', PLAIN, -1_234],
    ['\u221212.34', PLAIN, -1_234],
    ['12.34-', PLAIN, -1_234],
    ['0012.34', PLAIN, 1_234],
    ['9999999999.99', PLAIN, 999_999_999_999],
    ['1,234,567.89', ENGLISH, 123_456_789],
    ['1234567.89', ENGLISH, 123_456_789],
    ['1.234,5', GERMAN, 123_450],
    ['1 234,50', FRENCH, 123_450],
    ['10.0000', PLAIN, 1_000],
    ['90071992547409.91', PLAIN, 9_007_199_254_740_991],
    ['1\u00A0234,50', FRENCH, 123_450],
    ['1\u202F234,50', FRENCH, 123_450],
    ["1'234.50", SWISS, 123_450],
  ])('%j is read', (text, style, minor) => {
    expect(readAmount(text, style, 2)).toBe(minor)
  })

  test.each([
    ['', PLAIN, 'is empty'],
    ['-', PLAIN, 'is not a number'],
    ['.', PLAIN, 'is not a number'],
    ['5.', PLAIN, 'is not a number'],
    ['1.2.3', PLAIN, 'is not a number'],
    ['--1', PLAIN, 'is not a number'],
    ['-1-', PLAIN, 'is not a number'],
    ['1 000', PLAIN, 'is not a number'],
    ['0x10', PLAIN, 'is not a number'],
    ['1e2', PLAIN, 'is not a number'],
    ['NaN', PLAIN, 'is not a number'],
    ['٣', PLAIN, 'is not a number'],
    ['1,00', PLAIN, 'is not a number'],
    ['1.005', PLAIN, 'has more than 2 decimals'],
    ['1.0001', PLAIN, 'has more than 2 decimals'],
    ['90071992547409.92', PLAIN, 'is too large'],
    ['1,50', ENGLISH, 'has a thousands separator in the wrong place'],
    ['1,2345', ENGLISH, 'has a thousands separator in the wrong place'],
    [',123', ENGLISH, 'has a thousands separator in the wrong place'],
    ['1.50', GERMAN, 'has a thousands separator in the wrong place'],
    ['1,234.5,6', ENGLISH, 'has a thousands separator in the wrong place'],
  ])('%j is refused', (text, style, reason) => {
    expect(readAmount(text, style, 2)).toBe(reason)
  })

  test('any amount is read as it was written, to the last unit', () => {
    const amounts = fc.integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER })
    const styles = fc.constantFrom(PLAIN, ENGLISH, GERMAN, FRENCH, SWISS)
    fc.assert(
      fc.property(amounts, styles, fc.constantFrom(0, 2, 3, 4), (minor, style, exponent) => {
        const digits = String(Math.abs(minor)).padStart(exponent + 1, '0')
        const whole = digits.slice(0, digits.length - exponent)
        const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, style.thousands)
        const decimals = exponent === 0 ? '' : style.decimal + digits.slice(-exponent)
        const text = (minor < 0 ? '-' : '') + grouped + decimals
        expect(readAmount(text, style, exponent)).toBe(minor)
      }),
    )
  })
})

describe('dates', () => {
  test.each([
    ['yyyy-MM-dd', '2026-03-07'],
    ['dd.MM.yyyy', '07.03.2026'],
    ['MM/dd/yyyy', '03/07/2026'],
    ['d.M.yy', '7.3.26'],
    ['yyyyMMdd', '20260307'],
    ['yyyy-MM-ddTHH:mm:ssZ', '2026-03-07T23:59:59Z'],
    ['[dd] (MM) yyyy', '[07] (03) 2026'],
  ])('%s', (pattern, text) => {
    const read = datePattern(pattern)
    expect(read?.(text)).toBe('2026-03-07')
    // Twice, since dates are remembered.
    expect(read?.(text)).toBe('2026-03-07')
    expect(read?.(`${text}0`)).toBeUndefined()
  })

  test('days that the calendar does not have', () => {
    const read = datePattern('yyyy-MM-dd')
    for (const day of [
      '2025-02-29',
      '2026-04-31',
      '2026-00-10',
      '2026-13-01',
      '0000-01-01',
      '1969-12-31',
      '9999-01-01',
      '2026-1-1',
      '',
    ]) {
      expect(read?.(day), day).toBeUndefined()
    }
    expect(read?.('2024-02-29')).toBe('2024-02-29')
  })

  test.each(['', 'yyyy', 'yyyy-MM', 'dd.MM.yyyy yyyy', 'hello', 'yyyy-MM-dd \\d+', 'YYYY-MM-DD'])(
    '%j is no pattern',
    (pattern) => expect(datePattern(pattern)).toBeUndefined(),
  )
})
