import { existsSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import { anchorsOf, isOfMissingSystem, proseOf, root, type Page } from './markdown.ts'

/** Whether a path from the root is there. */
export type IsThere = (path: string) => boolean

export const isInRepository: IsThere = (path) => existsSync(join(root, path))

/** Relative links of a page that lead nowhere, each with its line. */
export function findBrokenLinks(
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
export function orphans(all: readonly Page[]): string[] {
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
