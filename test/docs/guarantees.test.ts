import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { expect, test } from 'vitest'
import { page, root, type Page } from './markdown.ts'

const path = 'docs/concepts/guarantees.md'

/** Links to tests whose text is not a title in that file. */
function findMissingTests(from: Page, read: (file: string) => string): string[] {
  return [...from.text.matchAll(/\[([^\]]+)\]\(([^)]+\.ts)\)/g)]
    .filter(([, title = '', target = '']) => {
      const source = read(posix.join(posix.dirname(from.path), target))
      return ![`'${title}'`, `"${title}"`, `\`${title}\``].some((text) => source.includes(text))
    })
    .map(([, title = '']) => title)
}

test('every promise names a test that there is', () => {
  const read = (file: string) => readFileSync(join(root, file), 'utf8')
  expect(page(path).text.match(/\.ts\)/g)?.length).toBeGreaterThan(10)
  expect(findMissingTests(page(path), read)).toEqual([])
})

test('a test that is gone is found', () => {
  const text = '[is there](../a.test.ts) [was renamed](../a.test.ts)'
  const found = findMissingTests({ path: 'docs/x.md', text }, (file) =>
    file === 'a.test.ts' ? "test('is there', () => {})" : '',
  )
  expect(found).toEqual(['was renamed'])
})
