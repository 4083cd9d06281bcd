export interface SamplePayment {
  readonly externalPaymentId: string
  readonly amount: number
  readonly currency: string
}

/** Six payments of a sample, named after it so that no two samples meet. */
export function samplePayments(name: string): SamplePayment[] {
  return [1_299, 9_900, 4_590, 500, 15_000, 2_000].map((amount, n) => ({
    externalPaymentId: `${name}-${n + 1}`,
    amount,
    currency: 'EUR',
  }))
}

/**
 * What a bank might say of them: the first three as they are, the first once more, the fourth less a
 * fee, the fifth in another currency, the sixth not at all, and one without a payment.
 */
export function sampleStatement(payments: readonly SamplePayment[], day: string): string {
  const [first, second, third, fourth, fifth] = payments
  const lines = [
    first,
    second,
    third,
    first,
    fourth && { ...fourth, amount: fourth.amount - 15 },
    fifth && { ...fifth, currency: 'USD' },
    { externalPaymentId: 'unknown-to-us', amount: 777, currency: 'EUR' },
  ].filter((line) => line !== undefined)
  const rows = lines.map(
    ({ externalPaymentId: id, amount, currency }) =>
      `${id},${(amount / 100).toFixed(2)},${currency},${day}`,
  )
  return `external_transaction_id,amount,currency,date\n${rows.join('\n')}\n`
}
