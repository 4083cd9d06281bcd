import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { CopyId } from '../../parts/copy-id.tsx'
import { QueryState } from '../../parts/query-state.tsx'
import { Timeline } from '../../parts/timeline.tsx'
import type { StateRole } from '../../states/role.ts'
import { entryOf } from './journey-entry.tsx'
import type { MessageKey } from './message.ts'

interface JourneyProps {
  readonly message: MessageKey
  /** What a state of its outbox means. */
  readonly roleFor: (state: string) => StateRole | undefined
}

/** The way of a message: transaction, outbox, topic, inboxes, and what it led to. */
export function Journey({ message: { outbox: name, id }, roleFor }: JourneyProps) {
  const api = useApi()
  const query = useQuery({
    queryKey: ['messages', 'journey', name, id],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/v1/outboxes/{name}/messages/{id}/journey', {
          params: { path: { name, id } },
          signal,
        }),
      ),
  })
  return (
    <QueryState query={query}>
      {({ steps, traceId, isComplete }) => (
        <Stack gap="sm">
          <Timeline entries={steps.map((step, index) => entryOf(step, String(index), roleFor))} />
          {traceId !== null && (
            <Text size="sm" component="div" c="dimmed">
              Trace <CopyId id={traceId} what="trace id" shown={20} />
            </Text>
          )}
          {!isComplete && (
            <Text size="sm" c="dimmed">
              This trace may have more messages: the search timed out.
            </Text>
          )}
        </Stack>
      )}
    </QueryState>
  )
}
