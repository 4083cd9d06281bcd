import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { withEmptyDatabase } from './empty-database.ts'
import { root } from './markdown.ts'

const CONTESTANTS = ['posthorn', 'graphile-worker', 'pg-boss'] as const
const sourceOf = (name: string) => readFileSync(join(root, `examples/compare/${name}.ts`), 'utf8')

/** Lines that say something. */
function linesOf(source: string): number {
  return source.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('//')).length
}

/** What a reader has to look up: names that are imported from the library, and options that are set. */
const CONCEPTS = {
  posthorn: ['handlers', 'outbox', 'posthorn', 'order', 'attempts', 'pool', 'key'],
  'graphile-worker': ['run', 'pgPool', 'taskList', 'queue_name', 'max_attempts'],
  'pg-boss': [
    'PgBoss',
    'connectionString',
    'policy',
    'retryLimit',
    'retryDelay',
    'retryBackoff',
    'executeSql',
    'db',
    'singletonKey',
  ],
} as const

/** Names before a colon or an arrow, short forms of fields, and what is imported, but not from `pg`. */
function conceptsOf(name: (typeof CONTESTANTS)[number]): string[] {
  const source = sourceOf(name).replace(/^type .*$/m, '')
  const imported = /^import \{ (.+) \} from '(?!pg')/m.exec(source)?.[1]?.split(', ') ?? []
  const set = [...source.matchAll(/(?<=[{,]\s*)(\w+)(?=: |, \w+: | => \$| => \d)/g)].map(
    ([field]) => field,
  )
  const ofTheJob = new Set(['order', 'connectionString', 'text', 'values'])
  const options = set.filter((field) => !ofTheJob.has(field))
  return [...new Set([...imported, ...options])]
}

test('the same job takes fewer lines than with others, and how many concepts', () => {
  const [ours, graphile, boss] = CONTESTANTS.map((name) => linesOf(sourceOf(name)))
  expect({ ours, graphile, boss }).toMatchInlineSnapshot(`
    {
      "boss": 27,
      "graphile": 24,
      "ours": 15,
    }
  `)
  for (const name of CONTESTANTS) {
    const found = conceptsOf(name)
    const counted: readonly string[] = CONCEPTS[name]
    expect(
      found.filter((each) => !counted.includes(each)),
      name,
    ).toEqual([])
  }
  expect(ours).toBeLessThanOrEqual(Math.min(Number(graphile), Number(boss)))
  expect(CONCEPTS.posthorn.length).toBeLessThanOrEqual(CONCEPTS['pg-boss'].length)
})

test.each(CONTESTANTS)('the job is done by %s', async (name) => {
  await withEmptyDatabase(async (url) => {
    const client = new Client(url)
    await client.connect()
    await client.query('create table orders (id int primary key)')
    await client.end()
    const child = spawn(process.execPath, [join(root, `examples/compare/${name}.ts`)], {
      env: { ...process.env, DATABASE_URL: url },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const ended = once(child, 'exit')
    let printed = ''
    child.stdout.on('data', (chunk) => (printed += String(chunk)))
    child.stderr.on('data', (chunk) => (printed += String(chunk)))
    try {
      await expect.poll(() => printed, { timeout: 60_000 }).toContain('handled 7')
    } finally {
      child.kill('SIGKILL')
      await ended
    }
  })
})
