import { BulkButton, useApi, withShortIds } from '@posthorn/dashboard/kit'
import type { Delivery } from './webhook.ts'

interface ReplaySelectedProps {
  /** Those that are finished. */
  readonly deliveries: readonly Delivery[]
  /** Default: says how many are selected. */
  readonly label?: string
  readonly onDone: () => void
}

const NOUNS = ['delivery', 'deliveries'] as const

/** Sends the selected deliveries again, one after the other. */
export function ReplaySelected({ deliveries, label, onDone }: ReplaySelectedProps) {
  const api = useApi()
  return (
    <BulkButton
      to="administer"
      rows={deliveries}
      label={label}
      verb="Replay"
      past="replayed"
      nouns={NOUNS}
      changes={['webhooks']}
      nameOf={({ eventType, id }) => `${eventType} ${withShortIds(id)}`}
      onDone={onDone}
      run={({ id }) =>
        api.POST('/api/v1/webhook-deliveries/{id}/replay', { params: { path: { id } } })
      }
    >
      Delivered events arrive a second time; the endpoint recognises them by webhook-id. Deliveries
      in progress are left out.
    </BulkButton>
  )
}
