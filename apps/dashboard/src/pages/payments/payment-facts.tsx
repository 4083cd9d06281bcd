import { CopyId } from '../../parts/copy-id.tsx'
import { KeyValue } from '../../parts/key-value.tsx'
import { Money } from '../../parts/money.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { PAYMENT_ROLES, type GatewayTransaction, type Payment } from './payment.ts'

interface PaymentFactsProps {
  readonly payment: Payment
  readonly transactions: readonly GatewayTransaction[]
}

/** What is known of a payment, and what makes it happen once. */
export function PaymentFacts({ payment, transactions }: PaymentFactsProps) {
  const { id, status, amount, currency, gatewayRef } = payment
  const charge = transactions.find(({ type }) => type === 'charge')
  const refund = transactions.findLast(({ type }) => type === 'refund')
  return (
    <KeyValue
      facts={{
        State: <StateBadge state={status} role={PAYMENT_ROLES[status]} />,
        Amount: <Money minor={amount} currency={currency} />,
        Id: <CopyId id={id} />,
        'Your id': payment.externalPaymentId ?? undefined,
        For: payment.description ?? undefined,
        'Gateway reference':
          gatewayRef === null ? '–' : <CopyId id={gatewayRef} what="reference" />,
        'Charge key':
          charge === undefined ? undefined : <CopyId id={charge.gatewayKey} what="gateway key" />,
        'Refund key':
          refund === undefined ? undefined : <CopyId id={refund.gatewayKey} what="gateway key" />,
        'Repeated request':
          charge?.status === 'pending'
            ? 'must wait: the first one is in progress'
            : 'with the same Idempotency-Key gets the same answer, and charges nothing',
        Created: <Time at={payment.createdAt} clock="business" />,
        Settled:
          payment.settledAt === null ? undefined : <Time at={payment.settledAt} clock="business" />,
        Refunded:
          payment.refundedAt === null ? undefined : (
            <Time at={payment.refundedAt} clock="business" />
          ),
        By: payment.userId,
      }}
    />
  )
}
