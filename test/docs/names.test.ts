import { METRICS } from '@posthorn/engine/internal'
import { ALL_METRICS, loadSystems, openSystems, readConfiguration } from '@posthorn/server'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Pool } from 'pg'
import { expect, test } from 'vitest'
import { page, root, tableRows } from './markdown.ts'

/*
 * Names that people search for: metrics and log lines of the engine, options of the benchmarks.
 * What a page lists and what the sources have must be the same.
 */

const sources = globSync('packages/{engine,operate}/src/**/*.ts', { cwd: root })
  .filter((path) => !/\.test\.ts$|\/testing\//.test(path))
  .map((path) => readFileSync(join(root, path), 'utf8'))

const watch = page('docs/operate/monitoring.md').text

/** What is logged as a warning or an error. */
function logLinesIn(source: string): string[] {
  const calls = /\blog\.(warn|error)\(\s*(?:\{(?:[^{}]|\{[^{}]*\})*\}|\w+),\s*'([^']+)'/g
  return [...source.matchAll(calls)].map(([, level, message]) => `${level} ${message}`)
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)].toSorted()
}

test('monitoring.md lists the metrics of the engine', () => {
  const listed = tableRows(watch, 'Metrics').flatMap(
    ([name = '']) => /^`(\w+)`$/.exec(name)?.[1] ?? [],
  )
  expect(listed.length).toBeGreaterThan(4)
  expect(unique(listed)).toEqual(unique(Object.keys(METRICS)))
})

test('monitoring.md lists the metrics of the server', () => {
  const known = Object.keys(ALL_METRICS).filter((name) => !(name in METRICS))
  const listed = tableRows(watch, 'Metrics of the server').flatMap(
    ([name = '']) => /^`(\w+)`$/.exec(name)?.[1] ?? [],
  )
  expect(known.length).toBeGreaterThan(10)
  expect(unique(listed)).toEqual(unique(known))
})

test('a system lists its metrics in its folder', async () => {
  const systems = await loadSystems({})
  const configuration = readConfiguration({}, systems)
  const pool = new Pool()
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  for (const system of systems) {
    const options = { configuration, pool, log, baseUrl: () => 'http://127.0.0.1' }
    const { measures } = await openSystems([system], options)
    if (measures.length === 0) continue
    const rows = tableRows(page(`systems/${system.name}/reference.md`).text, 'Metrics')
    const listed = rows.flatMap(([name = '']) => /^`(\w+)`$/.exec(name)?.[1] ?? [])
    expect(listed).toEqual(measures.map(({ name }) => name))
  }
  await pool.end()
})

test('monitoring.md lists the warnings and errors that the engine logs', () => {
  const listed = tableRows(watch, 'Log').flatMap(([level, message = '']) => {
    const text = /^`(.+)`$/.exec(message)?.[1]
    return text === undefined ? [] : [`${level} ${text}`]
  })
  expect(listed.length).toBeGreaterThan(8)
  expect(unique(listed)).toEqual(unique(sources.flatMap(logLinesIn)))
})

test('benchmarks.md lists the benchmarks and their options', () => {
  const text = page('docs/operate/benchmarks.md').text
  const options = readFileSync(join(root, 'bench/kit/options.ts'), 'utf8')
  const benches = [...text.matchAll(/^npm run bench -- ([\w-]+)/gm)].map(([, name = '']) => name)
  const known = globSync(['bench/*/*.bench.ts', 'systems/*/bench/*.bench.ts'], { cwd: root }).map(
    (path) => basename(path, '.bench.ts'),
  )
  expect(unique(benches)).toEqual(unique(known))
  const listed = [...text.matchAll(/^\| `--(\w+)`/gm)].map(([, name = '']) => name)
  const taken = [...options.matchAll(/^ {2}(\w+): .+,$/gm)].map(([, name = '']) => name)
  expect(taken.length).toBeGreaterThan(5)
  expect(unique(listed)).toEqual(unique(taken))
})

test('a log line is found however the call is written', () => {
  const source = `
    log.warn({ err: error }, 'one')
    log.error(
      { ...labels, id },
      'two',
    )
    log.debug({}, 'not')`
  expect(logLinesIn(source)).toEqual(['warn one', 'error two'])
})

const code = globSync('{systems,packages,apps}/**/*.{ts,tsx,sql}', {
  cwd: root,
  exclude: (name) => name === 'node_modules' || name === 'dist',
})
const words = new Set(
  code.flatMap((path) => readFileSync(join(root, path), 'utf8').match(/[A-Za-z_]\w*/g) ?? []),
)

/** Functions, columns and files that stand in the right column of a map, as code. */
function namesInMap(text: string): string[] {
  const [, map = ''] = text.split(/^## In the code$/m)
  return map
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .flatMap((line) => [...(line.split(/(?<!\\)\|/)[2] ?? '').matchAll(/`([^`]+)`/g)])
    .flatMap(([, name = '']) => (/^[\w/.-]+$/.test(name) ? [name] : []))
}

const maps = globSync('systems/**/README.md', { cwd: root, exclude: ['**/node_modules/**'] })
  .filter((path) => namesInMap(page(path).text).length > 0)
  .map((path) => path.slice('systems/'.length, -'/README.md'.length))

test('systems have maps of their code', () => {
  expect(maps.length).toBeGreaterThan(0)
})

test.each(maps)('the map in systems/%s/README.md names what there is', (system) => {
  const names = namesInMap(page(`systems/${system}/README.md`).text)
  expect(names.length).toBeGreaterThan(5)
  const unknown = names.filter((name) => {
    if (/\.(ts|sql)$/.test(name)) return !code.some((file) => `/${file}`.endsWith(`/${name}`))
    return /^[A-Za-z_]\w*$/.test(name) && !words.has(name)
  })
  expect(unknown).toEqual([])
})
