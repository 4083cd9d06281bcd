/** One line of a plot. */
export interface Series {
  readonly name: string
  /** Words stand side by side; numbers by their size, on a logarithmic scale where they span decades. */
  readonly points: readonly { readonly x: number | string; readonly y: number }[]
}

export interface Plot {
  readonly title: string
  readonly x: string
  readonly y: string
  readonly series: readonly Series[]
  /** Where the numbers of x are written, on a linear scale and without points; default at each point. */
  readonly ticks?: readonly number[]
}

const [WIDTH, HEIGHT] = [720, 360]
const AREA = { left: 80, right: 560, top: 48, bottom: 296 }
/** Users who see few colours distinguish them too, also by the shape of the point. */
const COLOURS = ['#2f6feb', '#d1550f', '#1a7f4e', '#8250df']
const STEPS = 4
/** From this factor between two numbers of x on, their scale is logarithmic. */
const WIDE = 8

/** A plot as SVG that reads on light and dark pages. */
export function plot({ title, x, y, series, ticks: own }: Plot): string {
  const xs = own ?? [...new Set(series.flatMap(({ points }) => points.map((point) => point.x)))]
  const top = niceTop(Math.max(0, ...series.flatMap(({ points }) => points.map((p) => p.y))))
  const place = placeOn(xs, own ? Infinity : WIDE)
  const height = (value: number) => AREA.bottom - (value / top) * (AREA.bottom - AREA.top)
  const grid = Array.from({ length: STEPS + 1 }, (_, i) => (top / STEPS) * i).map(
    (value) =>
      `<line class="grid" x1="${AREA.left}" x2="${AREA.right}" y1="${px(height(value))}" y2="${px(height(value))}"/>` +
      `<text x="${AREA.left - 8}" y="${px(height(value) + 4)}" text-anchor="end">${short(value)}</text>`,
  )
  const ticks = xs.map(
    (value) =>
      `<text x="${px(place(value))}" y="${AREA.bottom + 20}" text-anchor="middle">${escape(short(value))}</text>`,
  )
  const lines = series.map(({ name, points }, i) => {
    const colour = colourOf(i)
    const path = points.map((p) => `${px(place(p.x))},${px(height(p.y))}`)
    const dots = (own ? [] : points).map((p) => dot(i, px(place(p.x)), px(height(p.y))))
    const legend = AREA.top + 12 + i * 22
    return (
      `<polyline points="${path.join(' ')}" stroke="${colour}"/>${dots.join('')}` +
      dot(i, AREA.right + 20, legend - 4) +
      `<text x="${AREA.right + 32}" y="${legend}">${escape(name)}</text>`
    )
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escape(`${title}: ${y} by ${x}`)}">
<style>
  svg { background: #fff }
  text { font: 13px system-ui, sans-serif; fill: #24292f }
  .title { font-weight: 600; font-size: 15px }
  .grid { stroke: #d0d7de }
  polyline { fill: none; stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    svg { background: #0d1117 }
    text { fill: #e6edf3 }
    .grid { stroke: #30363d }
  }
</style>
<text class="title" x="${AREA.left}" y="24">${escape(title)}</text>
${grid.join('\n')}
${ticks.join('\n')}
${lines.join('\n')}
<text x="${(AREA.left + AREA.right) / 2}" y="${HEIGHT - 16}" text-anchor="middle">${escape(x)}</text>
<text x="${AREA.left}" y="${AREA.top - 10}" text-anchor="start">${escape(y)}</text>
</svg>
`
}

/** Several plots, one below the other, and a line about all of them. */
export function stack(plots: readonly string[], caption: string): string {
  const placed = plots.map((each, i) =>
    each.replace('<svg ', `<svg y="${i * HEIGHT}" width="${WIDTH}" height="${HEIGHT}" `),
  )
  const height = plots.length * HEIGHT
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height + 24}" role="img" aria-label="${escape(caption)}">
${placed.join('')}<text x="${AREA.left}" y="${height + 8}">${escape(caption)}</text>
</svg>
`
}

/** Logarithmic if the largest is `wide` times the smallest; zero has the place of the smallest tenth. */
function placeOn(xs: readonly (number | string)[], wide: number): (x: number | string) => number {
  const width = AREA.right - AREA.left - 48
  const from = AREA.left + 24
  const numbers = xs.filter((x) => typeof x === 'number')
  if (numbers.length < xs.length || numbers.length < 2) {
    return (x) => from + (width * xs.indexOf(x)) / Math.max(1, xs.length - 1)
  }
  const lowest = Math.min(...numbers.filter((x) => x > 0))
  const isWide = Math.max(...numbers) / lowest >= wide
  const scale = (x: number) => (isWide ? Math.log10(Math.max(x, lowest / 10)) : x)
  const [low, high] = [scale(Math.min(...numbers)), scale(Math.max(...numbers))]
  return (x) => from + (width * (scale(Number(x)) - low)) / (high - low)
}

function colourOf(i: number): string {
  return COLOURS[i % COLOURS.length] ?? ''
}

function dot(i: number, x: number, y: number): string {
  const colour = colourOf(i)
  if (i % 2 === 0) return `<circle cx="${x}" cy="${y}" r="4" fill="${colour}"/>`
  return `<rect x="${x - 4}" y="${y - 4}" width="8" height="8" fill="${colour}"/>`
}

/** The next round number above, so that the steps are round too. */
function niceTop(most: number): number {
  const size = 10 ** Math.floor(Math.log10(Math.max(most, 1)))
  return ([1, 2, 4, 8, 10].find((step) => step * size >= most) ?? 10) * size
}

/** 10000000 → 10M. */
function short(value: number | string): string {
  if (typeof value === 'string') return value
  if (value >= 1_000_000) return `${value / 1_000_000}M`
  return value >= 1_000 ? `${value / 1_000}k` : String(value)
}

function px(value: number): number {
  return Math.round(value * 10) / 10
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
