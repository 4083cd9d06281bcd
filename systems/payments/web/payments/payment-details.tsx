import { Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import {
  AnchorLink,
  CodeNote,
  CopyId,
  dataOf,
  Json,
  KeyValue,
  Money,
  Part,
  QueryState,
  Related,
  StateBadge,
  Time,
  timeFact,
  Timeline,
  useApi,
} from '@posthorn/dashboard/kit'
import { PaymentActions } from './payment-actions.tsx'
import { type PaymentBooks, type Phase, storyOf } from './payment-story.ts'
import {
  AUTHORISATION_ROLES,
  type Dispute,
  DISPUTE_ROLES,
  type Payment,
  PAYMENT_ROLES,
  progressOf,
  type Refund,
} from './payment.ts'

/** A waiting payment is read this often: the event stream does not announce it. */
const WAITING_MS = 2_000

interface Whole extends PaymentBooks {
  readonly payment: Payment
  readonly disputes: readonly Dispute[]
}

export function PaymentDetails({ id }: { id: string }) {
  const api = useApi()
  const query = useQuery({
    queryKey: ['payments', 'one', id],
    queryFn: async ({ signal }): Promise<Whole> => {
      const params = { path: { id } }
      const [payment, transactions, refunds, disputes] = await Promise.all([
        dataOf(api.GET('/api/v1/payments/{id}', { params, signal })),
        dataOf(api.GET('/api/v1/payments/{id}/transactions', { params, signal })),
        dataOf(api.GET('/api/v1/payments/{id}/refunds', { params, signal })),
        dataOf(api.GET('/api/v1/payments/{id}/disputes', { params, signal })),
      ])
      // Behind the others: with a payment that has come to its end, its story has come there too.
      const audit = await dataOf(
        api.GET('/api/v1/payments/{id}/audit', {
          params: { ...params, query: { limit: 100 } },
          signal,
        }),
      )
      return {
        ...{ payment, entries: audit.items, transactions: transactions.items },
        ...{ refunds: refunds.items, disputes: disputes.items },
      }
    },
    refetchInterval: ({ state: { data } }) => (data && isWaiting(data) ? WAITING_MS : false),
  })
  return <QueryState query={query}>{(whole) => <Details {...whole} />}</QueryState>
}

function isWaiting(whole: Whole): boolean {
  return storyOf(whole.payment, whole).at(-1)?.at === null
}

function Details(whole: Whole) {
  const { payment, transactions, refunds, disputes } = whole
  return (
    <Stack gap="md">
      <PaymentActions payment={payment} transactions={transactions} />
      <PaymentFacts payment={payment} transactions={transactions} />
      {payment.errorCode !== null && (
        <Stack gap={4}>
          <CodeNote code={payment.errorCode} />
          <Text size="sm" c="dimmed">
            {payment.errorMessage}
          </Text>
        </Stack>
      )}
      {refunds.length > 0 && (
        <Part title="Refunds">
          <Refunds refunds={refunds} />
        </Part>
      )}
      {disputes.length > 0 && (
        <Part title={disputes.length === 1 ? 'Dispute' : 'Disputes'}>
          <Disputes disputes={disputes} />
        </Part>
      )}
      <Part title="Timeline">
        <Timeline entries={storyOf(payment, whole).map(withLink)} clock="business" />
      </Part>
      <Text size="sm">
        <AnchorLink size="sm" to="/payments/events" search={{ paymentId: payment.id }}>
          All gateway events of this payment
        </AnchorLink>
      </Text>
      <Related id={payment.id} except={['payment']} />
      {payment.metadata !== null && (
        <Part title="Metadata">
          <Json value={payment.metadata} label="metadata" />
        </Part>
      )}
    </Stack>
  )
}

/** Links a phase to its gateway event. */
function withLink({ eventId, details, ...phase }: Phase) {
  if (eventId === undefined) return { ...phase, details }
  return {
    ...phase,
    details: (
      <>
        {details}{' '}
        <AnchorLink size="sm" to="/payments/events" search={{ open: eventId }}>
          Event {eventId}
        </AnchorLink>
      </>
    ),
  }
}

/** The facts of a payment, and the keys that make it happen once. */
function PaymentFacts({ payment, transactions }: Pick<Whole, 'payment' | 'transactions'>) {
  const { id, status, amount, currency, gatewayRef } = payment
  const charge = transactions.find(({ type }) => type === 'charge' || type === 'authorisation')
  const money = (minor: number | null) =>
    minor ? <Money minor={minor} currency={currency} /> : undefined
  return (
    <KeyValue
      facts={{
        State: <StateBadge state={status} role={PAYMENT_ROLES[status]} />,
        Amount: <Money minor={amount} currency={currency} />,
        Authorisation:
          payment.authorisation === null ? undefined : (
            <StateBadge
              state={payment.authorisation}
              role={AUTHORISATION_ROLES[payment.authorisation]}
            />
          ),
        Captured: money(payment.capturedAmount),
        Refunded: money(payment.refundedAmount),
        Disputed: money(payment.disputedAmount),
        Net:
          payment.netAmount === amount || payment.status === 'pending' ? undefined : (
            <Money minor={payment.netAmount} currency={currency} />
          ),
        Id: <CopyId id={id} />,
        'Your id': payment.externalPaymentId ?? undefined,
        For: payment.description ?? undefined,
        'Gateway reference':
          gatewayRef === null ? '–' : <CopyId id={gatewayRef} what="reference" />,
        'Charge key':
          charge === undefined ? undefined : <CopyId id={charge.gatewayKey} what="gateway key" />,
        'Repeated request':
          charge?.status === 'pending'
            ? 'must wait: the first one is in progress'
            : 'with the same Idempotency-Key gets the same answer, and charges nothing',
        Created: <Time at={payment.createdAt} clock="business" />,
        Settled: timeFact(payment.settledAt, { clock: 'business' }),
        'Refunded in full': timeFact(payment.refundedAt, { clock: 'business' }),
        By: payment.userId,
      }}
    />
  )
}

function Refunds({ refunds }: { refunds: readonly Refund[] }) {
  return (
    <Stack gap={6}>
      {refunds.map((refund) => {
        const { word, role } = progressOf(refund)
        return (
          <Group key={refund.id} gap="sm">
            <StateBadge state={word} role={role} />
            <Money minor={refund.amount} currency={refund.currency} />
            {refund.gatewayRef !== null && <CopyId id={refund.gatewayRef} what="reference" />}
            {refund.errorMessage !== null && <Text size="sm">{refund.errorMessage}</Text>}
          </Group>
        )
      })}
    </Stack>
  )
}

function Disputes({ disputes }: { disputes: readonly Dispute[] }) {
  return disputes.map((dispute) => (
    <KeyValue
      key={dispute.id}
      facts={{
        State: <StateBadge state={dispute.status} role={DISPUTE_ROLES[dispute.status]} />,
        Amount: <Money minor={dispute.amount} currency={dispute.currency} />,
        Reason: dispute.reason ?? undefined,
        'Evidence until': timeFact(dispute.evidenceDueAt, { ahead: true }),
        'Gateway reference': <CopyId id={dispute.gatewayRef} what="reference" />,
        Opened: <Time at={dispute.openedAt} clock="business" />,
        Closed: timeFact(dispute.closedAt, { clock: 'business' }),
      }}
    />
  ))
}
