import { join } from 'node:path'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withCopy, withEmptyDatabase } from './empty-database.ts'
import { blocksOf, pages, root, type Block } from './markdown.ts'
import { programFolder, programOf, runScript, typeErrors, writeProgram } from './program.ts'
import { makeTrouble } from './shop.ts'

/*
 * What the pages give operators to type must work. SQL runs on a database in which all of
 * it has happened, and has to find something; TypeScript runs beside it, with `pool`, `shopEvents`
 * and `orderEvents` at hand.
 */

const operating = pages().filter(({ path }) => path.startsWith('docs/operate/'))
const folder = await programFolder()
afterAll(() => folder.remove())

/** Made once, and copied for each test. */
let original = ''
const over = Promise.withResolvers<void>()
let made: Promise<void> | undefined

beforeAll(async () => {
  await new Promise<void>((resolve, reject) => {
    made = withEmptyDatabase(async (url) => {
      const pool = new Pool({ connectionString: url })
      await makeTrouble(pool)
      await pool.end()
      original = url
      resolve()
      await over.promise
    })
    made.catch(reject)
  })
})

afterAll(async () => {
  over.resolve()
  await made
})

function inTrouble<Result>(work: (pool: Pool, url: string) => Promise<Result>): Promise<Result> {
  return withCopy(original, async (url) => {
    const pool = new Pool({ connectionString: url })
    // The copy is dropped right after `end()`, which may end a connection before it has left.
    pool.on('error', () => undefined)
    try {
      return await work(pool, url)
    } finally {
      await pool.end()
    }
  })
}

/** Statements of a block that fail or find nothing; it may say `may-be-empty`. */
async function problemsOf(pool: Pool, { text, words }: Block): Promise<string[]> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const answer = await client.query(text)
    const results = Array.isArray(answer) ? answer : [answer]
    const empty = results.filter(({ rowCount }) => (rowCount ?? 0) === 0)
    return words.includes('may-be-empty') ? [] : empty.map(({ command }) => `${command}: no row`)
  } catch (error) {
    return [String(error)]
  } finally {
    await client.query('rollback')
    client.release()
  }
}

test('there is SQL for operators', () => {
  const blocks = operating.flatMap(blocksOf).filter(({ lang }) => lang === 'sql')
  expect(blocks.length).toBeGreaterThan(15)
})

test('every statement works and finds what it is for', async () => {
  const found = await inTrouble(async (pool) => {
    const problems: string[] = []
    for (const page of operating) {
      for (const block of blocksOf(page).filter(({ lang }) => lang === 'sql')) {
        const wrong = await problemsOf(pool, block)
        problems.push(...wrong.map((problem) => `${page.path}:${block.line}: ${problem}`))
      }
    }
    return problems
  })
  expect(found).toEqual([])
})

const programs = operating.map(programOf).filter(({ checked }) => checked.trim() !== '')
const given = `import { orderEvents, pool, shopEvents } from '${join(root, 'test/docs/operator.ts')}'\n`

describe.for(programs)('$page', (program) => {
  test('its code is well typed and runs, and prints what it says', async () => {
    const { main, checked } = program
    const script = await writeProgram(folder.path, {
      ...program,
      main: given + main,
      checked: given + checked,
    })
    expect(await typeErrors(folder.path, [script])).toBe('')
    const run = await inTrouble((_, url) =>
      runScript(script, [], { env: { DATABASE_URL: url }, limitMs: 30_000 }),
    )
    expect({ ...run, stdout: run.stdout.trimEnd() }).toEqual({
      status: 0,
      stderr: '',
      stdout: program.output ?? '',
    })
  })
})

test('a statement that fails or finds nothing is found', async () => {
  const sql = (text: string, ...words: string[]): Block => ({ lang: 'sql', words, text, line: 1 })
  await inTrouble(async (pool) => {
    expect(await problemsOf(pool, sql('select 1; select 1 where false'))).toEqual([
      'SELECT: no row',
    ])
    expect(await problemsOf(pool, sql('select 1 where false', 'may-be-empty'))).toEqual([])
    expect(await problemsOf(pool, sql('select missing from shop.outbox', 'may-be-empty'))).toEqual([
      expect.stringContaining('does not exist'),
    ])
  })
})
