/** Words by which a person says whether messages may come, as configured. */
export interface Keywords {
  readonly optOut: ReadonlySet<string>
  readonly optIn: ReadonlySet<string>
}

/** Reads lists with commas between the words. */
export function keywordsOf(lists: { optOut: string; optIn: string }): Keywords {
  const setOf = (list: string) =>
    new Set(
      list
        .split(',')
        .map(plainWord)
        .filter((word) => word !== ''),
    )
  return { optOut: setOf(lists.optOut), optIn: setOf(lists.optIn) }
}

/** No such word is longer. */
const LONGEST = 100

/** What a text says about consent; only if it is such a word and nothing else. */
export function meaningOf(text: string, { optOut, optIn }: Keywords): 'out' | 'in' | undefined {
  if (text.length > LONGEST) return undefined
  const word = plainWord(text)
  if (optOut.has(word)) return 'out'
  return optIn.has(word) ? 'in' : undefined
}

/** Without accents, in upper case, without the spaces around it. */
function plainWord(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toUpperCase().trim()
}
