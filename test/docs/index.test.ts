import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { page, pages, proseOf, type Page } from './markdown.ts'

/**
 * Pages that the index does not lead to. A decision is found by the list of all of them, and further
 * pages of a system (`files.md`) by its `README.md`.
 */
function findMissing(index: Page, all: readonly Page[]): string[] {
  const links = proseOf(index).matchAll(/\]\(([^)\s#]+)(?:#[^)\s]*)?\)/g)
  const linked = [...links].map(([, target = '']) => posix.join(posix.dirname(index.path), target))
  const isFound = (path: string) =>
    linked.some(
      (each) =>
        each === path || path.startsWith(each.replace(/\.md$/, '-')) || isNextTo(each, path),
    )
  return all
    .map(({ path }) => path)
    .filter((path) => /^(docs|systems)\//.test(path) && path !== index.path)
    .filter((path) => !/^docs\/decisions\/\d/.test(path) && !isFound(path))
}

/** Whether a page of a system stands next to its README, which leads on to it. */
function isNextTo(readme: string, path: string): boolean {
  return (
    readme.endsWith('/README.md') &&
    path.startsWith('systems/') &&
    posix.dirname(readme) === posix.dirname(path)
  )
}

test('the index leads to every page', () => {
  expect(findMissing(page('docs/README.md'), pages())).toEqual([])
})

test('a page that it forgets is found', () => {
  const index = { path: 'docs/README.md', text: '[a](guide/a.md#x) `[b](guide/b.md)`' }
  const others = ['docs/guide/a.md', 'docs/guide/a-more.md', 'docs/guide/b.md', 'README.md']
  const all = [
    index,
    ...[...others, 'docs/decisions/0001-x.md'].map((path) => ({ path, text: '' })),
  ]
  expect(findMissing(index, all)).toEqual(['docs/guide/b.md'])
})
