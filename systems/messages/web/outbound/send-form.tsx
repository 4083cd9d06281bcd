import {
  Alert,
  Autocomplete,
  Button,
  Checkbox,
  Group,
  Modal,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Textarea,
  TextInput,
} from '@mantine/core'
import {
  AnchorLink,
  ApiProblem,
  dataOf,
  momentOf,
  type paths,
  sentenceOf,
  useAction,
  useApi,
  useRequestKey,
  useUser,
} from '@posthorn/dashboard/kit'
import { type SubmitEvent, useState } from 'react'
import type { OutboundMessage } from './outbound-message.ts'
import { type Template, useTemplates } from './use-accounts.ts'

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
  /** Of a registered template: its text, or the address of its picture, video or document. */
  readonly header: string
  /** One to a line. */
  readonly buttons: string
  readonly subject: string
  readonly text: string
  readonly dossierId: string
  readonly maxAttempts: number
  /** As the field writes it; empty: at once. */
  readonly sendAt: string
  readonly isUrgent: boolean
}

const EMPTY_DRAFT: MessageDraft = {
  channel: 'whatsapp',
  to: '',
  templateCode: '',
  language: 'en_US',
  parameters: '',
  header: '',
  buttons: '',
  subject: '',
  text: '',
  dossierId: '',
  maxAttempts: 5,
  sendAt: '',
  isUrgent: false,
}

/** The request that a draft stands for; the server says what is wrong with it. */
function requestOf(draft: MessageDraft, template: Template | undefined): NewMessage {
  const { channel, maxAttempts } = draft
  const dossierId = draft.dossierId.trim()
  const sendAt = momentOf(draft.sendAt)
  return {
    channel,
    to: draft.to.trim(),
    ...(channel === 'email'
      ? { payloadJson: { subject: draft.subject.trim(), text: draft.text } }
      : {
          templateCode: draft.templateCode.trim(),
          payloadJson: { language: draft.language.trim(), ...contentOf(draft, template) },
        }),
    maxAttempts,
    ...(dossierId !== '' && { dossierId }),
    ...(sendAt !== undefined && { sendAt }),
    ...(draft.isUrgent && { priority: 'urgent' as const }),
  }
}

/** What a template gets: of one that is not registered, values for its body. */
function contentOf(draft: MessageDraft, template: Template | undefined) {
  const values = linesOf(draft.parameters)
  if (!template) return { parameters: values }
  const { header, body, buttons } = template.parameters
  const isNamed = body.some((name) => !/^\d+$/.test(name))
  const named = Object.fromEntries(body.map((name, i) => [name, values[i] ?? '']))
  const given = draft.header.trim()
  return {
    parameters: isNamed ? named : values,
    ...(header !== null && { header: header === 'text' ? given : { link: given } }),
    ...(buttons.some((kind) => kind !== 'otp') && { buttons: linesOf(draft.buttons) }),
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
  const templates = useTemplates().data?.items ?? []
  const template = templates.find(
    ({ name, language }) => name === draft.templateCode && language === draft.language,
  )
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
    send.mutate(requestOf(draft, template), {
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
          template={template}
          names={[...new Set(templates.map(({ name }) => name))]}
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
  /** The one that is chosen, if it is registered. */
  readonly template: Template | undefined
  /** Of all that are registered. */
  readonly names: readonly string[]
  readonly onChange: (change: Partial<MessageDraft>) => void
}

/** What a message says, to whom, and how often it is tried. */
function DraftFields({ draft, template, names, onChange }: DraftFieldsProps) {
  const { production } = useUser()
  const known = production ? names : [...new Set([...names, ...SIMULATED_TEMPLATES])]
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
            data={known}
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
        <TemplateFields draft={draft} template={template} onChange={onChange} />
      )}
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput
          label="Dossier"
          description="Requires its consent for the channel."
          value={draft.dossierId}
          onChange={({ currentTarget }) => onChange({ dossierId: currentTarget.value })}
          maxLength={100}
        />
        <TextInput
          type="datetime-local"
          label="Send at"
          description="Left empty: at once."
          value={draft.sendAt}
          onChange={({ currentTarget }) => onChange({ sendAt: currentTarget.value })}
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
      <Checkbox
        label="Urgent: goes before other messages"
        checked={draft.isUrgent}
        onChange={({ currentTarget }) => onChange({ isUrgent: currentTarget.checked })}
      />
      {!production && !isMail && (
        <Alert color="gray" role="note" title="Simulated failures">
          Numbers ending in 0047 and 0026 are refused, in 0429 hit a limit, in 0500 and 0408 leave
          the outcome unknown.
        </Alert>
      )}
    </>
  )
}

/** What the chosen template takes. */
function TemplateFields({ draft, template, onChange }: Omit<DraftFieldsProps, 'names'>) {
  const { header = null, body, buttons = [] } = template?.parameters ?? {}
  const count = body === undefined ? 'as many as the template takes' : body.join(', ')
  return (
    <>
      {header !== null && (
        <TextInput
          label={header === 'text' ? 'Header' : `Address of the header’s ${header}`}
          value={draft.header}
          onChange={({ currentTarget }) => onChange({ header: currentTarget.value })}
          required
        />
      )}
      {body?.length !== 0 && (
        <Textarea
          label="Parameters"
          description={`One per line: ${count}.`}
          value={draft.parameters}
          onChange={({ currentTarget }) => onChange({ parameters: currentTarget.value })}
          rows={3}
        />
      )}
      {buttons.some((kind) => kind !== 'otp') && (
        <Textarea
          label="Buttons"
          description="One value per line, for each button that takes one."
          value={draft.buttons}
          onChange={({ currentTarget }) => onChange({ buttons: currentTarget.value })}
          rows={2}
          required
        />
      )}
    </>
  )
}
