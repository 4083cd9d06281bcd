import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { page, root, sectionOf, tableRows } from './markdown.ts'

const text = page('docs/reference/cli.md').text

interface Help {
  readonly commands: readonly string[]
  readonly options: readonly string[]
}

/** Commands and options as the binary's own help lists them. */
function readHelp(help: string): Help {
  const commands: string[] = []
  const options: string[] = []
  let heading = ''
  for (const line of help.split('\n')) {
    heading = /^(\w+):$/.exec(line)?.[1] ?? heading
    const entry = /^ {2}(\S.*?)(?: {2,}|$)/.exec(line)?.[1]
    if (entry === undefined || heading === 'Examples') continue
    if (heading === 'Options') options.push(entry)
    else if (heading !== 'Arguments') commands.push(entry.split(' ')[0] ?? '')
  }
  return { commands, options: options.filter((option) => !option.includes('--help')) }
}

async function helpOf(...command: string[]): Promise<Help> {
  const bin = join(root, 'apps/cli/bin/posthorn.mjs')
  const { stdout } = await promisify(execFile)(process.execPath, [bin, ...command, '--help'])
  return readHelp(stdout)
}

const known = new Map<string, readonly string[]>()

async function explore(...command: string[]): Promise<void> {
  const { commands, options } = await helpOf(...command)
  if (command.length > 0) known.set(command.join(' '), options)
  for (const name of commands.filter((each) => each !== 'help')) await explore(...command, name)
}

beforeAll(() => explore())

/** Commands are headings; their options stand in the table below. */
function optionsOn(markdown: string, command: string): string[] {
  return tableRows(sectionOf(markdown, command))
    .map(([option = '']) => /^`(--.+)`$/.exec(option)?.[1])
    .filter((option) => option !== undefined)
}

test('cli.md has every command, and no other', () => {
  const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading)
  expect(known.size).toBeGreaterThan(10)
  expect(headings.toSorted()).toEqual([...known.keys()].toSorted())
})

test('cli.md has the options of every command, with their arguments, and no others', () => {
  const listed = Object.fromEntries(
    [...known.keys()].map((command) => [command, optionsOn(text, command).toSorted()]),
  )
  const taken = Object.fromEntries(
    [...known].map(([command, options]) => [command, options.toSorted()]),
  )
  expect(listed).toEqual(taken)
})

test('every option has its line, and every exit code its meaning', () => {
  const rows = tableRows(text)
  expect(rows.filter((row) => row.length !== 2 || row.some((cell) => cell === ''))).toEqual([])
  const codes = tableRows(text.split(/^## /m)[0] ?? '').map(([code = '']) => code)
  expect(codes).toEqual(['exit code', '0', '1', '2', '3', '130'])
})

test('an option on one side only is found', () => {
  const help = [
    'Usage: x',
    '',
    'Arguments:',
    '  outbox  its name',
    '',
    'Options:',
    '  --a <b>  one',
    '  --c      two',
    '  -h, --help  help',
    '',
    'Run:',
    '  go [options] <x>  does',
    '  stay              does not',
    '',
    'Examples:',
    '  $ posthorn go',
  ].join('\n')
  expect(readHelp(help)).toEqual({ commands: ['go', 'stay'], options: ['--a <b>', '--c'] })
  expect(optionsOn('## go\n\n| `--a <b>` | 1 |\n| x | 2 |\n\n## no\n', 'go')).toEqual(['--a <b>'])
})
