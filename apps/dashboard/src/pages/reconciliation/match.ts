import type { PaymentSide, RecordDetails } from './run.ts'

type Side = Pick<PaymentSide, 'id' | 'amount' | 'currency'>

/** Payments to choose from: the record's nearest and those that are missing, in its currency. */
export function payable<Payment extends Side>(
  { payments, currency }: { payments: readonly Payment[] } & Pick<RecordDetails, 'currency'>,
  missing: readonly Payment[],
): Payment[] {
  const known = new Map([...payments, ...missing].map((payment) => [payment.id, payment]))
  return [...known.values()].filter((payment) => payment.currency === currency)
}

/** The payment that the last run found nearest, if it can be chosen: a first guess. */
export function firstGuess({
  history,
  ...record
}: Parameters<typeof payable>[0] & {
  history: readonly Pick<RecordDetails['history'][number], 'paymentId'>[]
}): string[] {
  const nearest = history[0]?.paymentId
  return payable(record, []).flatMap(({ id }) => (id === nearest ? [id] : []))
}

interface Chosen {
  readonly payments: readonly Pick<Side, 'amount'>[]
  readonly refunds: readonly Pick<Side, 'amount'>[]
}

/** What the record has more than payments less refunds, in minor units: a fee is negative. */
export function differenceOf(
  { amount }: Pick<RecordDetails, 'amount'>,
  { payments, refunds }: Chosen,
): number {
  const sum = (sides: Chosen['payments']) => sides.reduce((all, side) => all + side.amount, 0)
  return amount - sum(payments) + sum(refunds)
}
