import { globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** What the generator reads, and what it makes of it. */
export const PREPARED = join(root, '.posthorn', 'docs')
export const BUILT = join(PREPARED, 'dist')

/** Where the server offers the site. */
export const BASE = '/docs'

/** The page that lists all others: its headings are the groups of the navigation, its links their items. */
const INDEX = 'docs/README.md'

/** The Markdown files that are pages of the site, each with its text. */
export function readPages() {
  const paths = globSync(
    ['{README,CHANGELOG,CONTRIBUTING,SECURITY}.md', '{docs,systems}/**/*.md'],
    { cwd: root, exclude: (name) => name === 'node_modules' },
  )
  return paths
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8'), slug: slugOf(path) }))
}

/** `docs/guide/01-first-outbox.md` is the page `guide/first-outbox`; README.md is the start. */
function slugOf(path) {
  if (path === 'README.md') return 'index'
  if (path === INDEX) return 'all'
  return path
    .replace(/^docs\//, '')
    .replace(/\.md$/, '')
    .replace(/\/README$/, '')
    .replace(/(^|\/)\d+-(?=[^/]*$)/, (found, before) =>
      /^\d{3}/.test(found.slice(before.length)) ? found : before,
    )
    .toLowerCase()
}

export function urlOf({ slug }, anchor = '') {
  return `${BASE}/${slug === 'index' ? '' : `${slug}/`}${anchor}`
}

/**
 * What the site shows of a page: its title, its Markdown with the site's links, and the same for
 * programs, which follow links to other Markdown. Throws for a link that leads nowhere.
 */
export function convert(page, site) {
  const title = titleOf(page.text)
  const body = page.text.replace(/^# .+\n/m, '').trim()
  const links = (form) => (target) => resolveLink(target, { page, form, ...site })
  return {
    ...page,
    title,
    description: firstSentence(body),
    hasDiagram: /^```mermaid$/m.test(body),
    markdown: outsideCode(body, links('page')).replaceAll(FENCE, showBlock),
    source: `# ${title}\n\n${outsideCode(body, links('source'))}\n`,
  }
}

const FENCE = /^```(.*)\n([\s\S]*?)^```$/gm

/** Diagrams are drawn in the browser; the words of the tests behind a language become a title. */
function showBlock(_whole, info, text) {
  const [language, ...words] = info.trim().split(/\s+/)
  if (language === 'mermaid')
    return `<pre class="mermaid">\n${escapeHtml(text).replaceAll('\n\n', '\n')}</pre>`
  const file = words.find((word) => word.includes('.') && !words.includes('no-run'))
  const name = file ?? (words.includes('output') ? 'Output' : undefined)
  return `\`\`\`${language}${name === undefined ? '' : ` title="${name}"`}\n${text}\`\`\``
}

/** Code, which is left alone, or a link, an image, or the source of an HTML image. */
const LINKS =
  /^```[\s\S]*?^```$|(?<image>!?)\[(?<words>(?:[^[\]`]|`[^`\n]*`|\[[^\]]*\])*)\]\((?<target>[^)\s]+)(?:\s+"[^"]*")?\)|`[^`\n]*`|\bsrc="(?<source>[^"]+)"/gm

/** Rewrites the links of a text: of one that `linkOf` knows no target for, its words are left. */
function outsideCode(text, linkOf) {
  return text.replaceAll(LINKS, (whole, ...captured) => {
    const { image, words, target, source } = captured.at(-1)
    if (source !== undefined) return `src="${linkOf(source)}"`
    if (target === undefined) return whole
    const link = linkOf(target)
    return link === undefined ? words : `${image}[${words}](${link})`
  })
}

function resolveLink(target, { page, form, pages, files, repository }) {
  if (/^[a-z][a-z\d+.-]*:/i.test(target) || target.startsWith('/')) return target
  const [file, anchor] = target.split('#')
  const hash = anchor === undefined ? '' : `#${anchor}`
  const path =
    file === '' ? page.path : posix.join(posix.dirname(page.path), file).replace(/\/$/, '')
  const found = pages.get(path) ?? pages.get(`${path}/README.md`)
  if (found !== undefined) {
    return form === 'page' ? urlOf(found, hash) : `${BASE}/${found.slug}.md${hash}`
  }
  const there = statSync(join(root, path), { throwIfNoEntry: false })
  if (there === undefined) throw new Error(`${page.path}: ${target} leads nowhere`)
  if (/^(docs|systems)\/.+(?<!\.ts)$/.test(path) && there.isFile()) {
    files.add(path)
    return `${BASE}/files/${path}`
  }
  // Sources are not on the site: a link to them needs to know where they are.
  return repository === undefined ? undefined : `${repository}/blob/HEAD/${path}`
}

/** Groups that are open from the start: what a newcomer reads. */
const OPEN = new Set(['Is it for me?', 'Quick start', 'Guides'])

/** Groups of the navigation as Starlight wants them, from the list of all pages. */
export function readNavigation(pages) {
  const { text } = pages.get(INDEX)
  const seen = new Set()
  const toItem = ([, words, target]) => {
    const page = pages.get(posix.join('docs', target))
    if (page === undefined || seen.has(page)) return []
    seen.add(page)
    const item = { label: capitalise(plain(words)), slug: page.slug }
    const details = pagesNextTo(page, pages).filter((each) => !seen.has(each))
    if (details.length === 0) return [item]
    for (const each of details) seen.add(each)
    const items = details.map((each) => ({ label: titleOf(each.text), slug: each.slug }))
    return [
      { label: item.label, collapsed: true, items: [{ ...item, label: 'Overview' }, ...items] },
    ]
  }
  return text
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [label] = section.split('\n', 1)
      const items = [...section.matchAll(/\[([^\]]+)\]\(([^)#\s]+)\)/g)].flatMap(toItem)
      return { label, collapsed: !OPEN.has(label), items }
    })
}

/** Pages that only the page of their folder leads to: those of a system, and decisions. */
function pagesNextTo({ path }, pages) {
  const folder = posix.dirname(path)
  if (posix.basename(path) !== 'README.md' || !/^(systems|docs\/decisions)/.test(path)) return []
  return [...pages.values()].filter(
    (each) => posix.dirname(each.path) === folder && each.path !== path,
  )
}

function titleOf(text) {
  return plain(/^# (.+)$/m.exec(text)?.[1] ?? '')
}

function firstSentence(body) {
  const paragraph = body.split(/\n{2,}/).find((part) => /^[A-Z`[*]/.test(part)) ?? ''
  const text = plain(paragraph).replaceAll('\n', ' ')
  return /^.*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text
}

function plain(markdown) {
  return markdown
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]|<[^>]+>/g, '')
    .trim()
}

function capitalise(words) {
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function escapeHtml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
