import {
  Alert,
  Autocomplete,
  Checkbox,
  NumberInput,
  Select,
  SimpleGrid,
  Textarea,
  TextInput,
} from '@mantine/core'
import {
  ActionForm,
  AnchorLink,
  ApiProblem,
  type BodyOf,
  DialogButton,
  momentOf,
  post,
  sentenceOf,
  useAction,
  useDraft,
  useRequestKey,
  useUser,
} from '@posthorn/dashboard/kit'
import { IconSend } from '@tabler/icons-react'
import type { OutboundMessage } from './outbound-message.ts'
import { type Template, useTemplates } from './use-accounts.ts'

type NewMessage = BodyOf<'/api/v1/outbound/messages'>

const CHANNELS = ['whatsapp', 'email'] as const

/** Templates that the simulated WhatsApp knows; a real account has its own. */
const SIMULATED_TEMPLATES = ['hello_world', 'otp_code', 'appointment_reminder', 'payment_receipt']

const EMPTY_DRAFT = {
  channel: 'whatsapp' as (typeof CHANNELS)[number],
  to: '',
  templateCode: '',
  language: 'en_US',
  /** One to a line. */
  parameters: '',
  /** Of a registered template: its text, or the address of its picture, video or document. */
  header: '',
  /** One to a line. */
  buttons: '',
  subject: '',
  text: '',
  dossierId: '',
  maxAttempts: 5,
  /** As the field writes it; empty: at once. */
  sendAt: '',
  isUrgent: false,
}
type MessageDraft = typeof EMPTY_DRAFT

/** The request for a draft; the server validates it. */
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

/** The content of a template message; an unregistered template gets body parameters only. */
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

interface SendProps {
  readonly onSent: (message: OutboundMessage) => void
  /** The dossier that it is for, where one is looked at. */
  readonly dossierId?: string
}

export function SendButton(props: SendProps) {
  return (
    <DialogButton
      to="write"
      leftSection={<IconSend size={14} aria-hidden />}
      label="Send a message"
      title="Send 1 message"
      dialog={{ size: 'lg' }}
    >
      {(close) => <Fields {...props} onClose={close} />}
    </DialogButton>
  )
}

/** Sends one message; pressing twice sends it once. */
function Fields({ onClose, onSent, dossierId = '' }: SendProps & { onClose: () => void }) {
  const key = useRequestKey()
  const form = useDraft<MessageDraft>({ ...EMPTY_DRAFT, dossierId })
  const { draft } = form
  const templates = useTemplates().data?.items ?? []
  const template = templates.find(
    ({ name, language }) => name === draft.templateCode && language === draft.language,
  )
  const send = useAction({
    run: () => {
      const body = requestOf(draft, template)
      const headers = { 'idempotency-key': key.keyFor(body) }
      return post('/api/v1/outbound/messages', { body, headers })
    },
    done: ({ to }) => `Message to ${to} queued.`,
    changes: ['outbound'],
  })
  return (
    <ActionForm
      action={send}
      onClose={onClose}
      verb="Send 1 message"
      onDone={(message) => {
        key.done()
        onSent(message)
      }}
      renderError={(error) => (
        <>
          {sentenceOf(error)}{' '}
          {error instanceof ApiProblem && error.code === 'CONSENT_REQUIRED' && (
            <AnchorLink to="/outbound/dossiers/$id" params={{ id: draft.dossierId.trim() }}>
              Open the dossier to grant it
            </AnchorLink>
          )}
        </>
      )}
    >
      <DraftFields form={form} template={template} names={templates.map(({ name }) => name)} />
    </ActionForm>
  )
}

interface DraftFieldsProps {
  readonly form: ReturnType<typeof useDraft<MessageDraft>>
  /** The one that is chosen, if it is registered. */
  readonly template: Template | undefined
  /** Of all that are registered. */
  readonly names: readonly string[]
}

function DraftFields({ form, template, names }: DraftFieldsProps) {
  const { production } = useUser()
  const known = [...new Set([...names, ...(production ? [] : SIMULATED_TEMPLATES)])]
  const isMail = form.draft.channel === 'email'
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <Select label="Channel" data={CHANNELS} {...form.choice('channel')} />
        <TextInput
          label="To"
          placeholder={isMail ? 'ann@example.com' : '+16505551234'}
          {...form.text('to')}
          required
          data-autofocus
        />
        {!isMail && (
          <Autocomplete
            size="xs"
            label="Template"
            data={known}
            {...form.value('templateCode')}
            required
          />
        )}
        {!isMail && <TextInput label="Language" {...form.text('language')} required />}
        {isMail && <TextInput label="Subject" {...form.text('subject')} maxLength={200} required />}
      </SimpleGrid>
      {isMail ? (
        <Textarea label="Text" {...form.text('text')} rows={4} required />
      ) : (
        <TemplateFields form={form} template={template} />
      )}
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput
          label="Dossier"
          description="Requires its consent for the channel."
          {...form.text('dossierId')}
          maxLength={100}
        />
        <TextInput
          type="datetime-local"
          label="Send at"
          description="Leave empty to send it now."
          {...form.text('sendAt')}
        />
        <NumberInput
          label="Maximum attempts"
          description="With waits of 1, 5, 15, 60 and 360 minutes."
          min={1}
          max={6}
          allowDecimal={false}
          value={form.draft.maxAttempts}
          onChange={(value) => typeof value === 'number' && form.set({ maxAttempts: value })}
        />
      </SimpleGrid>
      <Checkbox label="Urgent: sent before other messages" {...form.check('isUrgent')} />
      {!production && !isMail && (
        <Alert color="gray" role="note" title="Simulated failures">
          Numbers ending in 0047 and 0026 are refused, in 0429 hit a limit, in 0500 and 0408 leave
          the outcome unknown.
        </Alert>
      )}
    </>
  )
}

function TemplateFields({ form, template }: Omit<DraftFieldsProps, 'names'>) {
  const { header = null, body, buttons = [] } = template?.parameters ?? {}
  const count = body === undefined ? 'as many as the template takes' : body.join(', ')
  return (
    <>
      {header !== null && (
        <TextInput
          label={header === 'text' ? 'Header' : `Address of the header’s ${header}`}
          {...form.text('header')}
          required
        />
      )}
      {body?.length !== 0 && (
        <Textarea
          label="Parameters"
          description={`One per line: ${count}.`}
          {...form.text('parameters')}
          rows={3}
        />
      )}
      {buttons.some((kind) => kind !== 'otp') && (
        <Textarea
          label="Buttons"
          description="One value per line, for each button that takes one."
          {...form.text('buttons')}
          rows={2}
          required
        />
      )}
    </>
  )
}
