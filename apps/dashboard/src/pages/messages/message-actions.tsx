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
    done: () => 'The message is sent again.',
    changes: CHANGED,
  })
  const cancel = useAction({
    run: (reason: string | undefined) =>
      dataOf(
        api.POST('/api/v1/outboxes/{name}/messages/{id}/cancel', { params, body: bodyOf(reason) }),
      ),
    done: () => 'The message is cancelled.',
    changes: CHANGED,
  })
  const isDead = role === 'dead'
  const isWaiting = role === 'ready' || role === 'retry' || role === 'failing'
  if (isArchived) return <Nothing>It is in the archive: there is nothing to do.</Nothing>
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
          It keeps its id, so that whoever has received it can tell; its attempts begin at zero.
        </ConfirmButton>
      )}
      {canBeCancelled && (
        <ConfirmButton
          label="Cancel"
          title="End 1 message for good?"
          verb="Cancel 1"
          tone="danger"
          reason="optional"
          onConfirm={(reason) => cancel.mutateAsync(reason)}
        >
          It is not sent. What waits behind it goes on.
        </ConfirmButton>
      )}
    </>
  )
}

function sentenceFor(role: StateRole | undefined): string {
  if (role === 'claimed') return 'A relay has it now: what is on its way cannot be called back.'
  if (role === 'ready' || role === 'retry' || role === 'failing') {
    return 'It is sent by itself when it is due; messages of this outbox cannot be cancelled.'
  }
  return 'It is finished: there is nothing to do.'
}

function Nothing({ children }: { children: string }) {
  return (
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  )
}
