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

/** What the record has more than the payments, in minor units: a fee is negative. */
export function differenceOf(
  { amount }: Pick<RecordDetails, 'amount'>,
  payments: readonly Pick<Side, 'amount'>[],
): number {
  return amount - payments.reduce((sum, payment) => sum + payment.amount, 0)
}
