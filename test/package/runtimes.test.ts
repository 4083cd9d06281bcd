import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ensureRuntimes } from '../../scripts/services/index.mjs'
import { withEmptyDatabase } from '../docs/empty-database.ts'
import { page, root } from '../docs/markdown.ts'
import { programFolder, programOf, writeProgram } from '../docs/program.ts'

const quickStart = programOf(page('docs/guide/quick-start.md'))
let runtimes: Awaited<ReturnType<typeof ensureRuntimes>>
let folder: Awaited<ReturnType<typeof programFolder>>
let script = ''

beforeAll(async () => {
  runtimes = await ensureRuntimes()
  folder = await programFolder()
  script = await writeProgram(folder.path, quickStart)
}, 600_000)

afterAll(() => folder?.remove())

describe.each(['bun', 'deno'] as const)('%s', (name) => {
  /** Runs a script until it ends, or has printed what is waited for. */
  async function run(path: string, url: string, until?: string): Promise<string> {
    const [program = '', ...args] = runtimes[name]
    const child = spawn(program, [...args, path], {
      cwd: root,
      env: { ...process.env, DATABASE_URL: url, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const closed = once(child, 'close')
    let printed = ''
    const add = (chunk: unknown) => {
      printed += String(chunk)
      // It goes on for ever: a relay is running.
      if (until !== undefined && printed.includes(until)) child.kill('SIGKILL')
    }
    child.stdout.on('data', add)
    child.stderr.on('data', add)
    const [code] = (await closed) as [number | null]
    if (code !== 0 && code !== null) throw new Error(`ended with ${code}: ${printed}`)
    return printed
  }

  test('runs the quick start, and prints what the page says', async () => {
    expect(quickStart.output).toBeTruthy()
    await withEmptyDatabase(async (url) => {
      // An object is printed in one line by some, in several by others.
      const inOneLine = (text = '') => text.trim().replaceAll(/,?\s+/g, ' ')
      expect(inOneLine(await run(script, url))).toBe(inOneLine(quickStart.output))
    })
  })

  test('runs a relay that handles what is enqueued', async () => {
    await withEmptyDatabase(async (url) => {
      const client = new Client(url)
      await client.connect()
      await client.query('create table orders (id int primary key)')
      await client.end()
      const example = join(root, 'examples/compare/posthorn.ts')
      expect(await run(example, url, 'order: 7')).toContain('order: 7')
    })
  })
})
