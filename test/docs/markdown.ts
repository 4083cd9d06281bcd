import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** Whether a path from the root lies in the folder of a system that is not installed here. */
export function isOfMissingSystem(path: string): boolean {
  const [, folder] = /^(systems\/[\w-]+)(\/|$)/.exec(path) ?? []
  return folder !== undefined && !existsSync(join(root, folder))
}

/** A Markdown file by its path from the root. */
export interface Page {
  readonly path: string
  readonly text: string
}

/** A fenced block: its language, the words behind it, its text and the line it begins on. */
export interface Block {
  readonly lang: string
  readonly words: readonly string[]
  readonly text: string
  readonly line: number
}

const FOLDERS = 'apps,bench,docs,examples,packages,scripts,systems,test'

/** Every Markdown file of ours. */
export function pages(): Page[] {
  const found = globSync(['*.md', `{${FOLDERS}}/**/*.md`], {
    cwd: root,
    exclude: (name) => name === 'node_modules' || name === 'dist',
  })
  return found.toSorted().map((path) => page(path))
}

export function page(path: string): Page {
  return { path, text: readFileSync(join(root, path), 'utf8') }
}

/** The fenced blocks of a page, in their order. */
export function blocksOf({ text }: Pick<Page, 'text'>): Block[] {
  const blocks: Block[] = []
  let open: { info: string[]; lines: string[]; line: number } | undefined
  text.split('\n').forEach((line, i) => {
    const fence = /^```(.*)$/.exec(line)
    if (!fence) {
      open?.lines.push(line)
    } else if (!open) {
      open = { info: (fence[1] ?? '').trim().split(/\s+/), lines: [], line: i + 1 }
    } else {
      const [lang = '', ...words] = open.info
      blocks.push({ lang, words, text: open.lines.join('\n'), line: open.line })
      open = undefined
    }
  })
  return blocks
}

/** The page without its code, fenced or in the line; the lines stay where they are. */
export function proseOf({ text }: Pick<Page, 'text'>): string {
  return text
    .replaceAll(/^```[\s\S]*?^```$/gm, (block) => block.replaceAll(/[^\n]/g, ''))
    .replaceAll(/`[^`\n]*`/g, '')
}

/** The rows of a page's tables below a heading, each as its cells; the whole page without one. */
export function tableRows(text: string, heading?: string): string[][] {
  return sectionOf(text, heading)
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\|[\s|:-]+\|$/.test(line))
    .map((line) =>
      line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim()),
    )
}

/** What stands below a heading of the second level, up to the next. */
export function sectionOf(text: string, heading?: string): string {
  if (heading === undefined) return text
  const sections = text.split(/^## /m)
  return sections.find((section) => section.split('\n')[0]?.trim() === heading) ?? ''
}

/** The anchors GitHub makes of a page's headings. */
export function anchorsOf({ text }: Pick<Page, 'text'>): Set<string> {
  const seen = new Map<string, number>()
  const plain = text.replaceAll(/^```[\s\S]*?^```$/gm, '')
  const anchors = [...plain.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => {
    const slug = heading
      .toLowerCase()
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-')
    const times = seen.get(slug) ?? 0
    seen.set(slug, times + 1)
    return times === 0 ? slug : `${slug}-${times}`
  })
  return new Set(anchors)
}
