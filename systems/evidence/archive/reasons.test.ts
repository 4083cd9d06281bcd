import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ARCHIVE_REASONS, FILE_FAULTS } from './reasons.ts'

const page = readFileSync(new URL('../files.md', import.meta.url), 'utf8')

function codesUnder(heading: string): string[] {
  const [, section = ''] = page.split(`\n### ${heading}\n`)
  const table = section.split('\n### ')[0]?.split('\n## ')[0] ?? ''
  return [...table.matchAll(/^\| `([A-Z_]+)`/gm)].map(([, code = '']) => code)
}

test('the page lists every reason to reject an archive', () => {
  expect(codesUnder('Rejected archives')).toEqual(Object.keys(ARCHIVE_REASONS))
})

test('the page lists every fault of a file', () => {
  expect(codesUnder('Bad files')).toEqual(Object.keys(FILE_FAULTS))
})
