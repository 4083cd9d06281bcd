// npm run shape: how large the source files are, and how they hang together. The median says little;
// the share of lines that sit in large files is what a reader feels.

import { posix } from 'node:path'
import { isTest, sourceFiles } from '../test/architecture/source-files.ts'
import { countLines } from '../test/architecture/source-text.ts'

const LARGE = 400
const SMALL = 60

const all = sourceFiles().map(({ path, text }) => ({ path, text, lines: countLines(text) }))
const sources = all.filter(({ path }) => !isTest(path))
const tests = all.filter(({ path }) => isTest(path))

function report(name, files) {
  const sizes = files.toSorted((one, other) => one.lines - other.lines)
  const sum = (some) => some.reduce((total, { lines }) => total + lines, 0)
  const median = sizes[Math.floor(sizes.length / 2)]?.lines ?? 0
  const { path, lines } = sizes.at(-1) ?? { path: 'none', lines: 0 }
  const share = (100 * sum(sizes.filter((file) => file.lines > LARGE))) / Math.max(1, sum(sizes))
  console.log(
    `${name}: ${sizes.length} files, ${sum(sizes)} lines, median ${median}, max ${lines} (${path}), ` +
      `${share.toFixed(1)} % of lines in files over ${LARGE}`,
  )
}

const IMPORT =
  /^(?:import|export)\s+(type\s)?([^;'"]*?)\bfrom\s+'(\.[^']+)'|\bimport\s*\(?\s*'(\.[^']+)'/gm

/** The files that a file imports, by path; `isValue` unless only types are taken. */
function importsOf({ path, text }) {
  return [...text.matchAll(IMPORT)].map(([, type, names = '', from, plain]) => {
    const taken = /^\{([^}]*)\}\s*$/.exec(names)?.[1].split(',') ?? ['value']
    const isOnlyTypes = taken.every((name) => /^\s*(type\s|$)/.test(name))
    return { to: posix.join(posix.dirname(path), from ?? plain), isValue: !type && !isOnlyTypes }
  })
}

const importers = new Map()
const values = new Map()
for (const file of sources) {
  const imports = importsOf(file)
  values.set(
    file.path,
    imports.filter(({ isValue }) => isValue).map(({ to }) => to),
  )
  for (const to of new Set(imports.map((each) => each.to))) {
    importers.set(to, (importers.get(to) ?? 0) + 1)
  }
}

/** Every path from a file back to itself, found once: what is below a file that is done has none. */
function findCycles() {
  const cycles = []
  const done = new Set()
  const visit = (path, way) => {
    if (way.includes(path)) return cycles.push([...way.slice(way.indexOf(path)), path])
    if (done.has(path)) return undefined
    for (const to of values.get(path) ?? []) visit(to, [...way, path])
    return done.add(path)
  }
  for (const path of values.keys()) visit(path, [])
  return cycles
}

report('sources', sources)
report('tests', tests)
const single = sources.filter(({ path }) => importers.get(path) === 1)
const small = single.filter(({ lines }) => lines < SMALL)
console.log(
  `${single.length} files with one importer, ${small.length} of them under ${SMALL} lines`,
)
const cycles = findCycles()
console.log(`${cycles.length} import cycles of files`)
for (const cycle of cycles) console.log(`  ${cycle.join(' > ')}`)
