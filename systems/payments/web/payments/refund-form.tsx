import { Group, Modal, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import {
  ActionForm,
  dataOf,
  formatMoney,
  MoneyInput,
  PermittedButton,
  useAction,
  useApi,
} from '@posthorn/dashboard/kit'
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
  const change = (value: number | undefined) => {
    setAmount(value)
    setKey(newKey())
  }
  return (
    <ActionForm
      action={refund}
      onClose={onClose}
      verb={`Refund ${money}`}
      tone="danger"
      disabled={amount === undefined}
    >
      <MoneyInput
        label="Amount"
        currency={currency}
        initial={left}
        most={left}
        description={`${formatMoney(left, currency)} left.`}
        onChange={change}
      />
      <Text size="sm">This cannot be undone.</Text>
    </ActionForm>
  )
}
