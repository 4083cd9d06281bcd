import { describe, expect, test } from 'vitest'
import { findBrokenLinks } from '../docs/site/finish.mjs'
import { convert, readNavigation, readPages } from '../docs/site/pages.mjs'

const site = (...pages) => ({
  pages: new Map(pages.map((page) => [page.path, page])),
  files: new Set(),
})
const page = (path, slug, text = '# Page\n') => ({ path, slug, text })

test('every page is in the navigation, once', () => {
  const pages = readPages()
  const groups = readNavigation(new Map(pages.map((each) => [each.path, each])))
  const slugsIn = ({ slug, items = [] }) => [...(slug ? [slug] : []), ...items.flatMap(slugsIn)]
  const others = pages.map(({ slug }) => slug).filter((slug) => !['index', 'all'].includes(slug))
  expect(groups.flatMap(slugsIn).toSorted()).toEqual(others.toSorted())
  expect(groups.map(({ label }) => label).slice(0, 3)).toEqual([
    'Is it for me?',
    'Quick start',
    'Guides',
  ])
})

describe('a page of the site', () => {
  const other = page('docs/guide/01-first-outbox.md', 'guide/first-outbox')
  const lines = [
    '# A `page`',
    'It [leads](guide/01-first-outbox.md#a) to ![one](images/kill.svg) and [sources](../package.json) and [tests](../systems/orders/index.ts).',
    '`[not](a-link.md)`',
    '```ts no-run needs a broker',
    'const a = "[not](a-link.md)"',
    '```',
    '```text output',
    'one',
    '```',
    '```mermaid',
    'a --> b < c',
    '```',
  ]
  const own = page('docs/x.md', 'x', lines.join('\n'))

  test('leads to pages of the site, to files that it brings, and to no sources', () => {
    const all = site(own, other)
    const { title, markdown, source } = convert(own, all)
    expect(title).toBe('A page')
    expect(markdown).toContain(
      'It [leads](/docs/guide/first-outbox/#a) to ![one](/docs/files/docs/images/kill.svg) and sources and tests.',
    )
    expect(source).toContain('[leads](/docs/guide/first-outbox.md#a)')
    expect(markdown.match(/\[not\]\(a-link\.md\)/g)).toHaveLength(2)
    expect([...all.files]).toEqual(['docs/images/kill.svg'])
  })

  test('shows code by its language, output as such, and diagrams to be drawn', () => {
    const { markdown, hasDiagram } = convert(own, site(own, other))
    expect(markdown).toContain('```ts\n')
    expect(markdown).toContain('```text title="Output"\n')
    expect(markdown).toContain('<pre class="mermaid">\na --> b &lt; c\n</pre>')
    expect(hasDiagram).toBe(true)
  })

  test('with a link that leads nowhere is refused', () => {
    const wrong = page('docs/x.md', 'x', '[gone](gone.md)')
    expect(() => convert(wrong, site(wrong))).toThrow('docs/x.md: gone.md leads nowhere')
  })
})

test('links of the built site that lead to no file or no heading are found', () => {
  const pages = new Map([
    [
      'a/index.html',
      '<a href="/docs/b/">b</a><a href="#gone">g</a><a href="/docs/b/#there">t</a><a href="/docs/c/">c</a>' +
        '<img src="/docs/x.png"><a href="https://example.com">e</a><a href="/docs/api">api</a><a href="/b/">up</a>',
    ],
    ['b/index.html', '<h2 id="there"></h2><a href="../a/">a</a><a href="/docs/a/#there">t</a>'],
  ])
  expect(findBrokenLinks(pages, new Set(pages.keys()))).toEqual([
    'a/index.html: #gone',
    'a/index.html: /docs/c/',
    'a/index.html: /docs/x.png',
    'a/index.html: /b/',
    'b/index.html: /docs/a/#there',
  ])
})
