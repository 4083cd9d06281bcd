import { Group, Stack, Text } from '@mantine/core'
import {
  ConfirmButton,
  dataOf,
  Panel,
  QueryState,
  StateBadge,
  Timeline,
  useAction,
  useApi,
  useRead,
} from '@posthorn/dashboard/kit'
import { consentEntryOf } from '../consent-entry.tsx'
import type { ConversationResource } from './conversation.ts'

/** Whether the person may be written to, who said so, and how to change it. */
export function ConsentPanel({ conversation }: { conversation: ConversationResource }) {
  const { id, withdrawn } = conversation
  return (
    <Panel title="Consent">
      <Stack gap="sm">
        <Group justify="space-between" gap="xs">
          <StateBadge
            state={withdrawn === null ? 'may be written to' : 'wants no more messages'}
            role={withdrawn === null ? 'confirmed' : 'cancelled'}
          />
          <ConsentButton conversation={conversation} />
        </Group>
        <History id={id} />
      </Stack>
    </Panel>
  )
}

function ConsentButton({ conversation }: { conversation: ConversationResource }) {
  const api = useApi()
  const { id, recipient, withdrawn } = conversation
  const change = useAction({
    run: (body: { granted: boolean; proof?: string }) =>
      dataOf(api.PUT('/api/v1/conversations/{id}/consent', { params: { path: { id } }, body })),
    done: ({ withdrawn: now }) =>
      now === null ? `${recipient} may be written to.` : `${recipient} gets no more messages.`,
    changes: ['conversations', 'outbound'],
  })
  const run = (granted: boolean) => (proof: string | undefined) =>
    change.mutateAsync({ granted, ...(proof !== undefined && { proof }) })
  if (withdrawn === null) {
    return (
      <ConfirmButton
        key="withdraw"
        label="Stop messages"
        title={`No more messages to ${recipient}?`}
        tone="danger"
        reason="optional"
        onConfirm={run(false)}
      >
        Messages that wait are cancelled, and new ones are refused.
      </ConfirmButton>
    )
  }
  return (
    <ConfirmButton
      key="grant"
      label="Note a new consent"
      title={`May ${recipient} be written to again?`}
      verb="Note consent"
      reason="required"
      onConfirm={run(true)}
    >
      Only with the person’s consent. Say below where it can be seen.
    </ConfirmButton>
  )
}

function History({ id }: { id: string }) {
  const query = useRead('/api/v1/conversations/{id}/consents', ['conversations', 'consents', id], {
    params: { path: { id } },
  })
  return (
    <QueryState query={query}>
      {({ items }) =>
        items.length === 0 ? (
          <Text size="sm" c="dimmed">
            The person has said nothing about it in this conversation.
          </Text>
        ) : (
          <Timeline entries={items.map(consentEntryOf)} />
        )
      }
    </QueryState>
  )
}
