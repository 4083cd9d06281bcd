import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './markdown.ts'
import { runScript } from './program.ts'

test('the recording in README shows what happens', async () => {
  const script = join(root, 'examples/kill/record.ts')
  const { status, stdout, stderr } = await runScript(script, ['--check'], { limitMs: 110_000 })
  expect(status, stdout + stderr).toBe(0)
})
