import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const example = fileURLToPath(
  new URL('../../../../examples/node-test/shop.test.ts', import.meta.url),
)

test('the example of node:test passes, with a database of its own, and drops it', async () => {
  const { NODE_OPTIONS: _, ...env } = process.env
  const run = promisify(execFile)(process.execPath, ['--test', example], { env, timeout: 110_000 })
  const { stdout } = await run
  expect(stdout).toMatch(/pass 1\n/)
})
