import { Group, Text } from '@mantine/core'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { formatMoney } from '../../format/money.ts'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { useAction } from '../../parts/use-action.ts'
import { newKey, type GatewayTransaction, type Payment } from './payment.ts'

interface RefundButtonProps {
  readonly payment: Payment
  readonly transactions: readonly GatewayTransaction[]
}

/** Gives back what is left of a payment, or says why that cannot be. */
export function RefundButton({ payment, transactions }: RefundButtonProps) {
  const api = useApi()
  const { id, amount, currency, status } = payment
  const asked = transactions.filter((each) => each.type === 'refund' && each.status !== 'failed')
  const left = asked.reduce((rest, each) => rest - each.amount, amount)
  const money = formatMoney(left, currency)
  const refund = useAction({
    run: () =>
      dataOf(
        api.POST('/api/v1/payments/{id}/refunds', {
          // Never more than is left, under any key: after a refusal another key may try again.
          params: { path: { id }, header: { 'idempotency-key': newKey() } },
          body: { amount: left },
        }),
      ),
    done: (answer) => `Refund of ${money} requested: ${answer.gatewayRef ?? answer.status}.`,
    changes: ['payments'],
  })
  if (status === 'succeeded' && left > 0) {
    return (
      <Group>
        <ConfirmButton
          label="Refund"
          title={`Refund ${money}?`}
          verb={`Refund ${money}`}
          tone="danger"
          onConfirm={() => refund.mutateAsync(undefined)}
        >
          The whole remaining amount. This cannot be undone.
        </ConfirmButton>
      </Group>
    )
  }
  return (
    <Text size="sm" c="dimmed">
      {asked.length > 0 ? 'Refund requested.' : WHY_NOT[status]}
    </Text>
  )
}

const WHY_NOT: Readonly<Record<Payment['status'], string>> = {
  pending: 'Refundable once it has succeeded.',
  succeeded: 'Refundable.',
  failed: 'Nothing was charged: no refund possible.',
  refunded: 'Refunded.',
}
