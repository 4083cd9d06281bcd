import { posix } from 'node:path'
import { isTest, type SourceFile } from './source-files.ts'

/** Static imports with values; `import type` leaves nothing behind, and `import()` waits for its turn. */
const VALUE_IMPORT = /^(?:import|export)\s+(?!type\s)(?:[^'"`;]*?\sfrom\s+)?'(\.[^']*)'/gm

/** Groups of files that import each other in a ring, each sorted. A file is in one group at most. */
export function findImportCycles(files: readonly SourceFile[]): string[][] {
  const sources = files.filter(({ path }) => !isTest(path))
  const known = new Set(sources.map(({ path }) => path))
  const imports = new Map(
    sources.map(({ path, text }) => [path, importedBy(path, text).filter((to) => known.has(to))]),
  )
  return strongComponents(imports).filter((group) => group.length > 1)
}

function importedBy(path: string, text: string): string[] {
  return [...text.matchAll(VALUE_IMPORT)].map(([, specifier = '']) =>
    posix.join(posix.dirname(path), specifier),
  )
}

/** Tarjan's algorithm, without recursion. */
function strongComponents(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const onStack = new Set<string>()
  const groups: string[][] = []
  const enter = (node: string) => {
    index.set(node, index.size)
    low.set(node, index.size - 1)
    stack.push(node)
    onStack.add(node)
    return { node, rest: [...(graph.get(node) ?? [])] }
  }
  const lower = (node: string, to: number | undefined) =>
    low.set(node, Math.min(low.get(node) ?? 0, to ?? 0))
  for (const start of graph.keys()) {
    if (index.has(start)) continue
    const path = [enter(start)]
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const next = top.rest.pop()
      if (next === undefined) {
        path.pop()
        const parent = path.at(-1)
        if (parent) lower(parent.node, low.get(top.node))
        if (low.get(top.node) !== index.get(top.node)) continue
        const group = stack.splice(stack.indexOf(top.node))
        group.forEach((node) => onStack.delete(node))
        groups.push(group.sort())
      } else if (!index.has(next)) path.push(enter(next))
      else if (onStack.has(next)) lower(top.node, index.get(next))
    }
  }
  return groups
}
