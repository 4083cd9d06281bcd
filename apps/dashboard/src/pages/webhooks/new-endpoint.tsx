import { Modal } from '@mantine/core'
import { useState } from 'react'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { useAction } from '../../parts/use-action.ts'
import { EndpointForm, type EndpointFields } from './endpoint-form.tsx'
import { SecretOnce } from './secret-once.tsx'

interface NewEndpointProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Makes an endpoint, and shows its secret this once. */
export function NewEndpoint({ isOpen, onClose }: NewEndpointProps) {
  const api = useApi()
  const [secret, setSecret] = useState<string>()
  const create = useAction({
    run: (body: EndpointFields) => dataOf(api.POST('/api/v1/webhook-endpoints', { body })),
    done: () => 'Endpoint created.',
    changes: ['webhooks'],
  })
  const close = () => {
    onClose()
    setSecret(undefined)
    create.reset()
  }
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={secret === undefined ? 'New endpoint' : 'Secret (shown once)'}
      closeOnClickOutside={secret === undefined}
      closeOnEscape={secret === undefined}
    >
      {secret === undefined ? (
        <EndpointForm
          verb="Create endpoint"
          error={create.error}
          isPending={create.isPending}
          onClose={close}
          onSubmit={(fields) =>
            create.mutate(fields, { onSuccess: (made) => setSecret(made.secret) })
          }
        />
      ) : (
        <SecretOnce secret={secret} onKept={close} />
      )}
    </Modal>
  )
}
