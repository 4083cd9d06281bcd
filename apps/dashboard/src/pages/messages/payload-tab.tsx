import { Alert, Group, Stack, Text } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { ConfirmButton } from '../../parts/act/confirm.tsx'
import { Json } from '../../parts/show/json.tsx'
import type { MessageDetails, MessageKey } from './use-messages.ts'

interface PayloadTabProps {
  readonly message: MessageKey
  readonly details: MessageDetails
}

/** What is in a message. An encrypted payload is opened on request, and only until this is closed. */
export function PayloadTab({ message, details }: PayloadTabProps) {
  const [revealed, setRevealed] = useState<MessageDetails>()
  const shown = revealed ?? details
  return (
    <Stack gap="sm">
      <EncryptionNote details={shown} message={message} onReveal={setRevealed} />
      <Content details={shown} />
    </Stack>
  )
}

interface EncryptionNoteProps extends PayloadTabProps {
  readonly onReveal: (details: MessageDetails) => void
}

/** How the payload is stored, where that is not simply as it is. */
function EncryptionNote({ details: { encryption }, message, onReveal }: EncryptionNoteProps) {
  const api = useApi()
  const reveal = async (reason: string | undefined) => {
    const answer = await dataOf(
      api.POST('/api/v1/outboxes/{name}/messages/{id}/reveal', {
        params: { path: { name: message.outbox, id: message.id } },
        body: { reason: reason ?? '' },
      }),
    )
    if (answer.encryption === 'encrypted') {
      throw new Error('This server does not have the key. The request is in the audit log.')
    }
    onReveal(answer)
  }
  if (encryption === 'none') return null
  if (encryption === 'erased') {
    return <Note>The key of this payload was destroyed. It cannot be read any more.</Note>
  }
  if (encryption === 'revealed') {
    return <Note>Stored encrypted, and decrypted for you. The audit log has your reason.</Note>
  }
  return (
    <Note>
      <Group justify="space-between" gap="xs">
        <Text size="sm">Stored encrypted.</Text>
        <ConfirmButton
          to="operate"
          label="Reveal"
          title="Show the payload of 1 message?"
          verb="Reveal 1"
          reason="required"
          onConfirm={reveal}
        >
          It is decrypted and shown on this page until you close the message.
        </ConfirmButton>
      </Group>
    </Note>
  )
}

function Note({ children }: { children: ReactNode }) {
  return (
    <Alert color="gray" role="note" icon={<IconLock size={16} aria-hidden />}>
      {children}
    </Alert>
  )
}

function Content({ details: { message, unreadable } }: { details: MessageDetails }) {
  if (message === null) {
    return <Text size="sm">This row is not a valid message: {unreadable ?? 'reason unknown'}</Text>
  }
  const { payload, headers, ...rest } = message
  return (
    <Stack gap="sm">
      <Json value={payload} label="payload" />
      <Text size="sm" fw={600}>
        Headers
      </Text>
      <Json value={headers ?? {}} label="headers" />
      <Text size="sm" fw={600}>
        Envelope
      </Text>
      <Json value={rest} label="envelope" />
    </Stack>
  )
}
