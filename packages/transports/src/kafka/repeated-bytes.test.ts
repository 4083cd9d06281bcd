import { expect, test } from 'vitest'
import { cacheBytes } from './repeated-bytes.ts'

test('gives the bytes of any text, the same ones for a short text that comes again', () => {
  const bytesOf = cacheBytes()
  for (const text of ['ce_type', '', 'é😀', 'x'.repeat(10_000)]) {
    expect(bytesOf(text)).toEqual(Buffer.from(text))
  }
  expect(bytesOf('ce_type')).toBe(bytesOf('ce_type'))
})

test('is right when more texts have come than it remembers', () => {
  const bytesOf = cacheBytes()
  const texts = Array.from({ length: 2_000 }, (_, n) => `key-${n}`)
  expect(texts.map((text) => bytesOf(text).toString())).toEqual(texts)
})
