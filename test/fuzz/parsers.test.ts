import { expect, test } from 'vitest'
import { fuzzParser } from '../testing/fuzz/index.ts'
import { messagesParsers } from './testing/parsers.ts'

/* The short form of `npm run fuzz -- --parsers`: so long for each, on any machine. */
const WITHIN_MS = 500

test('no parser of strangers’ input breaks or hangs', async () => {
  let read = 0
  for (const parser of messagesParsers) {
    read += await fuzzParser(parser, { seed: 1, runs: 150, withinMs: WITHIN_MS })
  }
  expect(read).toBeGreaterThanOrEqual(1)
})
