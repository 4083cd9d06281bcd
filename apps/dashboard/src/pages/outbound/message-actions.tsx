import { Group } from '@mantine/core'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { useAction } from '../../parts/use-action.ts'
import type { OutboundMessage } from './outbound-message.ts'

/** What can be done to a message in its state. */
export function MessageActions({ message }: { message: OutboundMessage }) {
  const api = useApi()
  const params = { path: { id: message.id } }
  const cancel = useAction({
    run: () => dataOf(api.POST('/api/v1/outbound/messages/{id}/cancel', { params })),
    done: ({ to }) => `Message to ${to} cancelled.`,
    changes: ['outbound'],
  })
  const retry = useAction({
    run: () => dataOf(api.POST('/api/v1/outbound/messages/{id}/retry', { params })),
    done: ({ to }) => `Message to ${to} queued again.`,
    changes: ['outbound'],
  })
  if (message.status === 'QUEUED') {
    return (
      <Group>
        <ConfirmButton
          key="cancel"
          label="Cancel"
          title="Cancel 1 message?"
          verb="Cancel message"
          dismiss="Back"
          tone="danger"
          onConfirm={() => cancel.mutateAsync(undefined)}
        >
          {message.to} will not receive it. A cancelled message cannot be sent again; send a new one
          instead.
        </ConfirmButton>
      </Group>
    )
  }
  if (message.status !== 'FAILED') return null
  return (
    <Group>
      <ConfirmButton
        key="retry"
        label="Send again"
        title="Send 1 message again?"
        verb="Send message again"
        onConfirm={() => retry.mutateAsync(undefined)}
      >
        It is queued as a new message, with {message.maxAttempts} attempts.
        {message.errorCode === 'OUTCOME_UNKNOWN' &&
          ' It may have arrived already: then this is a duplicate.'}
      </ConfirmButton>
    </Group>
  )
}
