import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type SubmitEvent, useState } from 'react'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { formatMoney } from '../../format/money.ts'
import { MoneyInput } from '../../parts/money-input.tsx'
import { sentenceOf, useAction } from '../../parts/use-action.ts'
import { PermittedButton } from '../../parts/permitted.tsx'
import { type GatewayTransaction, newKey, type Payment } from './payment.ts'

interface RefundButtonProps {
  readonly payment: Payment
  readonly transactions: readonly GatewayTransaction[]
}

const WHY_NOT: Readonly<Record<Payment['status'], string>> = {
  pending: 'Refundable once it has succeeded.',
  succeeded: 'Refundable.',
  failed: 'Nothing was charged: no refund possible.',
  refunded: 'Refunded in full.',
}

/** Gives a payment back, or a part of what is left of it; or says why that cannot be. */
export function RefundButton({ payment, transactions }: RefundButtonProps) {
  const [isOpen, { open, close }] = useDisclosure(false)
  const { currency, status } = payment
  const amount = payment.capturedAmount ?? payment.amount
  const asked = transactions.filter((each) => each.type === 'refund' && each.status !== 'failed')
  const left = asked.reduce((rest, each) => rest - each.amount, amount)
  if (status !== 'succeeded' || left <= 0) {
    return (
      <Text size="sm" c="dimmed">
        {asked.length > 0 && status === 'succeeded' ? 'Refund requested.' : WHY_NOT[status]}
      </Text>
    )
  }
  return (
    <Group gap="xs">
      <PermittedButton to="write" variant="default" onClick={open}>
        Refund
      </PermittedButton>
      {left < amount && (
        <Text size="sm" c="dimmed">
          {formatMoney(left, currency)} of {formatMoney(amount, currency)} left
        </Text>
      )}
      <Modal opened={isOpen} onClose={close} title="Refund">
        <RefundForm payment={payment} left={left} onClose={close} />
      </Modal>
    </Group>
  )
}

interface RefundFormProps {
  readonly payment: Payment
  readonly left: number
  readonly onClose: () => void
}

function RefundForm({ payment: { id, currency }, left, onClose }: RefundFormProps) {
  const api = useApi()
  const [amount, setAmount] = useState<number | undefined>(left)
  // One for each form: a second press does not refund twice.
  const [key, setKey] = useState(newKey)
  const money = formatMoney(amount ?? 0, currency)
  const refund = useAction({
    run: () =>
      dataOf(
        api.POST('/api/v1/payments/{id}/refunds', {
          params: { path: { id }, header: { 'idempotency-key': key } },
          body: { amount: amount ?? 0 },
        }),
      ),
    done: (answer) =>
      'proposedBy' in answer
        ? `Refund of ${money} proposed: another user has to approve it.`
        : `Refund of ${money} requested: ${answer.gatewayRef ?? answer.status}.`,
    changes: ['payments'],
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    refund.mutate(undefined, { onSuccess: onClose })
  }
  const change = (value: number | undefined) => {
    setAmount(value)
    setKey(newKey())
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <MoneyInput
          label="Amount"
          currency={currency}
          initial={left}
          most={left}
          description={`${formatMoney(left, currency)} left.`}
          onChange={change}
        />
        <Text size="sm">This cannot be undone.</Text>
        {refund.isError && (
          <Alert color="red" role="alert">
            {sentenceOf(refund.error)}
          </Alert>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={refund.isPending}>
            Cancel
          </Button>
          <Button
            type="submit"
            color="red.8"
            loading={refund.isPending}
            disabled={amount === undefined}
          >
            Refund {money}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
