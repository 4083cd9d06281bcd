/** One line of what is printed at the end. A line with a limit is a promise. */
export interface Line {
  readonly name: string
  readonly value: number | string
  /** What the value has to be; anything else fails the run. */
  readonly must?: number | string
  readonly atLeast?: number
  readonly atMost?: number
  /** No promise where the database was set back: to a moment of its log, or to a dump, which is more. */
  readonly notAfter?: 'moment' | 'dump'
}

export interface Ledger {
  readonly title: string
  readonly lines: readonly Line[]
  /** For a person to look at when a promise was broken. */
  readonly details?: readonly unknown[]
}

export function isBroken({ value, must, atLeast, atMost }: Line): boolean {
  if (must !== undefined && value !== must) return true
  return Number(value) < (atLeast ?? -Infinity) || Number(value) > (atMost ?? Infinity)
}

/** Whether every promise of a ledger held. */
export function isHeld({ lines }: Pick<Ledger, 'lines'>): boolean {
  return !lines.some(isBroken)
}

/** The same lines with what they are about before them. */
export function namedLines(about: string, lines: readonly Line[]): Line[] {
  return lines.map((line) => ({ ...line, name: `${about}: ${line.name}` }))
}

/** Only says what some of the lines say: no promise is broken by them. */
export function forgive({ lines, ...ledger }: Ledger, isForgiven: (line: Line) => boolean): Ledger {
  const said = lines.map((line) =>
    isForgiven(line) ? { name: line.name, value: line.value } : line,
  )
  return { ...ledger, lines: said }
}

export function printLedger({ title, lines, details = [] }: Ledger): void {
  const width = Math.max(...lines.map(({ name }) => name.length))
  console.log(`\n${title}\n${'─'.repeat(width + 30)}`)
  for (const line of lines) {
    console.log(`${line.name.padEnd(width)}  ${show(line.value).padStart(20)}${verdictOn(line)}`)
  }
  if (!isHeld({ lines })) for (const detail of details) console.log(JSON.stringify(detail))
}

function verdictOn(line: Line): string {
  const { must, atLeast, atMost } = line
  const wanted = [
    ...(must === undefined ? [] : [show(must)]),
    ...(atLeast === undefined ? [] : [`at least ${show(atLeast)}`]),
    ...(atMost === undefined ? [] : [`at most ${show(atMost)}`]),
  ]
  if (wanted.length === 0) return ''
  return isBroken(line) ? `  MUST BE ${wanted.join(', ')}` : '  ok'
}

function show(value: number | string): string {
  return typeof value === 'number' ? value.toLocaleString('en') : value
}

/** The given shares of times in milliseconds, as seconds: `[0.5, 1]` is median and maximum. */
export function spread(times: readonly number[], shares: readonly number[]): string {
  const sorted = [...times].sort((a, b) => a - b)
  if (sorted.length === 0) return 'none'
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? 0
  return `${shares.map((share) => (at(share) / 1_000).toFixed(2)).join(' / ')} s`
}
