import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { page, root, tableRows } from './markdown.ts'

const CENTRAL = 'docs/reference/errors.md'

/** The codes of a catalogue (`export const …_CODES` or `…_PROBLEMS`) in a source. */
function codesIn(source: string): string[] {
  const catalogue =
    /export const \w*_(?:CODES|PROBLEMS) = \{\n([\s\S]*?)\n\} as const/.exec(source)?.[1] ?? ''
  return [...catalogue.matchAll(/^ {2}([A-Z][A-Z_0-9]*):/gm)].map(([, code = '']) => code)
}

/** The codes a page lists below the heading of a package. */
function codesOn(text: string, heading: string): string[] {
  return tableRows(text, heading)
    .flatMap(([code = '']) => /^`([A-Z][A-Z_0-9]*)`$/.exec(code)?.[1] ?? [])
    .toSorted()
}

const PLACES = ['{packages/*/src,systems}/**/{refusal,problems,errors}.ts']

/** Each catalogue with its page and heading: a door of a package, or a part of a system. */
const catalogues = globSync(PLACES, { cwd: root }).flatMap((path) => {
  const codes = codesIn(readFileSync(join(root, path), 'utf8')).toSorted()
  // Some files of this name explain other people's codes.
  if (codes.length === 0) return []
  const [, system, part = 'Error codes'] = /^systems\/(\w+)\/?(.+)?$/.exec(dirname(path)) ?? []
  if (system !== undefined) return [{ on: `systems/${system}/reference.md`, name: part, codes }]
  const name = dirname(path).replace(/^packages\/([\w-]+)\/src/, '@posthorn/$1')
  return [{ on: CENTRAL, name, codes }]
})

test('three packages have a catalogue', () => {
  expect(catalogues.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['@posthorn/engine', '@posthorn/postgres', '@posthorn/transports']),
  )
  for (const { codes } of catalogues) expect(codes.length).toBeGreaterThan(0)
})

test.each(catalogues)('$on has the codes of $name, and no others', ({ on, name, codes }) => {
  expect(codesOn(page(on).text, name)).toEqual(codes)
})

test('every code has a meaning and something to do', () => {
  const listed = [CENTRAL, ...globSync('systems/*/reference.md', { cwd: root })]
  const tables = listed.flatMap((path) => tableRows(page(path).text))
  const rows = tables.filter(([code = '']) => /^`[A-Z][A-Z_0-9]*`$/.test(code))
  expect(rows.filter((row) => row.length !== 3 || row.some((cell) => cell === ''))).toEqual([])
})

test('a code on one side only is found', () => {
  const source = "export const X_CODES = {\n  A_B: 'One.',\n  C:\n    'Two.',\n} as const"
  const text = '## x\n\n| code | means |\n| --- | --- |\n| `A_B` | one |\n| `D` | two |\n\n## y\n'
  expect(codesIn(source)).toEqual(['A_B', 'C'])
  expect(codesOn(text, 'x')).toEqual(['A_B', 'D'])
  expect(codesOn(text, 'y')).toEqual([])
})
