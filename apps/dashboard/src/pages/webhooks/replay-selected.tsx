import { useApi } from '../../api/api-context.tsx'
import { formatCount } from '../../format/number.ts'
import type { Delivery } from './webhook.ts'
import { ConfirmButton } from '../../parts/confirm.tsx'
import { useAction } from '../../parts/use-action.ts'
import { PermittedButton } from '../../parts/permitted.tsx'

/** `1 delivery is`, `7 deliveries are`. */
function deliveriesOf(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'delivery' : 'deliveries'}`
}

interface ReplaySelectedProps {
  /** Those that are finished. */
  readonly deliveries: readonly Delivery[]
  /** Default: says how many are selected. */
  readonly label?: string
  readonly onDone: () => void
}

/** Sends the selected deliveries again, one after the other. */
export function ReplaySelected({ deliveries, label, onDone }: ReplaySelectedProps) {
  const api = useApi()
  const replay = useAction({
    run: async (ids: readonly string[]) => {
      for (const id of ids) {
        await api.POST('/api/v1/webhook-deliveries/{id}/replay', { params: { path: { id } } })
      }
      return ids.length
    },
    done: (count) => `${deliveriesOf(count)} replayed.`,
    changes: ['webhooks'],
  })
  const count = deliveries.length
  if (count === 0) {
    return (
      <PermittedButton to="administer" disabled>
        Replay selected
      </PermittedButton>
    )
  }
  return (
    <ConfirmButton
      to="administer"
      label={label ?? `Replay ${formatCount(count)} selected`}
      button={{ variant: 'filled' }}
      title={`Replay ${formatCount(count)} ${count === 1 ? 'delivery' : 'deliveries'}?`}
      verb={`Replay ${formatCount(count)}`}
      onConfirm={async () => {
        await replay.mutateAsync(deliveries.map(({ id }) => id))
        onDone()
      }}
    >
      Delivered events arrive a second time; the endpoint recognises them by webhook-id. Deliveries
      in progress are left out.
    </ConfirmButton>
  )
}
