import { expect, test } from 'vitest'
import { anchorsOf, isOfMissingSystem, pages, proseOf, root, type Page } from './markdown.ts'
import { existsSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'

/** Whether a path from the root is there. */
type IsThere = (path: string) => boolean

const isInRepository: IsThere = (path) => existsSync(join(root, path))

/** Relative links of a page that lead nowhere, each with its line. */
function findBrokenLinks(
  from: Page,
  all: readonly Page[],
  isThere: IsThere = isInRepository,
): string[] {
  const problems: string[] = []
  proseOf(from)
    .split('\n')
    .forEach((line, i) => {
      for (const [, target = ''] of line.matchAll(/\]\(([^)\s]+)(?:\s+"[^"]*")?\)/g)) {
        const problem = problemOf(from, target, { all, isThere })
        if (problem) problems.push(`${from.path}:${i + 1}: ${target}: ${problem}`)
      }
    })
  return problems
}

function problemOf(
  from: Page,
  target: string,
  { all, isThere }: { all: readonly Page[]; isThere: IsThere },
): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return undefined
  const [file = '', anchor] = target.split('#')
  const path = file === '' ? from.path : posix.join(posix.dirname(from.path), file)
  if (path.startsWith('..')) return 'leaves the repository'
  if (isOfMissingSystem(path)) return undefined
  if (file !== '' && !isThere(path)) return 'there is no such file'
  if (anchor === undefined) return undefined
  const page = all.find((each) => each.path === path)
  return page && anchorsOf(page).has(anchor) ? undefined : `there is no heading "#${anchor}"`
}

/** Pages below `docs/` that no other page links to. */
function orphans(all: readonly Page[]): string[] {
  const linked = new Set(
    all.flatMap((from) =>
      [...proseOf(from).matchAll(/\]\(([^)\s#]+)(?:#[^)\s]*)?\)/g)].map(([, target = '']) => {
        const path = posix.join(posix.dirname(from.path), target)
        return isFolder(path) ? posix.join(path, 'README.md') : path
      }),
    ),
  )
  return all.map(({ path }) => path).filter((path) => path.startsWith('docs/') && !linked.has(path))
}

function isFolder(path: string): boolean {
  return statSync(join(root, path), { throwIfNoEntry: false })?.isDirectory() === true
}

const all = pages()

test('there are pages to look at', () => {
  expect(all.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['README.md', 'CONTRIBUTING.md', 'docs/guide/01-first-outbox.md']),
  )
})

test('every relative link leads to a file and a heading', () => {
  expect(all.flatMap((page) => findBrokenLinks(page, all))).toEqual([])
})

test('every page of docs/ is linked from another', () => {
  expect(orphans(all)).toEqual([])
})

test('a broken link is found', () => {
  const page = {
    path: 'docs/a.md',
    text: [
      '# A heading: here',
      '[up](../README.md) [self](#a-heading-here) [out](https://example.com) `[not](a-link.md)`',
      '[gone](b.md) [nowhere](#there) [outside](../../x.md) ![picture](c.png "title")',
      '```md',
      '[not](a-link.md)',
      '```',
      '[other](other.md#missing)',
    ].join('\n'),
  }
  const other = { path: 'docs/other.md', text: '# Present' }
  const found = findBrokenLinks(page, [page, other], (path) =>
    ['README.md', 'docs/other.md'].includes(path),
  )
  expect(found).toEqual([
    'docs/a.md:3: b.md: there is no such file',
    'docs/a.md:3: #there: there is no heading "#there"',
    'docs/a.md:3: ../../x.md: leaves the repository',
    'docs/a.md:3: c.png: there is no such file',
    'docs/a.md:7: other.md#missing: there is no heading "#missing"',
  ])
})

test('a page without a link to it is found', () => {
  const few = [
    { path: 'README.md', text: '[a](docs/a.md)' },
    { path: 'docs/a.md', text: '[back](../README.md)' },
    { path: 'docs/b.md', text: '' },
  ]
  expect(orphans(few)).toEqual(['docs/b.md'])
})

test('anchors are made as GitHub makes them', () => {
  const text = '# One: `two` & [three](x.md)\n```\n# not\n```\n## Same\n## Same\n### `a_b()`?'
  expect([...anchorsOf({ text })]).toEqual(['one-two--three', 'same', 'same-1', 'a_b'])
})
