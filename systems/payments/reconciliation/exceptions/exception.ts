import { Id, NullableText, nullable, resource, time } from '@posthorn/system'
import { Type } from 'typebox'
import { amountsOf, MATCHED, OPEN, percent, ReasonEnum, recordsOf, type Reason } from '../reason.ts'
import {
  paymentSide,
  PaymentSideResource,
  recordResource,
  RecordResource,
  type PaymentSide,
  type StatementRecord,
} from '../records/record.ts'
import type { DayTally } from './queries.ts'

interface OverviewInput {
  /** The last days, oldest first. */
  readonly days: readonly string[]
  readonly tallies: readonly DayTally[]
  readonly open: readonly OpenTally[]
}

/** What a dashboard shows of an organisation's reconciliations. */
export function overviewOf({ days, tallies, open }: OverviewInput) {
  const { tabs, ages } = countsOf(open, 0)
  return {
    ...figuresOf(tallies),
    openExceptions: tabs.all,
    staleExceptions: tabs.stale,
    ages,
    days: days.map((day) => ({ day, ...figuresOf(tallies.filter((each) => each.day === day)) })),
  }
}

/** Of files by the day of their last run. */
function figuresOf(tallies: readonly DayTally[]) {
  const total = tallies.reduce((sum, { records }) => sum + records, 0)
  const matched = recordsOf(tallies, MATCHED)
  return {
    total,
    matched,
    reconciliationRate: percent(matched, total),
    moneyMatched: amountsOf(tallies, MATCHED),
    moneyAtRisk: amountsOf(tallies, OPEN),
  }
}

const Side = Type.Union([Type.String(), Type.Number(), Type.Null()])

/** A record that a user has to look at, with the payment that comes nearest. */
export const ExceptionResource = Type.Object({
  reconciliationId: Id,
  filename: Type.String(),
  reason: ReasonEnum,
  note: NullableText,
  age: Type.String(),
  openedAt: time(),
  suggestions: Type.Integer(),
  record: RecordResource,
  payment: nullable(PaymentSideResource),
  differences: Type.Array(Type.Object({ field: Type.String(), record: Side, payment: Side })),
})

export interface ExceptionRow extends StatementRecord {
  readonly reason: Reason
  readonly filename: string
  readonly opened_at: Date
  readonly age_seconds: number
  readonly note: string | null
  readonly payment: (Omit<PaymentSide, 'created_at'> & { readonly created_at: string }) | null
  readonly suggestions: number
}

const DAY = 86_400

/** How long an exception has been open: from when its file came. */
export const AGES = ['<1d', '1-7d', '7-30d', '30d+'] as const
export type Age = (typeof AGES)[number]

export function ageOf(seconds: number): Age {
  if (seconds < DAY) return '<1d'
  if (seconds < 7 * DAY) return '1-7d'
  return seconds < 30 * DAY ? '7-30d' : '30d+'
}

export const TABS = ['all', 'needs_attention', 'awaiting', 'suggested', 'stale'] as const
export type Tab = (typeof TABS)[number]

/** Those where a person has something to decide: the bank or a payment says otherwise. */
const NEEDS_ATTENTION: readonly Reason[] = OPEN.filter((reason) => reason !== 'no_match')

const paymentOf = ({ payment }: ExceptionRow) =>
  payment && paymentSide({ ...payment, created_at: new Date(payment.created_at) })

export const exceptionResource = resource(ExceptionResource, {
  reconciliationId: (row: ExceptionRow) => row.run_id,
  age: (row) => ageOf(row.age_seconds),
  record: recordResource,
  payment: paymentOf,
  differences(row) {
    const payment = paymentOf(row)
    return payment === null ? [] : differencesOf(recordResource(row), payment)
  },
})

/** The fields on which both sides disagree. */
function differencesOf(
  record: ReturnType<typeof recordResource>,
  payment: ReturnType<typeof paymentSide>,
) {
  const pairs = [
    ['amount', record.amount, payment.amount] as const,
    ['currency', record.currency, payment.currency] as const,
    ['externalId', record.externalTransactionId, payment.externalPaymentId] as const,
  ]
  return pairs
    .filter(([, ours, theirs]) => ours !== theirs)
    .map(([field, ours, theirs]) => ({ field, record: ours, payment: theirs }))
}

/** Open records of one file and reason. */
export interface OpenTally {
  readonly reason: Reason
  readonly currency: string
  readonly records: number
  readonly amount: string
  readonly age_seconds: number
}

/** How many there are of each reason and age, and on each tab. */
export function countsOf(tallies: readonly OpenTally[], suggested: number) {
  const count = (wanted: (tally: OpenTally) => boolean) =>
    tallies.filter(wanted).reduce((sum, { records }) => sum + records, 0)
  const by = <Name extends string>(names: readonly Name[], nameOf: (tally: OpenTally) => Name) =>
    Object.fromEntries(names.map((name) => [name, count((tally) => nameOf(tally) === name)]))
  const stale = (tally: OpenTally) => tally.age_seconds >= 7 * DAY
  return {
    tabs: {
      all: count(() => true),
      needs_attention: count(({ reason }) => NEEDS_ATTENTION.includes(reason)),
      awaiting: count((tally) => tally.reason === 'no_match' && !stale(tally)),
      suggested,
      stale: count(stale),
    },
    reasons: by(OPEN, ({ reason }) => reason),
    ages: by(AGES, ({ age_seconds: seconds }) => ageOf(seconds)),
  }
}
