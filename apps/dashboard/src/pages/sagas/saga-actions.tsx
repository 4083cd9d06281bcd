import { Group } from '@mantine/core'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { ButtonLink } from '../../parts/links.tsx'
import { useAction } from '../../parts/use-action.ts'
import type { SagaDetails } from './saga-state.ts'

/** Resumes what is stuck, cancels what runs. */
export function SagaActions({ saga }: { saga: SagaDetails }) {
  const api = useApi()
  const params = { path: { id: saga.id } }
  const resume = useAction({
    run: () => dataOf(api.POST('/api/v1/sagas/{id}/resume', { params })),
    done: () => 'The saga goes on where it was.',
    changes: ['sagas', 'alerts', 'overview'],
  })
  const cancel = useAction({
    run: () => dataOf(api.POST('/api/v1/sagas/{id}/cancel', { params })),
    done: () => 'The saga is cancelled: what it has done is being undone.',
    changes: ['sagas', 'alerts', 'overview'],
  })
  // A saga that failed while it was undone can only go on with that.
  const isForward =
    saga.status === 'RUNNING' || (saga.status === 'FAILED' && saga.compensations.length === 0)
  return (
    <Group gap="xs">
      <ButtonLink variant="default" to="/sagas">
        All orders
      </ButtonLink>
      {saga.status === 'FAILED' && (
        <ConfirmButton
          label="Resume"
          title="Let 1 saga go on?"
          verb="Resume"
          onConfirm={() => resume.mutateAsync(undefined)}
        >
          It goes on at {saga.step ?? 'the step it was at'}, with its attempts back at zero. If the
          cause is still there, it gets stuck again.
        </ConfirmButton>
      )}
      {isForward && saga.cancelledAt === null && (
        <ConfirmButton
          label="Cancel"
          title="Cancel 1 saga?"
          verb="Cancel and undo"
          tone="danger"
          onConfirm={() => cancel.mutateAsync(undefined)}
        >
          A step that is under way ends first. Then everything it has done is undone, last step
          first: stock goes back, and a payment is refunded.
        </ConfirmButton>
      )}
    </Group>
  )
}
