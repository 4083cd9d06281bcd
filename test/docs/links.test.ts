import { expect, test } from 'vitest'
import { findBrokenLinks, orphans } from './links.ts'
import { anchorsOf, pages } from './markdown.ts'

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
