import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { page, root, tableRows } from './markdown.ts'

/** Every name that a door exports; those of types apart. */
function exportsOf(source: string): { values: string[]; types: string[] } {
  const values: string[] = []
  const types: string[] = []
  for (const [, type, names = ''] of source.matchAll(/^export (type )?\{([^}]*)\} from/gm)) {
    const list = names
      .split(',')
      .map((name) => name.trim().replace(/^.* as /, ''))
      .filter((name) => name !== '')
    ;(type ? types : values).push(...list)
  }
  return { values: values.toSorted(), types: types.toSorted() }
}

/** Names in the first column of a page's tables, below headings of functions and of types. */
function listedIn(text: string): { values: string[]; types: string[] } {
  const namesOf = (rows: string[][]) =>
    rows.flatMap(([name = '']) => /^`([A-Za-z_]\w*)/.exec(name)?.[1] ?? []).toSorted()
  const types = namesOf(tableRows(text, 'Types'))
  const all = namesOf(tableRows(text))
  return { values: all.filter((name) => !types.includes(name)), types }
}

const source = readFileSync(join(root, 'packages/engine/src/index.ts'), 'utf8')
const text = page('docs/reference/api.md').text

test('api.md lists what the engine exports, and nothing else', () => {
  expect(exportsOf(source).values.length).toBeGreaterThan(50)
  expect(listedIn(text)).toEqual(exportsOf(source))
})

test('every name is listed once and has its line', () => {
  const { values, types } = listedIn(text)
  expect(new Set([...values, ...types]).size).toBe(values.length + types.length)
  const rows = tableRows(text).filter(([name]) => name?.startsWith('`'))
  expect(rows.filter(([, line = '']) => line === '')).toEqual([])
})

test('a name on one side only is found', () => {
  const door = "export { a, b as c } from './a.ts'\nexport type {\n  D,\n  E,\n} from './d.ts'\n"
  const listed = '## x\n\n| name | does |\n| - | - |\n| `a(x)` | 1 |\n\n## Types\n\n| `D` | 2 |\n'
  expect(exportsOf(door)).toEqual({ values: ['a', 'c'], types: ['D', 'E'] })
  expect(listedIn(listed)).toEqual({ values: ['a'], types: ['D'] })
})
