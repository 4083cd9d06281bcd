import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { createProgram } from './program.ts'
import { page, root, sectionOf, tableRows } from '../../../test/docs/markdown.ts'

const { text } = page('docs/reference/cli.md')

const terminal = {} as Parameters<typeof createProgram>[0]['terminal']
const program = await createProgram({ terminal, end: () => undefined }, () => true)

/** Every command with its whole name and its options, those below others included. */
function commandsOf(parent: Command, name = ''): (readonly [string, string[]])[] {
  return parent.commands.flatMap((command) => {
    const whole = `${name} ${command.name()}`.trim()
    const options = command.options.map(({ flags }) => flags)
    return [[whole, options.toSorted()], ...commandsOf(command, whole)] as const
  })
}

const known = new Map(commandsOf(program))

/** Options in the table below a command's heading, or in the tables before the first one. */
function optionsOn(markdown: string, command?: string): string[] {
  const part = command === undefined ? markdown.split(/^## /m)[0] : sectionOf(markdown, command)
  return tableRows(part ?? '')
    .map(([option = '']) => /^`(--.+)`$/.exec(option)?.[1])
    .filter((option) => option !== undefined)
}

test('cli.md has every command, and no other', () => {
  const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading)
  expect(known.size).toBeGreaterThan(10)
  expect(known.has('start')).toBe(true)
  expect(headings.toSorted()).toEqual([...known.keys()].toSorted())
})

test('cli.md has the options of every command, with their arguments, and no others', () => {
  const common = optionsOn(text)
  const all = [...known].map(([name, options]) => {
    const own = options.filter((option) => !common.includes(option))
    return { name, own, listed: optionsOn(text, name).toSorted() }
  })
  expect(all.filter(({ own, listed }) => own.join() !== listed.join())).toEqual([])
  const used = new Set([...known.values()].flat())
  expect(common.filter((option) => !used.has(option))).toEqual([])
})

test('every option has its line, and every exit code its meaning', () => {
  const rows = tableRows(text)
  expect(rows.filter((row) => row.length !== 2 || row.some((cell) => cell === ''))).toEqual([])
  const codes = tableRows(text.split(/^## /m)[0] ?? '').map(([code = '']) => code)
  expect(codes.slice(0, 6)).toEqual(['exit code', '0', '1', '2', '3', '130'])
})

test('program.ts loads every file of commands, and CONTRIBUTING names the files of a command', () => {
  const files = globSync('*.ts', { cwd: join(root, 'apps/cli/src/commands') })
  const source = readFileSync(join(root, 'apps/cli/src/program.ts'), 'utf8')
  const loaded = [...source.matchAll(/import\('\.\/commands\/([\w-]+\.ts)'\)/g)].map(
    ([, file = '']) => file,
  )
  expect([...new Set(loaded)].toSorted()).toEqual(
    files.filter((file) => !file.endsWith('.test.ts')).toSorted(),
  )
  const row = /^\| a command of the CLI +\| (.+) \|$/m.exec(page('CONTRIBUTING.md').text)?.[1] ?? ''
  expect([...row.matchAll(/`([^`]+)`/g)].map(([, path]) => path)).toEqual([
    'apps/cli/src/commands',
    'apps/cli/src/program.ts',
    'docs/reference/cli.md',
  ])
})

test('an option on one side only is found', () => {
  expect(optionsOn('## go\n\n| `--a <b>` | 1 |\n| x | 2 |\n\n## no\n', 'go')).toEqual(['--a <b>'])
})
