import { Alert, Code, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { CopyId } from '../../parts/copy-id.tsx'
import { KeyValue } from '../../parts/key-value.tsx'
import { AnchorLink } from '../../parts/links.tsx'
import { QueryState } from '../../parts/query-state.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { useAction } from '../../parts/use-action.ts'
import { PermittedButton } from '../../parts/permitted.tsx'
import { EVENT_MEANINGS, EVENT_ROLES, type GatewayEvent } from './gateway-event.ts'

/** One event of the gateway: the bytes as they came, what was decided and why, and once more. */
export function EventDetails({ id }: { id: string }) {
  const api = useApi()
  const query = useQuery({
    queryKey: ['payments', 'events', 'one', id],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/webhook-events/{id}', { params: { path: { id } }, signal })),
  })
  return (
    <QueryState query={query}>
      {(event) => (
        <Stack gap="md">
          <Reprocess event={event} />
          <Alert variant="default" title={event.reason ?? EVENT_MEANINGS[event.status]}>
            {event.reason !== null && EVENT_MEANINGS[event.status]}
          </Alert>
          <Facts event={event} />
          <Title order={3}>As it came</Title>
          <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {event.body}
          </Code>
        </Stack>
      )}
    </QueryState>
  )
}

function Reprocess({ event }: { event: GatewayEvent }) {
  const api = useApi()
  const { id, status } = event
  const reprocess = useAction({
    run: () =>
      dataOf(api.POST('/api/v1/webhook-events/{id}/reprocess', { params: { path: { id } } })),
    done: (answer) => `Decided again: ${answer.status}.`,
    changes: ['payments'],
  })
  if (status === 'applied') return null
  return (
    <Group gap="xs">
      <PermittedButton
        to="administer"
        variant="default"
        loading={reprocess.isPending}
        onClick={() => reprocess.mutate(undefined)}
      >
        Reprocess
      </PermittedButton>
      <Text size="sm" c="dimmed">
        Decides again by what is known now.
      </Text>
    </Group>
  )
}

function Facts({ event }: { event: GatewayEvent }) {
  const { id, type, status, source, paymentId, gatewayRef, receivedAt, decidedAt } = event
  return (
    <KeyValue
      facts={{
        State: <StateBadge state={status} role={EVENT_ROLES[status]} />,
        Event: type,
        Payment:
          paymentId === null ? undefined : (
            <AnchorLink size="sm" to="/payments" search={{ open: paymentId }}>
              {paymentId}
            </AnchorLink>
          ),
        'Gateway reference':
          gatewayRef === null ? undefined : <CopyId id={gatewayRef} what="reference" />,
        'Came by': source === 'webhook' ? 'the gateway’s webhook' : 'a question to the gateway',
        Id: <CopyId id={id} what="event id" />,
        Received: <Time at={receivedAt} clock="business" />,
        Decided: <Time at={decidedAt} clock="business" />,
      }}
    />
  )
}
