import { Group, Stack, Tabs, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { roleIn, type OutboxOverview } from '../../outboxes/use-outboxes.ts'
import { Json } from '../../parts/json.tsx'
import { QueryState } from '../../parts/query-state.tsx'
import { FailureNote } from './failure-note.tsx'
import { Journey } from './journey.tsx'
import type { MessageDetails, MessageKey } from './message.ts'
import { MessageActions } from './message-actions.tsx'
import { MessageFacts } from './message-facts.tsx'

interface MessageDetailsProps {
  readonly message: MessageKey
  readonly outboxes: readonly OutboxOverview[]
}

/** One message: its facts, why it is where it is, its way, and what is in it. */
export function MessageDetailsView({ message, outboxes }: MessageDetailsProps) {
  const api = useApi()
  const { outbox: name, id } = message
  const query = useQuery({
    queryKey: ['messages', 'one', name, id],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/v1/outboxes/{name}/messages/{id}', {
          params: { path: { name, id } },
          signal,
        }),
      ),
  })
  return (
    <QueryState query={query}>
      {(details) => {
        const role = roleIn(outboxes, { outbox: name, state: details.state })
        const outbox = outboxes.find((each) => each.name === name)
        return (
          <Stack gap="md">
            <Group gap="xs">
              <MessageActions
                message={message}
                role={details.quarantinedAt === null ? role : 'dead'}
                isArchived={details.archivedAt !== null}
                canBeCancelled={outbox !== undefined && outbox.roles.cancelled !== null}
              />
            </Group>
            <MessageFacts outbox={name} details={details} role={role} />
            <FailureNote outbox={name} code={details.errorCode} error={details.error} />
            <Tabs defaultValue="way">
              <Tabs.List>
                <Tabs.Tab value="way">Timeline</Tabs.Tab>
                <Tabs.Tab value="payload">Payload</Tabs.Tab>
                <Tabs.Tab value="row">Row</Tabs.Tab>
              </Tabs.List>
              <Tabs.Panel value="way" pt="md">
                <Journey
                  message={message}
                  roleFor={(state) => roleIn(outboxes, { outbox: name, state })}
                />
              </Tabs.Panel>
              <Tabs.Panel value="payload" pt="md">
                <Content details={details} />
              </Tabs.Panel>
              <Tabs.Panel value="row" pt="md">
                <Json value={details.row} label="row" />
              </Tabs.Panel>
            </Tabs>
          </Stack>
        )
      }}
    </QueryState>
  )
}

function Content({ details: { message, unreadable } }: { details: MessageDetails }) {
  if (message === null) {
    return <Text size="sm">This row is not a valid message: {unreadable ?? 'reason unknown'}</Text>
  }
  const { payload, headers, ...rest } = message
  return (
    <Stack gap="sm">
      <Json value={payload} label="payload" />
      <Text size="sm" fw={600}>
        Headers
      </Text>
      <Json value={headers ?? {}} label="headers" />
      <Text size="sm" fw={600}>
        Envelope
      </Text>
      <Json value={rest} label="envelope" />
    </Stack>
  )
}
