import { Text } from '@mantine/core'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { useAction } from '../../parts/use-action.ts'
import type { StateRole } from '../../states/role.ts'
import type { MessageKey } from './message.ts'

interface MessageActionsProps {
  readonly message: MessageKey
  readonly role: StateRole | undefined
  readonly isArchived: boolean
  readonly canBeCancelled: boolean
}

const CHANGED = ['messages', 'dead-letters', 'outboxes', 'overview']

/** What can be done about a message in its state, or why there is nothing. */
export function MessageActions(props: MessageActionsProps) {
  const { role, isArchived, canBeCancelled, message } = props
  const api = useApi()
  const params = { path: { name: message.outbox, id: message.id } }
  const bodyOf = (reason: string | undefined) => (reason === undefined ? {} : { reason })
  const replay = useAction({
    run: (reason: string | undefined) =>
      dataOf(
        api.POST('/api/v1/outboxes/{name}/messages/{id}/replay', { params, body: bodyOf(reason) }),
      ),
    done: () => 'Message replayed.',
    changes: CHANGED,
  })
  const cancel = useAction({
    run: (reason: string | undefined) =>
      dataOf(
        api.POST('/api/v1/outboxes/{name}/messages/{id}/cancel', { params, body: bodyOf(reason) }),
      ),
    done: () => 'Message cancelled.',
    changes: CHANGED,
  })
  const isDead = role === 'dead'
  const isWaiting = role === 'ready' || role === 'retry' || role === 'failing'
  if (isArchived) return <Nothing>Archived. No action needed.</Nothing>
  if (!isDead && !(isWaiting && canBeCancelled)) return <Nothing>{sentenceFor(role)}</Nothing>
  return (
    <>
      {isDead && (
        <ConfirmButton
          label="Replay"
          title="Send 1 message again?"
          verb="Replay 1"
          reason="optional"
          onConfirm={(reason) => replay.mutateAsync(reason)}
        >
          It keeps its id, so consumers can recognise it, and starts again at attempt zero.
        </ConfirmButton>
      )}
      {canBeCancelled && (
        <ConfirmButton
          label="Cancel"
          title="Cancel 1 message?"
          verb="Cancel 1"
          dismiss="Back"
          tone="danger"
          reason="optional"
          onConfirm={(reason) => cancel.mutateAsync(reason)}
        >
          It will not be sent. Messages waiting behind it continue.
        </ConfirmButton>
      )}
    </>
  )
}

function sentenceFor(role: StateRole | undefined): string {
  if (role === 'claimed') return 'A relay is sending it; it cannot be cancelled now.'
  if (role === 'ready' || role === 'retry' || role === 'failing') {
    return 'The relay sends it when it is due; messages of this outbox cannot be cancelled.'
  }
  return 'Finished. No action needed.'
}

function Nothing({ children }: { children: string }) {
  return (
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  )
}
