import { Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import type { paths } from '../../api/schema.d.ts'
import { useFresh } from '../../live/use-fresh.ts'
import { AnchorLink } from '../../parts/links.tsx'
import { Panel } from '../../parts/panel.tsx'
import { QueryState } from '../../parts/query-state.tsx'
import { Timeline } from '../../parts/timeline.tsx'

type Notification =
  paths['/api/v1/file-jobs/{id}/notifications']['get']['responses']['200']['content']['application/json']['items'][number]

const KINDS: Readonly<Record<Notification['kind'], string>> = {
  N1: 'first result',
  N2: 'final result',
  REJECTED: 'rejected',
}

/** The merchant's notifications about a file, and whether they arrived. */
export function Notifications({ id }: { id: string }) {
  const api = useApi()
  const query = useQuery({
    queryKey: ['file-jobs', id, 'notifications'],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/file-jobs/{id}/notifications', { params: { path: { id } }, signal })),
  })
  return (
    <Panel title="Merchant notifications">
      <QueryState query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Text size="sm" c="dimmed">
              None yet. The first result (N1) is sent when every row has had an attempt, the final
              result (N2) at the end.
            </Text>
          ) : (
            <Timeline
              entries={items.map((notification) => ({
                id: notification.id,
                at: notification.createdAt,
                role: notification.kind === 'REJECTED' ? 'dead' : 'sent',
                what: (
                  <>
                    {notification.message}{' '}
                    <Text span c="dimmed" size="sm">
                      {notification.kind === 'REJECTED' ? '' : `${notification.kind}, `}
                      {KINDS[notification.kind]}
                      {notification.round > 1 && `, round ${notification.round}`}
                    </Text>
                  </>
                ),
                details: <Deliveries jobId={id} eventId={notification.id} />,
              }))}
            />
          )
        }
      </QueryState>
    </Panel>
  )
}

const OUTBOX = 'payments.webhook-deliveries'

function Deliveries({ jobId, eventId }: { jobId: string; eventId: string }) {
  const api = useApi()
  const queryKey = ['file-jobs', jobId, 'deliveries', eventId]
  useFresh(queryKey, (event) => event.kind === 'transition' && event.outbox === OUTBOX)
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/v1/webhook-deliveries', {
          params: { query: { eventId, limit: 20 } },
          signal,
        }),
      ),
  })
  return (
    <QueryState query={query}>
      {({ items }) =>
        items.length === 0 ? (
          <Text size="sm" c="dimmed">
            No webhook endpoint subscribed to it. <AnchorLink to="/webhooks">Add one</AnchorLink>
          </Text>
        ) : (
          <Stack gap={2}>
            {items.map((delivery) => (
              <Group key={delivery.id} gap={6}>
                <AnchorLink to="/webhooks/deliveries" search={{ open: delivery.id }} size="sm">
                  Webhook {delivery.status.replace('_', ' ')}
                </AnchorLink>
                <Text size="sm" c="dimmed">
                  after {delivery.attempts} {delivery.attempts === 1 ? 'attempt' : 'attempts'}
                </Text>
              </Group>
            ))}
          </Stack>
        )
      }
    </QueryState>
  )
}
