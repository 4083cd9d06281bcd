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
    done: () => 'Saga resumed.',
    changes: ['sagas', 'alerts', 'overview'],
  })
  const cancel = useAction({
    run: () => dataOf(api.POST('/api/v1/sagas/{id}/cancel', { params })),
    done: () => 'Saga cancelled; its steps are being undone.',
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
          title="Resume 1 saga?"
          verb="Resume"
          onConfirm={() => resume.mutateAsync(undefined)}
        >
          It continues at {saga.step ?? 'the step it was at'}, starting again at attempt zero. If
          the cause persists, it gets stuck again.
        </ConfirmButton>
      )}
      {isForward && saga.cancelledAt === null && (
        <ConfirmButton
          label="Cancel"
          title="Cancel 1 saga?"
          verb="Cancel and undo"
          dismiss="Back"
          tone="danger"
          onConfirm={() => cancel.mutateAsync(undefined)}
        >
          A step in progress ends first. Then all steps are undone, last first: stock is released
          and a payment is refunded.
        </ConfirmButton>
      )}
    </Group>
  )
}
