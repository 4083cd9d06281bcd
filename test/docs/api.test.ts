import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { page, root, tableRows } from './markdown.ts'

/** Every name that a package's entry point exports; those of types apart. */
function exportsOf(source: string): { values: string[]; types: string[] } {
  const values: string[] = []
  const types: string[] = []
  for (const [, names = ''] of source.matchAll(/^export \{([^}]*)\} from/gm)) {
    const list = names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '')
    for (const name of list) {
      const exported = name.replace(/^type /, '').replace(/^.* as /, '')
      ;(name.startsWith('type ') ? types : values).push(exported)
    }
  }
  return { values: values.toSorted(), types: types.toSorted() }
}

/** Functions in the first column of a page's tables, and types in the second column below `Types`. */
function parseListed(text: string): { values: string[]; types: string[] } {
  const listed = tableRows(text, 'Types').map(([, names = '']) => names)
  const types = listed.flatMap((names) => names.match(/\w+/g) ?? []).toSorted()
  const rows = text
    .split(/^## /m)
    .flatMap((part) => (part.startsWith('Types\n') ? [] : tableRows(part)))
  const values = rows.flatMap(([name = '']) => /^`([A-Za-z_]\w*)/.exec(name)?.[1] ?? [])
  return { values: values.toSorted(), types: types.filter((name) => name !== 'types') }
}

const text = page('docs/reference/api.md').text

/** The part of the page about one entry point, headed by its name. */
function partOf(name: string): string {
  const [, part = ''] = text.split(`\n# \`${name}\`\n`)
  return part.split('\n# ')[0] ?? ''
}

test.each([
  ['@posthorn/engine', 'engine/src/index.ts'],
  ['@posthorn/engine/inbox', 'engine/src/inbox/index.ts'],
  ['@posthorn/operate', 'operate/src/index.ts'],
])('api.md lists what %s exports, and nothing else', (name, file) => {
  const source = readFileSync(join(root, 'packages', file), 'utf8')
  expect(exportsOf(source).values.length).toBeGreaterThan(10)
  expect(parseListed(partOf(name))).toEqual(exportsOf(source))
})

test('the three entry points together export at most 200 names', () => {
  const files = ['engine/src/index.ts', 'engine/src/inbox/index.ts', 'operate/src/index.ts']
  const sources = files.map((file) => readFileSync(join(root, 'packages', file), 'utf8'))
  const exported = sources.map(exportsOf).flatMap(({ values, types }) => [...values, ...types])
  expect(exported.length).toBeLessThanOrEqual(200)
})

test('every function has its line', () => {
  const rows = tableRows(text).filter(([name]) => name?.startsWith('`'))
  expect(rows.filter(([, line = '']) => line === '')).toEqual([])
})

test('a name on one side only is found', () => {
  const entry =
    "export { a, b as c } from './a.ts'\nexport {\n  type D,\n  type E,\n} from './d.ts'\n"
  const listed =
    '## x\n\n| name | does |\n| - | - |\n| `a(x)` | 1 |\n\n## Types\n\n| 2 | `D`, `F` |\n'
  expect(exportsOf(entry)).toEqual({ values: ['a', 'c'], types: ['D', 'E'] })
  expect(parseListed(listed)).toEqual({ values: ['a'], types: ['D', 'F'] })
})
