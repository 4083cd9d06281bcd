import { Group } from '@mantine/core'
import {
  ActButton,
  ButtonLink,
  ConfirmButton,
  dataOf,
  useAction,
  useApi,
  usePermission,
  useRequestKey,
} from '@posthorn/dashboard/kit'
import { signalsOf, type SagaDetails } from './saga-state.ts'

/** What an action on a saga changes on other pages. */
export const CHANGED = ['sagas', 'alerts', 'overview', 'audit'] as const

/** A request without a reason has an empty body. */
export const bodyOf = (reason: string | undefined) => (reason === undefined ? {} : { reason })

/** Resumes what is stuck, cancels what runs. */
export function SagaActions({ saga }: { saga: SagaDetails }) {
  const api = useApi()
  const { isAllowed } = usePermission('operate')
  const params = { path: { id: saga.id } }
  const key = useRequestKey()
  const signal = useAction({
    run: (name: string) =>
      dataOf(
        api.POST('/api/v1/sagas/{id}/events', {
          params,
          body: { name },
          headers: { 'idempotency-key': key.keyFor({ name }) },
        }),
      ),
    done: () => 'Signal sent.',
    changes: CHANGED,
  })
  return (
    <Group gap="xs">
      <ButtonLink variant="default" to="/sagas">
        All orders
      </ButtonLink>
      {isAllowed &&
        saga.status === 'RUNNING' &&
        signalsOf(saga).map((name) => (
          <ConfirmButton
            key={name}
            label={`Send ${name}`}
            title="Send 1 signal?"
            onConfirm={() => signal.mutateAsync(name, { onSuccess: key.done })}
          >
            The saga waits for it at {saga.step ?? 'a step'}, and continues.
          </ConfirmButton>
        ))}
      {isAllowed && saga.allows.includes('resume') && (
        <ActButton
          to="operate"
          label="Resume"
          title="Resume 1 saga?"
          reason="optional"
          run={(reason) =>
            dataOf(api.POST('/api/v1/sagas/{id}/resume', { params, body: bodyOf(reason) }))
          }
          done={() => 'Saga resumed.'}
          changes={CHANGED}
        >
          It continues at {saga.step ?? 'the step it was at'}, starting again at attempt zero. If
          the cause persists, it gets stuck again.
        </ActButton>
      )}
      {isAllowed && saga.allows.includes('cancel') && (
        <ActButton
          to="operate"
          label="Cancel"
          title="Cancel 1 saga?"
          verb="Cancel and undo"
          dismiss="Back"
          tone="danger"
          reason="optional"
          run={(reason) =>
            dataOf(api.POST('/api/v1/sagas/{id}/cancel', { params, body: bodyOf(reason) }))
          }
          done={() => 'Saga cancelled; its steps are being undone.'}
          changes={CHANGED}
        >
          A step in progress ends first. Then all steps are undone, last first: stock is released
          and a payment is refunded.
        </ActButton>
      )}
    </Group>
  )
}
