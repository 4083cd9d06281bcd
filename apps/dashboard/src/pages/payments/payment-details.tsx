import { Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { CodeNote } from '../../codes/code-note.tsx'
import { formatMoney } from '../../format/money.ts'
import { storyOf } from './payment-story.ts'
import {
  type AuditEntry,
  type GatewayTransaction,
  newKey,
  type Payment,
  PAYMENT_ROLES,
} from './payment.ts'
import { ConfirmButton } from '../../parts/confirm.tsx'
import { CopyId } from '../../parts/copy-id.tsx'
import { Json } from '../../parts/json.tsx'
import { KeyValue } from '../../parts/key-value.tsx'
import { Money } from '../../parts/money.tsx'
import { QueryState } from '../../parts/query-state.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { Timeline } from '../../parts/timeline.tsx'
import { useAction } from '../../parts/use-action.ts'

/** A payment that waits is looked at so often: its webhook is on no stream. */
const WAITING_MS = 2_000

interface Whole {
  readonly payment: Payment
  readonly entries: readonly AuditEntry[]
  readonly transactions: readonly GatewayTransaction[]
}

/** One payment: where it is, how it came there, and its refund. */
export function PaymentDetails({ id }: { id: string }) {
  const api = useApi()
  const query = useQuery({
    queryKey: ['payments', 'one', id],
    queryFn: async ({ signal }): Promise<Whole> => {
      const params = { path: { id } }
      const [payment, audit, transactions] = await Promise.all([
        dataOf(api.GET('/api/v1/payments/{id}', { params, signal })),
        dataOf(
          api.GET('/api/v1/payments/{id}/audit', {
            params: { ...params, query: { limit: 100 } },
            signal,
          }),
        ),
        dataOf(api.GET('/api/v1/payments/{id}/transactions', { params, signal })),
      ])
      return { payment, entries: audit.items, transactions: transactions.items }
    },
    refetchInterval: ({ state: { data } }) => (data && isWaiting(data) ? WAITING_MS : false),
  })
  return <QueryState query={query}>{(whole) => <Details {...whole} />}</QueryState>
}

function isWaiting(whole: Whole): boolean {
  return storyOf(whole.payment, whole.entries, whole.transactions).at(-1)?.at === null
}

function Details({ payment, entries, transactions }: Whole) {
  return (
    <Stack gap="md">
      <RefundButton payment={payment} transactions={transactions} />
      <PaymentFacts payment={payment} transactions={transactions} />
      {payment.errorCode !== null && (
        <Stack gap={4}>
          <CodeNote code={payment.errorCode} />
          <Text size="sm" c="dimmed">
            {payment.errorMessage}
          </Text>
        </Stack>
      )}
      <Title order={3}>Timeline</Title>
      <Timeline entries={storyOf(payment, entries, transactions)} clock="business" />
      {payment.metadata !== null && (
        <>
          <Title order={3}>Metadata</Title>
          <Json value={payment.metadata} label="metadata" />
        </>
      )}
    </Stack>
  )
}

interface PaymentFactsProps {
  readonly payment: Payment
  readonly transactions: readonly GatewayTransaction[]
}

/** What is known of a payment, and what makes it happen once. */
function PaymentFacts({ payment, transactions }: PaymentFactsProps) {
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

interface RefundButtonProps {
  readonly payment: Payment
  readonly transactions: readonly GatewayTransaction[]
}

/** Gives back what is left of a payment, or says why that cannot be. */
function RefundButton({ payment, transactions }: RefundButtonProps) {
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
