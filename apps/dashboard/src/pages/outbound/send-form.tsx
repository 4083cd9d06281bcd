import { Alert, Button, Group, Modal, Stack } from '@mantine/core'
import { useState, type SubmitEvent } from 'react'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { ApiProblem } from '../../api/problem.ts'
import { useRequestKey } from '../../api/request-key.ts'
import { AnchorLink } from '../../parts/links.tsx'
import { sentenceOf, useAction } from '../../parts/use-action.ts'
import { DraftFields } from './draft-fields.tsx'
import { EMPTY_DRAFT, requestOf, type MessageDraft, type NewMessage } from './new-message.ts'
import type { OutboundMessage } from './outbound-message.ts'

interface SendFormProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onSent: (message: OutboundMessage) => void
  /** The dossier that it is for, where one is looked at. */
  readonly dossierId?: string
}

/** Sends one message; pressing twice sends it once. */
export function SendForm({ isOpen, onClose, ...rest }: SendFormProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Send 1 message" size="lg">
      <Form {...rest} onClose={onClose} />
    </Modal>
  )
}

function Form({ onClose, onSent, dossierId = '' }: Omit<SendFormProps, 'isOpen'>) {
  const api = useApi()
  const key = useRequestKey()
  const [draft, setDraft] = useState<MessageDraft>({ ...EMPTY_DRAFT, dossierId })
  const send = useAction({
    run: (body: NewMessage) =>
      dataOf(
        api.POST('/api/v1/outbound/messages', {
          body,
          headers: { 'idempotency-key': key.keyFor(body) },
        }),
      ),
    done: ({ to }) => `Message to ${to} queued.`,
    changes: ['outbound'],
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    send.mutate(requestOf(draft), {
      onSuccess: (message) => {
        key.done()
        onClose()
        onSent(message)
      },
    })
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <DraftFields
          draft={draft}
          onChange={(change) => setDraft((before) => ({ ...before, ...change }))}
        />
        {send.isError && (
          <Alert color="red" role="alert">
            {sentenceOf(send.error)}{' '}
            {send.error instanceof ApiProblem && send.error.code === 'CONSENT_REQUIRED' && (
              <AnchorLink to="/outbound/dossiers/$id" params={{ id: draft.dossierId.trim() }}>
                Open the dossier to grant it
              </AnchorLink>
            )}
          </Alert>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={send.isPending}>
            Send 1 message
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
