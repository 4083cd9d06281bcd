import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { useAction } from '../../parts/use-action.ts'

interface PauseButtonProps {
  readonly name: string
  readonly isPaused: boolean
}

/** Stops an outbox everywhere, or lets it go on. */
export function PauseButton({ name, isPaused }: PauseButtonProps) {
  const api = useApi()
  const params = { path: { name } }
  const pause = useAction({
    run: (reason: string | undefined) =>
      dataOf(
        api.POST('/api/v1/outboxes/{name}/pause', {
          params,
          body: reason === undefined ? {} : { reason },
        }),
      ),
    done: () => `${name} is paused.`,
    changes: ['outboxes', 'overview'],
  })
  const resume = useAction({
    run: () => dataOf(api.POST('/api/v1/outboxes/{name}/resume', { params })),
    done: () => `${name} resumed.`,
    changes: ['outboxes', 'overview'],
  })
  if (isPaused) {
    return (
      <ConfirmButton
        key="resume"
        label="Resume"
        title={`Resume ${name}?`}
        verb="Resume"
        onConfirm={() => resume.mutateAsync(undefined)}
      >
        Relays claim everything that became due meanwhile.
      </ConfirmButton>
    )
  }
  return (
    <ConfirmButton
      key="pause"
      label="Pause"
      title={`Pause ${name}?`}
      verb="Pause"
      reason="optional"
      onConfirm={(reason) => pause.mutateAsync(reason)}
    >
      Relays stop claiming from it until it is resumed; messages in flight finish. New messages are
      still accepted.
    </ConfirmButton>
  )
}
