import { expect, test } from 'vitest'
import { findImportCycles } from './import-cycles.ts'
import { sourceFiles } from './source-files.ts'

test('no files import each other in a ring', () => {
  expect(findImportCycles(sourceFiles())).toEqual([])
})

const files = (texts: Record<string, string>) =>
  Object.entries(texts).map(([path, text]) => ({ path, text }))

test.each([
  [
    { 'a.ts': "import { b } from './b.ts'", 'b.ts': "export { a } from './a.ts'" },
    ['a.ts', 'b.ts'],
  ],
  [
    {
      'x/a.ts': "import './b.ts'",
      'x/b.ts': "import {\n  c,\n} from '../c.ts'",
      'c.ts': "export * from './x/a.ts'",
    },
    ['c.ts', 'x/a.ts', 'x/b.ts'],
  ],
])('finds the ring of %j', (texts, ring) => {
  expect(findImportCycles(files(texts))).toEqual([ring])
})

test.each([
  { 'a.ts': "import { b } from './b.ts'", 'b.ts': "import type { A } from './a.ts'" },
  { 'a.ts': "import { b } from './b.ts'", 'b.ts': "export const b = () => import('./a.ts')" },
  { 'a.ts': "import { b } from './b.ts'", 'b.ts': 'export const b = 1', 'c.ts': "import './a.ts'" },
  { 'a.test.ts': "import { b } from './b.ts'", 'b.ts': "import { a } from './a.test.ts'" },
])('finds none in %j', (texts) => {
  expect(findImportCycles(files(texts))).toEqual([])
})
