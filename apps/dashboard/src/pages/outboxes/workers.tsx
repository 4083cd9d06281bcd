import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { CopyId } from '../../parts/copy-id.tsx'
import { Panel } from '../../parts/panel.tsx'
import { QueryState } from '../../parts/query-state.tsx'
import { Time } from '../../parts/time.tsx'

/** The relays that are alive, and what they do not try at present. */
export function Workers({ name }: { name: string }) {
  const api = useApi()
  const query = useQuery({
    queryKey: ['overview', 'now'],
    queryFn: ({ signal }) => dataOf(api.GET('/api/v1/overview', { signal })),
    refetchInterval: 5_000,
  })
  return (
    <Panel title="Relays">
      <QueryState query={query}>
        {({ outboxes }) => {
          const found = outboxes.find((outbox) => outbox.name === name)
          const alive = found?.alive ?? []
          const breakers = found?.breakers ?? []
          return (
            <Stack gap={8}>
              {alive.length === 0 && (
                <Text size="sm">No relay is running: nothing of this outbox is sent.</Text>
              )}
              {alive.map((relay) => (
                <Text key={relay.name} size="sm" component="div">
                  <CopyId id={relay.name} what="name" /> since <Time at={relay.startedAt} />, last
                  heartbeat <Time at={relay.seenAt} />
                </Text>
              ))}
              {breakers.map(({ destination, relay, openSince }) => (
                <Text key={`${relay} ${destination}`} size="sm" component="div">
                  <strong>{destination}</strong> is not tried by {relay} since{' '}
                  <Time at={openSince} />: most attempts failed. One attempt is let through every 30
                  seconds.
                </Text>
              ))}
            </Stack>
          )
        }}
      </QueryState>
    </Panel>
  )
}
