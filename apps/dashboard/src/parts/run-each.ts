import { formatCount } from '../format/number.ts'
import { sentenceOf } from './use-action.ts'

/** What became of many rows. */
export interface Each {
  readonly done: number
  /** Why one of them was not, as a sentence; undefined if all were. */
  readonly failed: { readonly count: number; readonly reason: string } | undefined
}

/** Rows that one click does something with at the most: each costs a request. */
export const MOST_AT_ONCE = 500

/** One after the other: what one row is refused for does not keep the others. */
export async function runEach<Row>(
  rows: readonly Row[],
  run: (row: Row) => Promise<unknown>,
): Promise<Each> {
  let done = 0
  let count = 0
  let reason: string | undefined
  for (const row of rows.slice(0, MOST_AT_ONCE)) {
    try {
      await run(row)
      done += 1
    } catch (error) {
      count += 1
      reason ??= sentenceOf(error)
    }
  }
  // Nothing at all: the dialog stays open and says why.
  if (done === 0 && reason !== undefined) throw new Error(reason)
  return { done, failed: reason === undefined ? undefined : { count, reason } }
}

/** `7 messages cancelled.`, or also how many were not, and why. */
export function eachText(
  { done, failed }: Each,
  words: { readonly nouns: readonly [one: string, many: string]; readonly past: string },
): string {
  const what = `${formatCount(done)} ${words.nouns[done === 1 ? 0 : 1]} ${words.past}`
  return failed === undefined
    ? `${what}.`
    : `${what}, ${formatCount(failed.count)} not: ${failed.reason}`
}
