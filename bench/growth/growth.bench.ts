import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { cpus, loadavg, totalmem } from 'node:os'
import { AXES, POINTS, STORAGES, pointName, type Axis, type Point } from './points.ts'
import { inDatabase, progress } from '../kit/harness.ts'
import type { Options } from '../kit/options.ts'
import type { Server } from '../kit/postgres.ts'
import type { Line, Report } from '../kit/report.ts'
import { plot, type Series } from '../../proof/kit/plot.ts'

/** Where results and plots go. */
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

/** How an axis is drawn. */
interface Drawn {
  readonly title: string
  readonly x: string
  readonly y: string
  readonly field: string
}

const DRAWN: Readonly<Record<Axis, Drawn>> = {
  backlog: rates('Messages waiting', 'messages waiting'),
  finished: rates('Finished rows in the table', 'finished rows'),
  keys: rates('Keys', 'keys'),
  relays: rates('Relays', 'relays, each a process'),
  payload: rates('Size of a payload', 'bytes a payload'),
  pooler: rates('Behind a pooler', ''),
  held: {
    title: 'A transaction held open at 800 messages a second',
    x: 'seconds since it was opened',
    y: 'dead tuples',
    field: 'deadTuples',
  },
}

function rates(title: string, x: string): Drawn {
  return { title, x, y: 'messages a second', field: 'perSecond' }
}

/** Draws every axis that has results. */
async function renderGrowth(results: GrowthResults, folder: URL): Promise<void> {
  for (const axis of AXES) {
    const lines = linesOf(results, axis)
    if (lines.length === 0) continue
    const drawn = DRAWN[axis]
    const svg = plot({ ...drawn, series: seriesOf(axis, lines, drawn) })
    await writeFile(new URL(`${axis}.svg`, folder), svg)
  }
}

function linesOf({ points }: GrowthResults, axis: Axis): Line[] {
  return POINTS.filter((point) => point.axis === axis).flatMap((point) =>
    (points[pointName(point)]?.lines ?? []).map((line) => ({
      ...{ storage: point.storage, [axis]: point.value, ...line },
    })),
  )
}

function seriesOf(axis: Axis, lines: readonly Line[], { field }: Drawn): Series[] {
  return STORAGES.flatMap((storage) => {
    const mine = lines.filter((line) => line['storage'] === storage)
    const byName = Map.groupBy(mine, (line) =>
      axis === 'held' ? `${storage}, ${String(line['held'])}` : storage,
    )
    return [...byName].map(([name, each]) => ({
      name,
      points: each.map((line) => ({
        x: axis === 'held' ? Number(line['untilSecond']) : (line[axis] as number | string),
        y: Number(line[field]),
      })),
    }))
  })
}
