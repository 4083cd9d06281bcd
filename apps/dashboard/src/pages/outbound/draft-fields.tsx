import {
  Alert,
  Autocomplete,
  NumberInput,
  Select,
  SimpleGrid,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useUser } from '../../shell/use-user.ts'
import { CHANNELS, SIMULATED_TEMPLATES, type MessageDraft } from './new-message.ts'

interface DraftFieldsProps {
  readonly draft: MessageDraft
  readonly onChange: (change: Partial<MessageDraft>) => void
}

/** What a message says, to whom, and how often it is tried. */
export function DraftFields({ draft, onChange }: DraftFieldsProps) {
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
        <Autocomplete
          size="xs"
          label="Template"
          data={production || isMail ? [] : SIMULATED_TEMPLATES}
          value={draft.templateCode}
          onChange={(templateCode) => onChange({ templateCode })}
          required
          {...(isMail && { description: 'Stored with the message; the mail has the text below.' })}
        />
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
