import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { useAction } from '../../parts/use-action.ts'
import type { Endpoint } from './webhook.ts'

/** Stops an endpoint, or lets events go to it again. */
export function EndpointSwitch({ endpoint }: { endpoint: Endpoint }) {
  const api = useApi()
  const params = { path: { id: endpoint.id } }
  const enable = useAction({
    run: () => dataOf(api.POST('/api/v1/webhook-endpoints/{id}/enable', { params })),
    done: () => 'Endpoint enabled.',
    changes: ['webhooks', 'webhook-endpoint'],
  })
  const disable = useAction({
    run: (reason: string | undefined) =>
      dataOf(
        api.POST('/api/v1/webhook-endpoints/{id}/disable', {
          params,
          body: reason === undefined ? {} : { reason },
        }),
      ),
    done: () => 'Endpoint disabled.',
    changes: ['webhooks', 'webhook-endpoint'],
  })
  if (endpoint.status === 'disabled') {
    return (
      <ConfirmButton
        key="enable"
        label="Enable"
        title="Enable this endpoint?"
        verb="Enable endpoint"
        onConfirm={() => enable.mutateAsync(undefined)}
      >
        Missed events are not sent automatically: replay them afterwards.
      </ConfirmButton>
    )
  }
  return (
    <ConfirmButton
      key="disable"
      label="Disable"
      title="Disable this endpoint?"
      verb="Disable endpoint"
      reason="optional"
      onConfirm={(reason) => disable.mutateAsync(reason)}
    >
      Deliveries are skipped until it is enabled, and can be replayed then.
    </ConfirmButton>
  )
}
