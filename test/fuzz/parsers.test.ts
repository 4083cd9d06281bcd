import { fuzzParser } from '@posthorn/fuzz'
import { expect, test } from 'vitest'
import { systemParsers } from './parsers.ts'

/* The short form of `npm run fuzz -- --parsers`: so long for each, on any machine. */
const WITHIN_MS = 500

test.each(await systemParsers())('%s: none breaks or hangs', async (_, parsers) => {
  let read = 0
  for (const parser of parsers) {
    read += await fuzzParser(parser, { seed: 1, runs: 150, withinMs: WITHIN_MS })
  }
  expect(read).toBeGreaterThanOrEqual(1)
})
