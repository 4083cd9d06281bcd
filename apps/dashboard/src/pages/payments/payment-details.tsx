import { Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { CodeNote } from '../../codes/code-note.tsx'
import { Json } from '../../parts/json.tsx'
import { QueryState } from '../../parts/query-state.tsx'
import { Timeline } from '../../parts/timeline.tsx'
import type { AuditEntry, GatewayTransaction, Payment } from './payment.ts'
import { PaymentFacts } from './payment-facts.tsx'
import { storyOf } from './payment-story.ts'
import { RefundButton } from './refund-button.tsx'

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
