import { differenceOf, type StatementBalance } from '../formats/findings.ts'

/** A statement of a file in one currency, and whether its balances tie out. */
export function statementResource(statement: StatementBalance) {
  const difference = differenceOf(statement)
  return {
    ...statement,
    difference: difference === null ? null : String(difference),
    ...why(statement, difference),
  }
}

/** In words, where they do not. */
function why({ opening, closing }: StatementBalance, difference: bigint | null) {
  if (difference === 0n) return { tiesOut: true, reason: null }
  if (difference !== null) {
    const more = difference > 0n ? 'more' : 'less'
    const size = difference < 0n ? -difference : difference
    const reason = `The closing balance is ${size} minor units ${more} than the opening balance and the entries.`
    return { tiesOut: false, reason }
  }
  const missing = [opening === null && 'opening', closing === null && 'closing']
  const names = missing.filter((name) => name !== false).join(' and no ')
  return { tiesOut: null, reason: `The file says no ${names} balance.` }
}
