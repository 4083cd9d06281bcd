import { afterAll, describe, expect, test } from 'vitest'
import { withEmptyDatabase } from './empty-database.ts'
import { pages } from './markdown.ts'
import {
  programFolder,
  programOf,
  runScript,
  typeErrors,
  writeProgram,
  type Program,
} from './program.ts'

/** Every page with TypeScript in it; those for operators and of packages have tests of their own. */
const programs = pages()
  .filter(({ path }) => !/^(docs\/operate|scripts\/packing)\//.test(path))
  .map(programOf)
  .filter(({ checked }) => checked.trim() !== '')

const folder = await programFolder()
afterAll(() => folder.remove())

async function run(program: Program) {
  const script = await writeProgram(folder.path, program)
  return withEmptyDatabase((url) => runScript(script, [], { env: { DATABASE_URL: url } }))
}

test('README and guide are among the pages with code', () => {
  const names = programs.map(({ page }) => page)
  expect(names).toContain('README.md')
  expect(names.filter((name) => name.startsWith('docs/guide/')).length).toBeGreaterThanOrEqual(6)
})

describe.for(programs)('$page', (program) => {
  if (program.main.trim() !== '')
    test('runs, and prints what it says', async () => {
      const { status, stdout, stderr } = await run(program)
      const printed = program.output === undefined ? undefined : stdout.trimEnd()
      // What a relay without a log of its own says about messages that a page lets die.
      const errors = stderr.replaceAll(/^posthorn: message is dead.*\n/gm, '')
      expect({ status, stderr: errors, printed }).toEqual({
        status: 0,
        stderr: '',
        printed: program.output?.trimEnd(),
      })
    })

  test('gives a reason for every block that is not run', () => {
    expect(program.skipped.filter(({ reason }) => reason === '')).toEqual([])
  })
})

test('all of it is well typed, also what is not run', async () => {
  const scripts = []
  for (const program of programs) scripts.push(await writeProgram(folder.path, program))
  expect(await typeErrors(folder.path, scripts)).toBe('')
})

describe('a page that is wrong', () => {
  const page = (...lines: string[]) => programOf({ path: 'bad.md', text: lines.join('\n') })

  test('fails if its code throws', async () => {
    const program = page('```ts', "throw new Error('no')", '```')
    expect((await run(program)).status).not.toBe(0)
  })

  test('fails if it prints something else', async () => {
    const program = page('```ts', "console.log('one')", '```', '```text output', 'two', '```')
    const { stdout } = await run(program)
    expect(stdout.trimEnd()).toBe('one')
    expect(program.output).toBe('two')
  })

  test('fails if its types are wrong, run or not', async () => {
    const program = page(
      '```ts',
      "const a: number = Number('1')",
      '```',
      '```ts no-run needs a broker',
      "import { toMs } from '@posthorn/engine'",
      'const b: string = toMs("1s") + a',
      '```',
    )
    const script = await writeProgram(folder.path, program)
    const errors = await typeErrors(folder.path, [script])
    expect(errors).toContain("Type 'number' is not assignable to type 'string'")
    expect(program.skipped).toEqual([{ line: 4, reason: 'needs a broker' }])
    expect(program.main).not.toContain('toMs')
  })

  test('fails if it skips a block without a reason', () => {
    expect(page('```ts no-run', '1', '```').skipped).toEqual([{ line: 1, reason: '' }])
  })

  test('may bring files of its own', () => {
    const program = page('```sql migrations/0001_a.sql output', 'select 1;', '```')
    expect(program.files).toEqual([{ path: 'migrations/0001_a.sql', text: 'select 1;\n' }])
    expect(program.output).toBe('select 1;')
  })
})
