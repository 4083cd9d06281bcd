import { Group, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import {
  ActButton,
  ActionForm,
  dataOf,
  DialogButton,
  formatMoney,
  MoneyInput,
  newId,
  post,
  useAction,
  useApi,
} from '@posthorn/dashboard/kit'
import type { GatewayTransaction, Payment } from './payment.ts'

interface ActionsProps {
  readonly payment: Payment
  readonly transactions: readonly GatewayTransaction[]
}

/** Captures or voids an authorised payment; refunds any other. */
export function PaymentActions({ payment, transactions }: ActionsProps) {
  return payment.authorisation === 'authorised' ? (
    <HeldPayment payment={payment} />
  ) : (
    <Refund payment={payment} transactions={transactions} />
  )
}

/** The answer if another user has to approve. */
type Proposed = { readonly proposedBy: string }

interface AmountFormProps<Done> {
  /** Where it goes: `capture`, `refunds`. */
  readonly path: 'capture' | 'refunds'
  readonly payment: Payment
  readonly most: number
  /** `Capture`, as its button says it. */
  readonly verb: string
  /** What the amount is a part of: `left`. */
  readonly of: string
  readonly done: (answer: Done, money: string) => string
  readonly tone?: 'danger'
  readonly onClose: () => void
  /** What it means to take so much. */
  readonly children: (amount: number) => ReactNode
}

/** All of an amount, or a part of it. */
function AmountForm<Done extends object>(props: AmountFormProps<Done>) {
  const { path, most, verb, of, done, tone, onClose, children } = props
  const { id, currency } = props.payment
  const api = useApi()
  // One key for each amount: a second press does not ask twice.
  const [{ amount, key }, setWish] = useState(() => ({
    amount: most as number | undefined,
    key: newId(),
  }))
  const money = formatMoney(amount ?? 0, currency)
  const act = useAction({
    run: () => {
      const params = { path: { id }, header: { 'idempotency-key': key } }
      const body = { amount: amount ?? 0 }
      const answer = api.POST(`/api/v1/payments/{id}/${path}`, { params, body })
      return dataOf<Done | Proposed>(answer as Promise<{ data?: Done | Proposed }>)
    },
    done: (answer) =>
      'proposedBy' in answer
        ? `${verb} of ${money} proposed: another user has to approve it.`
        : done(answer, money),
    changes: ['payments'],
  })
  return (
    <ActionForm
      action={act}
      onClose={onClose}
      verb={`${verb} ${money}`}
      tone={tone}
      disabled={amount === undefined}
    >
      <MoneyInput
        label="Amount"
        currency={currency}
        initial={most}
        most={most}
        description={`${formatMoney(most, currency)} ${of}.`}
        onChange={(value) => setWish({ amount: value, key: newId() })}
      />
      {children(amount ?? most)}
    </ActionForm>
  )
}

/** Captures authorised money, all or a part of it, or voids it. */
function HeldPayment({ payment }: { payment: Payment }) {
  const [key] = useState(newId)
  const { id, amount: held, currency } = payment
  const money = formatMoney(held, currency)
  return (
    <Group gap="xs">
      <DialogButton to="write" label="Capture" title="Capture">
        {(close) => (
          <AmountForm
            path="capture"
            payment={payment}
            most={held}
            verb="Capture"
            of="authorised"
            done={(_, taken) => `${taken} captured.`}
            onClose={close}
          >
            {(amount) =>
              amount < held && (
                <Text size="sm">The rest is released and cannot be captured later.</Text>
              )
            }
          </AmountForm>
        )}
      </DialogButton>
      <ActButton
        label="Void"
        title="Void"
        verb={`Void ${money}`}
        tone="danger"
        run={() =>
          post('/api/v1/payments/{id}/void', { path: { id }, header: { 'idempotency-key': key } })
        }
        done={(answer) =>
          'proposedBy' in answer
            ? `Release of ${money} proposed: another user has to approve it.`
            : `${money} released.`
        }
        changes={['payments']}
      >
        {money} is released to the customer. Nothing is charged, and this cannot be undone.
      </ActButton>
    </Group>
  )
}

const WHY_NOT: Readonly<Record<Payment['status'], string>> = {
  pending: 'Refundable once it has succeeded.',
  succeeded: 'Refundable.',
  failed: 'Nothing was charged: no refund possible.',
  refunded: 'Refunded in full.',
}

/** Refunds what is left of a payment, or a part of it; or says why that is not possible. */
function Refund({ payment, transactions }: ActionsProps) {
  const { currency, status } = payment
  const amount = payment.capturedAmount ?? payment.amount
  const asked = transactions.filter((each) => each.type === 'refund' && each.status !== 'failed')
  const rest = asked.reduce((sum, each) => sum - each.amount, amount)
  const left = Math.max(0, rest - payment.disputedAmount)
  if (status === 'succeeded' && rest > 0 && left === 0) {
    return (
      <Text size="sm" c="dimmed">
        Disputed or lost: the bank has taken it back, and a refund would give it a second time.
      </Text>
    )
  }
  if (status !== 'succeeded' || left <= 0) {
    return (
      <Text size="sm" c="dimmed">
        {asked.length > 0 && status === 'succeeded' ? 'Refund requested.' : WHY_NOT[status]}
      </Text>
    )
  }
  return (
    <Group gap="xs">
      <DialogButton to="write" variant="default" label="Refund" title="Refund">
        {(close) => (
          <AmountForm<Pick<GatewayTransaction, 'gatewayRef' | 'status'>>
            path="refunds"
            payment={payment}
            most={left}
            verb="Refund"
            of="left"
            tone="danger"
            done={({ gatewayRef, status: now }, money) =>
              `Refund of ${money} requested: ${gatewayRef ?? now}.`
            }
            onClose={close}
          >
            {() => <Text size="sm">This cannot be undone.</Text>}
          </AmountForm>
        )}
      </DialogButton>
      {left < amount && (
        <Text size="sm" c="dimmed">
          {formatMoney(left, currency)} of {formatMoney(amount, currency)} left
        </Text>
      )}
    </Group>
  )
}
