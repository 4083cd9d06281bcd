import { Alert, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { CodeNote } from '../../codes/code-note.tsx'
import { CopyId } from '../../parts/copy-id.tsx'
import { Json } from '../../parts/json.tsx'
import { KeyValue } from '../../parts/key-value.tsx'
import { AnchorLink } from '../../parts/links.tsx'
import { QueryState } from '../../parts/query-state.tsx'
import { Related } from '../../parts/related.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { Attempts } from './attempts.tsx'
import { ReplaySelected } from './replay-selected.tsx'
import { useEndpoints } from './use-endpoints.ts'
import { DELIVERY_ROLES, isFinished, shortUrl, type Delivery, type Endpoint } from './webhook.ts'

/** One delivery: why it is where it is, each request and answer, and how to send it again. */
export function DeliveryDetails({ id }: { id: string }) {
  const api = useApi()
  const endpoints = useEndpoints().data
  const query = useQuery({
    queryKey: ['webhooks', 'deliveries', 'one', id],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/webhook-deliveries/{id}', { params: { path: { id } }, signal })),
  })
  return (
    <QueryState query={query}>
      {(delivery) => {
        const endpoint = endpoints?.find((each) => each.id === delivery.endpointId)
        return (
          <Stack gap="md">
            <Next delivery={delivery} endpoint={endpoint} />
            <Facts delivery={delivery} endpoint={endpoint} />
            {delivery.errorCode !== null && delivery.status !== 'delivered' && (
              <Alert
                variant="default"
                title={delivery.error ?? 'Delivery failed'}
                style={{ overflowWrap: 'anywhere' }}
              >
                <CodeNote code={delivery.errorCode} />
              </Alert>
            )}
            <Title order={3}>Attempts</Title>
            <Attempts deliveryId={id} />
            <Related id={delivery.id} except={['webhook']} />
            <Title order={3}>Payload</Title>
            <Json value={delivery.payload} label="body" />
          </Stack>
        )
      }}
    </QueryState>
  )
}

interface PartProps {
  readonly delivery: Delivery
  readonly endpoint: Endpoint | undefined
}

/** What can be done now, or what happens by itself. */
function Next({ delivery, endpoint }: PartProps) {
  if (!isFinished(delivery)) {
    return (
      <Text size="sm" component="div">
        It is retried automatically <Time at={delivery.nextAttemptAt} clock="business" ahead />; it
        can be replayed once it is abandoned.
      </Text>
    )
  }
  if (endpoint === undefined) {
    return <Text size="sm">Its endpoint is deleted: it cannot be replayed.</Text>
  }
  if (endpoint.status === 'disabled') {
    return (
      <Text size="sm" component="div">
        Its endpoint is disabled: <EndpointLink endpoint={endpoint}>enable it</EndpointLink>, then
        replay.
      </Text>
    )
  }
  return (
    <Group gap="xs">
      <ReplaySelected deliveries={[delivery]} label="Replay" onDone={() => {}} />
      {delivery.status === 'abandoned' && (
        <Text size="sm" component="div">
          If the cause is the address,{' '}
          <EndpointLink endpoint={endpoint}>edit the endpoint</EndpointLink> first.
        </Text>
      )}
    </Group>
  )
}

function EndpointLink({ endpoint, children }: { endpoint: Endpoint; children: string }) {
  return (
    <AnchorLink size="sm" to="/webhooks" search={{ open: endpoint.id }}>
      {children}
    </AnchorLink>
  )
}

function Facts({ delivery, endpoint }: PartProps) {
  const { id, status, eventId, eventType, createdAt, deliveredAt } = delivery
  return (
    <KeyValue
      facts={{
        State: <StateBadge state={status} role={DELIVERY_ROLES[status]} />,
        Event: eventType,
        Endpoint:
          endpoint === undefined ? (
            'forgotten'
          ) : (
            <EndpointLink endpoint={endpoint}>{shortUrl(endpoint.url)}</EndpointLink>
          ),
        Id: <CopyId id={id} what="webhook-id" />,
        'Event id': <CopyId id={eventId} what="event id" />,
        Created: <Time at={createdAt} />,
        Delivered: deliveredAt === null ? undefined : <Time at={deliveredAt} />,
      }}
    />
  )
}
