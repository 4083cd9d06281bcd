import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { newId } from '../../api/new-id.ts'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { useAction } from '../../parts/use-action.ts'
import { samplePayments, sampleStatement } from './sample.ts'

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
