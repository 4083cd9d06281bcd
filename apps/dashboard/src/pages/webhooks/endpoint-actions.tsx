import { Button, Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { useAction } from '../../parts/use-action.ts'
import { EndpointForm, type EndpointFields } from './endpoint-form.tsx'
import { EndpointSwitch } from './endpoint-switch.tsx'
import { SecretOnce } from './secret-once.tsx'
import type { Endpoint } from './webhook.ts'

const CHANGES = ['webhooks', 'webhook-endpoint']

interface EndpointActionsProps {
  readonly endpoint: Endpoint
  readonly onGone: () => void
}

/** Try it, change it, renew its secret, stop it, forget it. */
export function EndpointActions({ endpoint, onGone }: EndpointActionsProps) {
  const api = useApi()
  const navigate = useNavigate()
  const params = { path: { id: endpoint.id } }
  const [secret, setSecret] = useState<string>()
  const ping = useAction({
    run: () => dataOf(api.POST('/api/v1/webhook-endpoints/{id}/ping', { params })),
    done: () => 'A webhook.ping is on its way.',
    changes: CHANGES,
  })
  const rotate = useAction({
    run: () => dataOf(api.POST('/api/v1/webhook-endpoints/{id}/rotate-secret', { params })),
    done: () => 'The endpoint has a new secret; the old one signs too for 24 hours.',
    changes: CHANGES,
  })
  const forget = useAction({
    run: () => api.DELETE('/api/v1/webhook-endpoints/{id}', { params }),
    done: () => 'The endpoint is forgotten.',
    changes: ['webhooks'],
  })
  return (
    <>
      <Button
        loading={ping.isPending}
        disabled={endpoint.status === 'disabled'}
        onClick={() =>
          ping.mutate(undefined, {
            onSuccess: ({ deliveryId }) =>
              void navigate({
                to: '/webhooks/deliveries',
                search: { endpointId: endpoint.id, open: deliveryId },
              } as never),
          })
        }
      >
        Ping
      </Button>
      <EditButton endpoint={endpoint} />
      <ConfirmButton
        label="New secret"
        title="Give the endpoint a new secret?"
        verb="Make a new secret"
        onConfirm={async () => setSecret((await rotate.mutateAsync(undefined)).secret)}
      >
        Deliveries are signed with both for 24 hours, so that there is time to change it over there.
      </ConfirmButton>
      <EndpointSwitch endpoint={endpoint} />
      <ConfirmButton
        label="Delete"
        title="Forget this endpoint?"
        verb="Delete it"
        tone="danger"
        onConfirm={async () => {
          await forget.mutateAsync(undefined)
          onGone()
        }}
      >
        What waits for it is skipped. Its deliveries stay to be looked at; there is no way back.
      </ConfirmButton>
      <Modal
        opened={secret !== undefined}
        onClose={() => setSecret(undefined)}
        title="Its new secret, this once"
        closeOnClickOutside={false}
        closeOnEscape={false}
      >
        {secret !== undefined && <SecretOnce secret={secret} onKept={() => setSecret(undefined)} />}
      </Modal>
    </>
  )
}

function EditButton({ endpoint }: { endpoint: Endpoint }) {
  const api = useApi()
  const [isOpen, { open, close }] = useDisclosure(false)
  const change = useAction({
    run: (body: EndpointFields) =>
      dataOf(
        api.PATCH('/api/v1/webhook-endpoints/{id}', {
          params: { path: { id: endpoint.id } },
          body,
        }),
      ),
    done: () => 'The endpoint is changed.',
    changes: CHANGES,
  })
  const { url, eventTypes, ordered } = endpoint
  return (
    <>
      <Button variant="default" onClick={open}>
        Edit
      </Button>
      <Modal opened={isOpen} onClose={close} title="Change the endpoint">
        <EndpointForm
          before={{ url, eventTypes, ordered }}
          verb="Save"
          error={change.error}
          isPending={change.isPending}
          onClose={close}
          onSubmit={(fields) => change.mutate(fields, { onSuccess: close })}
        />
      </Modal>
    </>
  )
}
