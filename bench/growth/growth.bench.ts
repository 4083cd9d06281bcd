import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { cpus, loadavg, totalmem } from 'node:os'
import { AXES, pointName, POINTS, type Point } from './points.ts'
import { renderGrowth } from './page.ts'
import { inDatabase, progress } from '../kit/harness.ts'
import type { Options } from '../kit/options.ts'
import type { Server } from '../kit/postgres.ts'
import type { Line, Report } from '../kit/report.ts'

/** Where results, plots and tables go. */
const FOLDER = new URL('../../docs/operate/performance/', import.meta.url)
const RESULTS = new URL('growth.json', FOLDER)

/** What was measured at one point. */
export interface PointResult {
  readonly on: string
  readonly loadBefore: string
  readonly lines: readonly Line[]
}

/** All that is known so far; a run goes on where the last one stopped. */
export interface GrowthResults {
  readonly machine: Readonly<Record<string, string>>
  readonly points: Readonly<Record<string, PointResult>>
}

/** As a real database: vacuum is part of what a transaction held open prevents. */
export const serverSettings = { autovacuum: 'on', autovacuum_naptime: '5s' }

/** How cost grows, one axis at a time. Points that have a result are not measured again. */
export async function runBench(server: Server, options: Options, report: Report): Promise<void> {
  await mkdir(FOLDER, { recursive: true })
  const known = await readResults()
  const machine = {
    ...{ processor: cpus()[0]?.model ?? '?', cores: String(cpus().length) },
    memory: `${Math.round(totalmem() / 2 ** 30)} GB`,
    ...{ node: process.version, ...server.settings },
  }
  const kept = options.again ? without(known.points, options.only) : known.points
  let results: GrowthResults = { machine, points: kept }
  const wanted = POINTS.filter((point) => pointName(point).includes(options.only))
  for (const [i, point] of wanted.entries()) {
    const name = pointName(point)
    if (results.points[name]) continue
    progress(`${i + 1} of ${wanted.length}: ${name}`)
    results = withPoint(results, name, await measure(server, point, options))
    await writeFile(RESULTS, `${JSON.stringify(results, undefined, 2)}\n`)
    await renderGrowth(results, FOLDER)
  }
  for (const axis of AXES) {
    const lines = POINTS.filter((point) => point.axis === axis).flatMap((point) =>
      (results.points[pointName(point)]?.lines ?? []).map((line) => ({
        ...{ storage: point.storage, value: String(point.value), ...line },
      })),
    )
    report.table(axis, lines)
  }
}

async function measure(server: Server, point: Point, options: Options): Promise<PointResult> {
  const loadBefore = (loadavg()[0] ?? 0).toFixed(1)
  const lines = await inDatabase(server, (database) => point.measure(database, options))
  progress(`  ${JSON.stringify(lines.at(-1))}`)
  return { on: new Date().toISOString().slice(0, 10), loadBefore, lines }
}

function withPoint(results: GrowthResults, name: string, result: PointResult): GrowthResults {
  return { ...results, points: { ...results.points, [name]: result } }
}

function without(points: GrowthResults['points'], only: string): GrowthResults['points'] {
  return Object.fromEntries(Object.entries(points).filter(([name]) => !name.includes(only)))
}

async function readResults(): Promise<GrowthResults> {
  const text = await readFile(RESULTS, 'utf8').catch(() => undefined)
  return text === undefined ? { machine: {}, points: {} } : (JSON.parse(text) as GrowthResults)
}
