import * as fc from 'fast-check'
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { decodeCursor, encodeCursor } from './cursor.ts'

const Place = Type.Tuple([Type.String({ format: 'date-time' }), Type.String({ maxLength: 40 })])

test('a cursor is a word that means where a page ended', () => {
  const values = ['2026-01-01T00:00:00.000Z', 'é']
  expect(encodeCursor(values)).toMatch(/^[\w-]+$/)
  expect(decodeCursor(encodeCursor(values), Place)).toEqual(values)
})

test.each([
  '',
  'rubbish',
  '!!!',
  encodeCursor([]),
  encodeCursor(['2026-01-01T00:00:00.000Z']),
  encodeCursor(['2026-01-01T00:00:00.000Z', 'a', 'b']),
  encodeCursor(['yesterday', 'a']),
  encodeCursor(['2026-01-01T00:00:00.000Z', 7]),
  encodeCursor(['2026-01-01T00:00:00.000Z', 'a\0']),
  encodeCursor(['2026-01-01T00:00:00.000Z', 'a']).concat('='),
  Buffer.from('["2026-01-01T00:00:00.000Z","\\ud800"]').toString('base64url'),
  Buffer.from('{"0":"2026-01-01T00:00:00.000Z","1":"a","length":2}').toString('base64url'),
])('%j is refused', (cursor) => {
  expect(() => decodeCursor(cursor, Place)).toThrow(
    expect.objectContaining({ code: 'CURSOR_INVALID', status: 400 }),
  )
})

test('no word ever does more than be refused', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String()), (cursor) => {
      expect(() => decodeCursor(cursor, Place)).toThrow(
        expect.objectContaining({ code: 'CURSOR_INVALID' }),
      )
    }),
  )
})
