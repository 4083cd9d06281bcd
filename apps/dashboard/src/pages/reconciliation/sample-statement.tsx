import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { newId } from '../../api/new-id.ts'
import { ConfirmButton } from '../../parts/confirm.tsx'
import { useAction } from '../../parts/use-action.ts'

interface SamplePayment {
  readonly externalPaymentId: string
  readonly amount: number
  readonly currency: string
}

/** Six payments of a sample, named after it so that no two samples meet. */
function samplePayments(name: string): SamplePayment[] {
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
function sampleStatement(payments: readonly SamplePayment[], day: string): string {
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

/** Makes a few payments at the simulated gateway and a statement that nearly fits them. */
export function SampleStatement({ onFile }: { onFile: (file: File) => void }) {
  const api = useApi()
  const make = useAction({
    run: async () => {
      const today = new Date().toISOString().slice(0, 10)
      const name = `sample-${newId().slice(0, 8)}`
      const payments = samplePayments(name)
      for (const body of payments) {
        const params = { header: { 'idempotency-key': body.externalPaymentId } }
        await dataOf(api.POST('/api/v1/payments', { params, body }))
      }
      const csv = sampleStatement(payments, today)
      return new File([csv], `${name}.csv`, { type: 'text/csv' })
    },
    done: () => 'Six payments created; their statement is ready to upload.',
    changes: ['payments'],
  })
  return (
    <ConfirmButton
      to="write"
      label="Try with a sample"
      title="Create 6 payments and their statement?"
      verb="Create 6 payments"
      onConfirm={async () => onFile(await make.mutateAsync(undefined))}
    >
      The simulated gateway takes six small payments. The statement has three of them as they are,
      one with a fee taken off, one in another currency, one twice, and a line without a payment;
      one payment is missing in it.
    </ConfirmButton>
  )
}
