import { PosthornError } from '@posthorn/engine'

/** Ids from `low` to `high`, both included. */
export type IdRange = readonly [low: bigint, high: bigint]

/** A set of ids: ranges in order, apart from one another. */
export type IdRanges = readonly IdRange[]

/** The last id that Postgres can give. */
export const LAST_ID = 2n ** 63n - 1n

/** A position has no more ranges than this: its text goes into an HTTP header. */
const POSITION_RANGES = 128

/** Single ids, in order, as a set. */
export function rangesOf(ids: readonly bigint[]): IdRanges {
  return joinRanges(
    ids.map((id) => [id, id]),
    0n,
  )
}

/** The ids of the one set that are not in the other. */
export function without(ids: IdRanges, gone: IdRanges): IdRanges {
  const left: IdRange[] = []
  let next = 0
  for (const [start, high] of ids) {
    let low = start
    while (next < gone.length && (gone[next] as IdRange)[1] < low) next += 1
    for (let at = next; at < gone.length && low <= high; at += 1) {
      const [from, to] = gone[at] as IdRange
      if (from > high) break
      if (from > low) left.push([low, from - 1n])
      low = to + 1n
    }
    if (low <= high) left.push([low, high])
  }
  return left
}

export function union(a: IdRanges, b: IdRanges): IdRanges {
  if (b.length === 0) return a
  return joinRanges(
    [...a, ...b].toSorted(([x], [y]) => (x < y ? -1 : Number(x > y))),
    0n,
  )
}

/** A larger set of fewer ranges: those with no more than so many ids between them become one. */
export function joinRanges(ids: IdRanges, between: bigint): IdRanges {
  const wide: [bigint, bigint][] = []
  for (const [low, high] of ids) {
    const last = wide.at(-1)
    if (last && low <= last[1] + 1n + between) last[1] = high > last[1] ? high : last[1]
    else wide.push([low, high])
  }
  return wide
}

export function hasId(ids: IdRanges, id: bigint): boolean {
  let [from, to] = [0, ids.length]
  while (from < to) {
    const half = (from + to) >>> 1
    if ((ids[half] as IdRange)[1] < id) from = half + 1
    else to = half
  }
  const range = ids[from]
  return range !== undefined && range[0] <= id
}

/** The ranges that end: what is still missing among older ids. */
export function gapsOf(ids: IdRanges): IdRanges {
  return ids.filter(([, high]) => high < LAST_ID)
}

/**
 * What is still wanted, as a word for the outside: the gaps, then where the rest begins. With too
 * many gaps it asks for more than is missing, never for less.
 */
export function toPosition(wanted: IdRanges): string {
  let ranges = wanted
  for (let between = 1n; ranges.length > POSITION_RANGES; between *= 2n) {
    ranges = joinRanges(ranges, between)
  }
  const word = (id: bigint) => id.toString(36)
  return ranges
    .map(([low, high]) => {
      if (high === LAST_ID || low === high) return word(low)
      return `${word(low)}-${word(high)}`
    })
    .join('.')
}

/** What a position stands for; throws `CURSOR_INVALID` if `toPosition` cannot have made it. */
export function fromPosition(position: string): IdRanges {
  const words = position.split('.')
  const ranges = words.map((each, at): IdRange => {
    const match = /^([0-9a-z]{1,13})(?:-([0-9a-z]{1,13}))?$/.exec(each)
    const isLast = at === words.length - 1
    if (!match || (isLast && match[2] !== undefined)) throw new PosthornError('CURSOR_INVALID')
    const low = idOf(match[1] as string)
    return [low, isLast ? LAST_ID : idOf(match[2] ?? (match[1] as string))]
  })
  const inOrder = ranges.every(
    ([low, high], at) => low <= high && (at === 0 || low > (ranges[at - 1] as IdRange)[1]),
  )
  if (!inOrder || ranges.length > POSITION_RANGES) throw new PosthornError('CURSOR_INVALID')
  return ranges
}

function idOf(word: string): bigint {
  const id = Array.from(word).reduce(
    (sum, digit) => sum * 36n + BigInt(Number.parseInt(digit, 36)),
    0n,
  )
  if (id > LAST_ID) throw new PosthornError('CURSOR_INVALID')
  return id
}
