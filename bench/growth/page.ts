import { readFile, writeFile } from 'node:fs/promises'
import { AXES, pointName, POINTS, STORAGES, type Axis } from './points.ts'
import type { GrowthResults } from './growth.bench.ts'
import { plot, type Series } from './plot.ts'
import { cell, type Line } from '../kit/report.ts'

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

function notMeasured(axis: Axis): string {
  return `Not measured yet: \`npm run bench -- growth --only ${axis}/\` does it.`
}

/** Draws every axis that has results, and puts plot and table into the page between its marks. */
export async function renderGrowth(results: GrowthResults, folder: URL): Promise<void> {
  const page = new URL('README.md', folder)
  let text = await readFile(page, 'utf8').catch(() => '')
  for (const axis of AXES) {
    const lines = linesOf(results, axis)
    if (lines.length === 0) {
      text = between(text, axis, notMeasured(axis))
      continue
    }
    const drawn = DRAWN[axis]
    const svg = plot({ ...drawn, series: seriesOf(axis, lines, drawn) })
    await writeFile(new URL(`${axis}.svg`, folder), svg)
    const image = `![${drawn.y} by ${drawn.x || axis}](${axis}.svg)`
    text = between(text, axis, `${image}\n\n${table(lines)}`)
  }
  const machine = Object.entries(results.machine).map(([setting, value]) => ({ setting, value }))
  text = between(text, 'machine', table(machine))
  if (text !== '') await writeFile(page, text)
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

/** Replaces what stands between two marks; a page without them stays as it is. */
function between(text: string, name: string, inside: string): string {
  const [from, to] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const [start, end] = [text.indexOf(from), text.indexOf(to)]
  if (start < 0 || end < start) return text
  return `${text.slice(0, start + from.length)}\n\n${inside}\n\n${text.slice(end)}`
}

/** A Markdown table as Prettier has it. */
function table(lines: readonly Line[]): string {
  const columns = Object.keys(lines[0] ?? {})
  const isNumber = columns.map((column) => lines.every((line) => typeof line[column] === 'number'))
  const rows = [
    columns.map((column) => column.replaceAll(/[A-Z]/g, (c) => ` ${c.toLowerCase()}`)),
    ...lines.map((line) => columns.map((column) => cell(line[column]))),
  ]
  const widths = columns.map((_, i) => Math.max(3, ...rows.map((row) => row[i]?.length ?? 0)))
  const write = (cells: readonly string[]) =>
    `| ${cells.map((text, i) => (isNumber[i] ? text.padStart(widths[i] ?? 0) : text.padEnd(widths[i] ?? 0))).join(' | ')} |`
  const rule = widths.map((width, i) =>
    isNumber[i] ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width),
  )
  const [head = [], ...body] = rows
  return [write(head), write(rule), ...body.map(write)].join('\n')
}
