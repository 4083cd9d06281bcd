export interface Line {
  readonly text: string
  readonly kind: 'command' | 'output' | 'kill'
  readonly atMs: number
}

const ROW = 22
const WIDTH = 480
const PAUSE_MS = 5_000
/** A process that starts is nothing to look at: longer waits are cut to this. */
const LONGEST_MS = 1_300
const COLOURS = { command: '#e6edf3', output: '#8ddb8c', kill: '#ff7b72' }

/** A recording of a terminal as an SVG: each line appears when it was printed, then all begins again. */
export function renderTerminal(lines: readonly Line[]): string {
  const times: number[] = []
  for (const [i, { atMs }] of lines.entries()) {
    const waitMs = i === 0 ? 0 : atMs - (lines[i - 1]?.atMs ?? 0)
    times.push((times.at(-1) ?? 0) + Math.min(waitMs, LONGEST_MS))
  }
  const wholeMs = (times.at(-1) ?? 0) + PAUSE_MS
  const height = lines.length * ROW + 32
  const shown = lines.map(({ text, kind }, i) => {
    const percent = (((times[i] ?? 0) / wholeMs) * 100).toFixed(2)
    const frames = `@keyframes l${i} { 0%, ${percent}% { opacity: 0 } ${percent}1%, 100% { opacity: 1 } }`
    const words = `<text class="l${i}" x="20" y="${i * ROW + 32}" fill="${COLOURS[kind]}">${escapeXml(text)}</text>`
    const play = `.l${i} { animation: l${i} ${wholeMs}ms infinite }`
    return { words, style: i === 0 ? '' : `${frames} ${play}` }
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="A recording of a terminal">
<style>
text { font: 15px ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace; white-space: pre }
${shown.map(({ style }) => style).join('\n')}
@media (prefers-reduced-motion: reduce) { text { animation: none !important } }
</style>
<rect width="${WIDTH}" height="${height}" rx="8" fill="#0d1117"/>
${shown.map(({ words }) => words).join('\n')}
</svg>
`
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
