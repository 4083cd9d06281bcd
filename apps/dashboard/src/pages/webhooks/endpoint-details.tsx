import { Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { CodeNote } from '../../codes/code-note.tsx'
import { formatCount, formatShare } from '../../format/number.ts'
import { CopyId } from '../../parts/copy-id.tsx'
import { KeyValue } from '../../parts/key-value.tsx'
import { AnchorLink } from '../../parts/links.tsx'
import { QueryState } from '../../parts/query-state.tsx'
import { Time } from '../../parts/time.tsx'
import { EndpointActions } from './endpoint-actions.tsx'
import { EndpointState } from './endpoint-state.tsx'
import { ReplayMissed } from './replay-missed.tsx'
import type { Endpoint, Health } from './webhook.ts'

interface EndpointDetailsProps {
  readonly id: string
  readonly health: Health | undefined
  readonly onGone: () => void
}

/** One endpoint: how it is doing, what failed last, and everything that can be done with it. */
export function EndpointDetails({ id, health, onGone }: EndpointDetailsProps) {
  const api = useApi()
  const query = useQuery({
    // A subject of its own: one that is forgotten must not be asked for again.
    queryKey: ['webhook-endpoint', id],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/webhook-endpoints/{id}', { params: { path: { id } }, signal })),
  })
  return (
    <QueryState query={query}>
      {(endpoint) => (
        <Stack gap="md">
          <Group gap="xs">
            <EndpointActions endpoint={endpoint} onGone={onGone} />
          </Group>
          <Facts endpoint={endpoint} health={health} />
          {health?.lastFailure && <LastFailure failure={health.lastFailure} />}
          <ReplayMissed endpoint={endpoint} />
        </Stack>
      )}
    </QueryState>
  )
}

function Facts({ endpoint, health }: { endpoint: Endpoint; health: Health | undefined }) {
  const { id, url, eventTypes, ordered, status, disabledReason, disabledAt } = endpoint
  return (
    <KeyValue
      facts={{
        State: (
          <>
            <EndpointState endpoint={endpoint} health={health} />
            {health?.breakerOpen === true &&
              ' Most recent attempts failed: one attempt is let through every 30 seconds.'}
          </>
        ),
        Disabled:
          status === 'disabled' ? (
            <>
              {disabledReason} <Time at={disabledAt} clock="business" />
            </>
          ) : undefined,
        Address: <CopyId id={url} what="address" />,
        Id: <CopyId id={id} />,
        Events: eventTypes.join(', '),
        Order: ordered ? 'events of one payment one after the other' : 'unordered',
        'Recent deliveries': health === undefined ? 'none' : countsOf(health),
        'Last delivered': <Time at={health?.lastDeliveredAt} />,
        Deliveries: (
          <AnchorLink size="sm" to="/webhooks/deliveries" search={{ endpointId: id }}>
            All deliveries
          </AnchorLink>
        ),
      }}
    />
  )
}

function countsOf({
  delivered,
  waiting,
  failing,
  abandoned,
  skipped,
  successRate,
}: Health): string {
  const parts = [
    [delivered, 'delivered'],
    [waiting, 'waiting'],
    [failing, 'tried again'],
    [abandoned, 'abandoned'],
    [skipped, 'skipped'],
  ] as const
  const counts = parts
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${formatCount(count)} ${word}`)
  const share = successRate === null ? '' : ` (${formatShare(successRate)} of those attempted)`
  return `${counts.join(', ')}${share}`
}

function LastFailure({ failure }: { failure: NonNullable<Health['lastFailure']> }) {
  return (
    <Stack gap={4}>
      <Text size="sm" fw={600}>
        Last failure
      </Text>
      {failure.code !== null && <CodeNote code={failure.code} />}
      <AnchorLink to="/webhooks/deliveries" search={{ open: failure.deliveryId }} size="sm">
        Open delivery
      </AnchorLink>
    </Stack>
  )
}
