import { expect, test } from 'vitest'
import { fuzzParser } from './fuzzer.ts'
import { sharedParsers } from './shared-parsers.ts'

/* The short form of `npm run fuzz -- --parsers`: so long for each, on any machine. */
const WITHIN_MS = 500

test('no parser of strangers’ input breaks or hangs', async () => {
  let read = 0
  for (const parser of sharedParsers) {
    read += await fuzzParser(parser, { seed: 1, runs: 150, withinMs: WITHIN_MS })
  }
  expect(read).toBeGreaterThanOrEqual(1)
})
