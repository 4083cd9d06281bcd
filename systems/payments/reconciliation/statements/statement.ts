import { PageQuery, pageOf } from '@posthorn/http'
import { Type } from 'typebox'
import { differenceOf, type StatementBalance } from '../formats/findings.ts'

const Nullable = Type.Union([Type.String(), Type.Null()])
const NullableInteger = Type.Union([Type.Integer(), Type.Null()])

export const StatementResource = Type.Object({
  number: Type.Integer({ description: 'which one of the file, from 1' }),
  currency: Type.String(),
  statementId: Type.String({ description: 'as the bank calls it' }),
  account: Nullable,
  firstLine: NullableInteger,
  lastLine: NullableInteger,
  entries: Type.Integer(),
  booked: Type.String({ description: 'what the entries add up to, in minor units' }),
  opening: Nullable,
  closing: Nullable,
  difference: Type.Union([Type.String(), Type.Null()], {
    description: 'the closing balance less the opening one and the entries, in minor units',
  }),
  tiesOut: Type.Union([Type.Boolean(), Type.Null()], {
    description: 'null where the file does not say both balances',
  }),
  reason: Type.Union([Type.String(), Type.Null()], { description: 'why not, in words' }),
})

export const listStatements = {
  tags: ['reconciliation'],
  summary: 'The statements of a file, and whether their balances tie out',
  description:
    'Of a camt.053 or MT940 file, by statement and currency: opening balance + entries = closing balance, or the difference. CSV has none.',
  params: Type.Object({ id: Type.String({ format: 'uuid' }) }),
  querystring: Type.Object({
    limit: PageQuery.properties.limit,
    cursor: PageQuery.properties.cursor,
  }),
  response: { 200: pageOf(StatementResource) },
}

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
