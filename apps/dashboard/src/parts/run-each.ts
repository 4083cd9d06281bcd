import { formatCount } from '../format/number.ts'
import { sentenceOf } from './use-action.ts'

/** What became of many rows. */
export interface Each<Row> {
  readonly done: number
  /** The others, each with why it was not, as a sentence. */
  readonly refused: readonly { readonly row: Row; readonly reason: string }[]
}

/** Rows that one click does something with at the most: each costs a request. */
export const MOST_AT_ONCE = 500

/** One after the other: what one row is refused for does not keep the others. */
export async function runEach<Row>(
  rows: readonly Row[],
  run: (row: Row) => Promise<unknown>,
): Promise<Each<Row>> {
  const refused: { row: Row; reason: string }[] = []
  const begun = rows.slice(0, MOST_AT_ONCE)
  for (const row of begun) {
    try {
      await run(row)
    } catch (error) {
      refused.push({ row, reason: sentenceOf(error) })
    }
  }
  const done = begun.length - refused.length
  // Nothing at all: the dialog stays open and says why.
  if (done === 0 && refused.length > 0) {
    throw new Error([...new Set(refused.map(({ reason }) => reason))].join(' · '))
  }
  return { done, refused }
}

/** `7 messages cancelled.`, or also how many were not. */
export function eachText(
  { done, refused }: Each<unknown>,
  words: { readonly nouns: readonly [one: string, many: string]; readonly past: string },
): string {
  const what = `${formatCount(done)} ${words.nouns[done === 1 ? 0 : 1]} ${words.past}`
  return refused.length === 0 ? `${what}.` : `${what}, ${formatCount(refused.length)} not:`
}
