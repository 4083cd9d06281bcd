import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withEmptyDatabase } from './empty-database.ts'
import { page, root } from './markdown.ts'
import { runScript } from './program.ts'

const folder = join(root, 'examples/adapters')
const names = readdirSync(folder).filter(
  (name) => name.endsWith('.ts') && readFileSync(join(folder, name), 'utf8').includes('enqueue('),
)

test('there is an example for every adapter, and the guide leads to it', () => {
  const source = readFileSync(join(root, 'packages/engine/src/index.ts'), 'utf8')
  const adapters = [...source.matchAll(/'\.\/enqueue\/adapters\/([\w-]+\.ts)'/g)].map(
    ([, file = '']) => file,
  )
  expect(adapters.length).toBeGreaterThanOrEqual(8)
  expect(names.toSorted()).toEqual(adapters.toSorted())
  const guide = page('docs/guide/07-your-orm.md').text
  expect(names.filter((name) => !guide.includes(`examples/adapters/${name}`))).toEqual([])
})

const PATIENCE_MS = 120_000

test.each(names)(
  'examples/adapters/%s delivers what it stores',
  { timeout: PATIENCE_MS },
  async (name) => {
    await withEmptyDatabase(async (url) => {
      const script = join(folder, name)
      for (const orderId of [1, 2]) {
        expect(await runScript(script, [], { env: { DATABASE_URL: url } })).toEqual({
          status: 0,
          stderr: '',
          stdout: `order.placed { orderId: ${orderId} }\n`,
        })
      }
    })
  },
)
