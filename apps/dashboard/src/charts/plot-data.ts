/** One line of a plot, with a number for each stretch; null where nothing is known. */
export interface PlotSeries {
  readonly id: string
  readonly label: string
  /** A colour of the theme: `teal`. */
  readonly color: string
  readonly values: readonly (number | null)[]
}

/** Something that was done and may explain a change. */
export interface PlotMark {
  readonly at: number
  readonly text: string
}

/** The times of a plot: stretches of one length; the last one still runs. */
export interface PlotTimes {
  readonly from: number
  readonly stretchMs: number
  readonly count: number
  readonly now: number
}

export interface Stretch {
  readonly from: number
  readonly until: number
  /** It is not over: what was counted in it is not all. */
  readonly isRunning: boolean
}

export function stretchAt({ from, stretchMs, count, now }: PlotTimes, index: number): Stretch {
  const start = from + index * stretchMs
  return { from: start, until: start + stretchMs, isRunning: index === count - 1 && now > start }
}

/** A stretch as the filter of a list has it. */
export function filterOf({ from, until }: Stretch): { since: string; until: string } {
  return { since: new Date(from).toISOString(), until: new Date(until).toISOString() }
}

/** How long a stretch has lasted, in seconds: the running one is shorter than the others. */
function secondsOf(times: PlotTimes, index: number): number {
  const { from, until, isRunning } = stretchAt(times, index)
  return Math.max(1, (isRunning ? times.now - from : until - from) / 1_000)
}

/** Counts of stretches as rates, the running one by the time it has lasted. */
export function ratesOf(
  counts: readonly number[],
  times: PlotTimes,
  per: 'second' | 'minute' = 'second',
): number[] {
  const factor = per === 'second' ? 1 : 60
  return counts.map((count, index) => (count / secondsOf(times, index)) * factor)
}

/** Each series put on those before it. */
export function stack(series: readonly PlotSeries[]): (readonly number[])[] {
  const tops: number[][] = []
  for (const { values } of series) {
    const below = tops.at(-1)
    tops.push(values.map((value, i) => (value ?? 0) + (below?.[i] ?? 0)))
  }
  return tops
}

/** The series with the most in them; what is left is put together as one. */
export function largest(series: readonly PlotSeries[], most: number): PlotSeries[] {
  const total = ({ values }: PlotSeries) => values.reduce<number>((sum, n) => sum + (n ?? 0), 0)
  const sorted = series
    .filter((each) => total(each) > 0)
    .toSorted((one, other) => total(other) - total(one))
  if (sorted.length <= most) return sorted
  const rest = sorted.slice(most - 1)
  const values = (rest[0]?.values ?? []).map((_, i) =>
    rest.reduce((sum, each) => sum + (each.values[i] ?? 0), 0),
  )
  const others = { id: 'others', label: `${rest.length} others`, color: 'gray', values }
  return [...sorted.slice(0, most - 1), others]
}

const MOST_CODES = 8

/** A series for each code, the most frequent ones; its colour is that of its place in the alphabet. */
export function codeSeries(codes: Readonly<Record<string, readonly number[]>>): PlotSeries[] {
  const sorted = Object.entries(codes).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return largest(
    sorted.map(([code, values], i) => ({ id: code, label: code, color: colorOf(i + 1), values })),
    MOST_CODES,
  )
}

/** Colours that users can distinguish, in this order. */
const PALETTE = [
  'blue',
  'orange',
  'teal',
  'grape',
  'cyan',
  'pink',
  'lime',
  'indigo',
  'yellow',
  'violet',
] as const

export function colorOf(index: number): string {
  return PALETTE[index % PALETTE.length] ?? 'gray'
}

const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const DAY = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
})

/** A time as a plot of this length says it. */
export function timeText(at: number, { stretchMs }: Pick<PlotTimes, 'stretchMs'>): string {
  return (stretchMs > 60_000 ? DAY : CLOCK).format(at)
}

/** What a plot shows, as a sentence. */
export function summaryOf(
  { title, series, times }: { title: string; series: readonly PlotSeries[]; times: PlotTimes },
  format: (value: number) => string,
): string {
  const parts = series.map(({ label, values }) => {
    const known = values.flatMap((value, i) => (value === null ? [] : [{ value, i }]))
    const peak = known.toSorted((one, other) => other.value - one.value)[0]
    const last = known.findLast(({ i }) => i < times.count - 1) ?? known.at(-1)
    if (peak === undefined || last === undefined) return `${label}: nothing`
    const when = timeText(stretchAt(times, peak.i).from, times)
    return `${label}: ${format(last.value)} last, ${format(peak.value)} at most at ${when}`
  })
  return `${title}. ${parts.length === 0 ? 'Nothing in this time' : parts.join('; ')}.`
}
