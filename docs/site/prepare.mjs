// Writes what the generator reads into .posthorn/docs: every page with the site's links, the files
// that pages link to, every page as Markdown, llms.txt and llms-full.txt.

import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { BASE, convert, PREPARED, readNavigation, readPages, root } from './pages.mjs'

const DIAGRAMS = 'node_modules/@mermaid-js/tiny/dist/mermaid.tiny.js'

/** `described` has the pages about packages. */
export async function prepare(described) {
  const pages = new Map([...readPages(), ...described].map((page) => [page.path, page]))
  const { repository } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const home = /https:.+?(?=\.git$|$)/.exec(repository?.url ?? '')?.[0]
  const files = new Set()
  const site = { pages, files, repository: home }
  const converted = [...pages.values()].map((page) => convert(page, site))
  const groups = readNavigation(pages)
  addApi(groups, converted)
  for (const page of converted) {
    await write(join('content', `${page.slug}.md`), `${frontMatter(page)}${page.markdown}\n`)
    await write(join('public', `${page.slug}.md`), page.source)
  }
  for (const path of files) await copy(join(root, path), join('public', 'files', path))
  await copy(join(import.meta.dirname, DIAGRAMS), join('public', 'mermaid.js'))
  await copy(join(import.meta.dirname, 'diagrams.js'), join('public', 'diagrams.js'))
  await copy(join(root, 'apps/dashboard/public/assets/posthorn.svg'), join('public', 'favicon.svg'))
  await write('navigation.json', JSON.stringify(groups))
  const prose = converted.filter(({ isApi }) => !isApi)
  await write('public/llms.txt', listForPrograms(groups, converted))
  await write('public/llms-full.txt', prose.map(({ source }) => source).join('\n'))
}

function frontMatter({ slug, title, description, hasDiagram }) {
  const head = [
    { tag: 'link', attrs: { rel: 'alternate', type: 'text/markdown', href: `${BASE}/${slug}.md` } },
    ...(hasDiagram
      ? [{ tag: 'script', attrs: { type: 'module', src: `${BASE}/diagrams.js` } }]
      : []),
  ]
  // JSON is YAML.
  return `---\n${JSON.stringify({ title, description, head }, null, 2)}\n---\n\n`
}

/** The packages' pages stand behind the written reference. */
function addApi(groups, pages) {
  const items = pages
    .filter(({ isApi }) => isApi)
    .map(({ title, slug }) => ({ label: title, slug }))
  const reference = groups.find(({ label }) => label === 'Reference')
  reference.items.push({ label: 'Packages', collapsed: true, items })
}

/** See llmstxt.org. */
function listForPrograms(groups, pages) {
  const bySlug = new Map(pages.map((page) => [page.slug, page]))
  const start = bySlug.get('index')
  const line = ({ slug, items }) => {
    if (items !== undefined) return items.map(line).join('')
    const { title, description } = bySlug.get(slug)
    return `- [${title}](${BASE}/${slug}.md)${description === '' ? '' : `: ${description}`}\n`
  }
  const sections = groups.map(({ label, items }) => `## ${label}\n\n${items.map(line).join('')}`)
  return `# ${start.title}\n\n> ${start.description}\n\nAll pages in one file: ${BASE}/llms-full.txt\n\n${sections.join('\n')}`
}

async function write(name, text) {
  const file = join(PREPARED, name)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
}

async function copy(from, name) {
  const file = join(PREPARED, name)
  await mkdir(dirname(file), { recursive: true })
  await copyFile(from, file)
}
