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
    done: () => 'Events go to the endpoint again.',
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
    done: () => 'Nothing goes to the endpoint any more.',
    changes: ['webhooks', 'webhook-endpoint'],
  })
  if (endpoint.status === 'disabled') {
    return (
      <ConfirmButton
        key="enable"
        label="Enable"
        title="Let events go to this endpoint again?"
        verb="Enable it"
        onConfirm={() => enable.mutateAsync(undefined)}
      >
        What it missed is not sent by itself: replay it afterwards.
      </ConfirmButton>
    )
  }
  return (
    <ConfirmButton
      key="disable"
      label="Disable"
      title="Send nothing to this endpoint?"
      verb="Disable it"
      reason="optional"
      onConfirm={(reason) => disable.mutateAsync(reason)}
    >
      What waits for it, and what happens until it is enabled, is skipped and can be replayed.
    </ConfirmButton>
  )
}
