import {
  Alert,
  Autocomplete,
  Button,
  Group,
  Modal,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Textarea,
  TextInput,
} from '@mantine/core'
import { type SubmitEvent, useState } from 'react'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { ApiProblem } from '../../api/problem.ts'
import { useRequestKey } from '../../api/new-id.ts'
import type { paths } from '../../api/schema.d.ts'
import type { OutboundMessage } from './outbound-message.ts'
import { AnchorLink } from '../../parts/links.tsx'
import { sentenceOf, useAction } from '../../parts/use-action.ts'
import { useUser } from '../../shell/use-user.ts'

type NewMessage =
  paths['/api/v1/outbound/messages']['post']['requestBody']['content']['application/json']

const CHANNELS = ['whatsapp', 'email'] as const

/** Templates that the simulated WhatsApp knows; a real account has its own. */
const SIMULATED_TEMPLATES = ['hello_world', 'otp_code', 'appointment_reminder', 'payment_receipt']

/** What was typed into the form. */
interface MessageDraft {
  readonly channel: (typeof CHANNELS)[number]
  readonly to: string
  readonly templateCode: string
  readonly language: string
  /** One to a line. */
  readonly parameters: string
  readonly subject: string
  readonly text: string
  readonly dossierId: string
  readonly maxAttempts: number
}

const EMPTY_DRAFT: MessageDraft = {
  channel: 'whatsapp',
  to: '',
  templateCode: '',
  language: 'en_US',
  parameters: '',
  subject: '',
  text: '',
  dossierId: '',
  maxAttempts: 5,
}

/** The request that a draft stands for; the server says what is wrong with it. */
function requestOf(draft: MessageDraft): NewMessage {
  const { channel, maxAttempts } = draft
  const dossierId = draft.dossierId.trim()
  return {
    channel,
    to: draft.to.trim(),
    ...(channel === 'email'
      ? { payloadJson: { subject: draft.subject.trim(), text: draft.text } }
      : {
          templateCode: draft.templateCode.trim(),
          payloadJson: {
            language: draft.language.trim(),
            parameters: linesOf(draft.parameters),
          },
        }),
    maxAttempts,
    ...(dossierId !== '' && { dossierId }),
  }
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

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

interface DraftFieldsProps {
  readonly draft: MessageDraft
  readonly onChange: (change: Partial<MessageDraft>) => void
}

/** What a message says, to whom, and how often it is tried. */
function DraftFields({ draft, onChange }: DraftFieldsProps) {
  const { production } = useUser()
  const isMail = draft.channel === 'email'
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <Select
          label="Channel"
          data={CHANNELS}
          value={draft.channel}
          onChange={(channel) => channel !== null && onChange({ channel })}
          allowDeselect={false}
        />
        <TextInput
          label="To"
          placeholder={isMail ? 'ann@example.com' : '+16505551234'}
          value={draft.to}
          onChange={({ currentTarget }) => onChange({ to: currentTarget.value })}
          required
          data-autofocus
        />
        {!isMail && (
          <Autocomplete
            size="xs"
            label="Template"
            data={production ? [] : SIMULATED_TEMPLATES}
            value={draft.templateCode}
            onChange={(templateCode) => onChange({ templateCode })}
            required
          />
        )}
        {!isMail && (
          <TextInput
            label="Language"
            value={draft.language}
            onChange={({ currentTarget }) => onChange({ language: currentTarget.value })}
            required
          />
        )}
        {isMail && (
          <TextInput
            label="Subject"
            value={draft.subject}
            onChange={({ currentTarget }) => onChange({ subject: currentTarget.value })}
            maxLength={200}
            required
          />
        )}
      </SimpleGrid>
      {isMail ? (
        <Textarea
          label="Text"
          value={draft.text}
          onChange={({ currentTarget }) => onChange({ text: currentTarget.value })}
          rows={4}
          required
        />
      ) : (
        <Textarea
          label="Parameters"
          description="One per line, as many as the template takes."
          value={draft.parameters}
          onChange={({ currentTarget }) => onChange({ parameters: currentTarget.value })}
          rows={3}
        />
      )}
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput
          label="Dossier"
          description="Requires its consent for the channel."
          value={draft.dossierId}
          onChange={({ currentTarget }) => onChange({ dossierId: currentTarget.value })}
          maxLength={100}
        />
        <NumberInput
          label="Maximum attempts"
          description="With waits of 1, 5, 15, 60 and 360 minutes."
          min={1}
          max={6}
          allowDecimal={false}
          value={draft.maxAttempts}
          onChange={(value) => typeof value === 'number' && onChange({ maxAttempts: value })}
        />
      </SimpleGrid>
      {!production && !isMail && (
        <Alert color="gray" role="note" title="Simulated failures">
          Numbers ending in 0047 and 0026 are refused, in 0429 hit a limit, in 0500 and 0408 leave
          the outcome unknown.
        </Alert>
      )}
    </>
  )
}
