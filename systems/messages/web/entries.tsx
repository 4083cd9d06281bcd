import { Text } from '@mantine/core'
import { CodeNote, type ItemOf, type StateRole, type TimelineEntry } from '@posthorn/dashboard/kit'
import { providerMeaning } from './provider-code.ts'

/** Why an attempt failed and what to do, with the provider's own text. */
export function ProviderNote({ code, message }: { code: string; message: string | null }) {
  return (
    <div>
      <CodeNote code={code} meaning={providerMeaning(code)} />
      {message !== null && (
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          Error text: {message}
        </Text>
      )}
    </div>
  )
}

type ConsentEvent = ItemOf<'/api/v1/conversations/{id}/consents'>

/** How consent was given or withdrawn. */
export const SOURCE_WORDS: Readonly<Record<string, string>> = {
  api: 'noted here',
  form: 'by a form',
  paper: 'on paper',
  spoken: 'spoken',
  message: 'by a message',
  import: 'from elsewhere',
  keyword: 'the person wrote it',
  provider: 'the provider says so',
}

/** A grant or a withdrawal as a sentence, with its proof. */
export function consentEntryOf(event: ConsentEvent): TimelineEntry {
  const { id, saidAt, granted, channel, source, proof, recipient, actor } = event
  const details = [
    ...(proof === null ? [] : [`Proof: ${proof}`]),
    ...(recipient === null ? [] : [`Number: ${recipient}`]),
    `By ${actor}`,
  ]
  return {
    id,
    at: saidAt,
    role: granted ? 'confirmed' : 'cancelled',
    what: `${granted ? 'Granted' : 'Withdrawn'} for ${channel}, ${SOURCE_WORDS[source] ?? source}.`,
    details: details.join(' · '),
  }
}

export type AuditEvent = ItemOf<'/api/v1/dossiers/{id}/audit'>

const ROLES: Readonly<Record<string, StateRole>> = {
  CREATED: 'ready',
  SENT: 'sent',
  FAILED: 'dead',
  CANCELLED: 'cancelled',
  RETRIED: 'retry',
  BLOCKED_BY_POLICY: 'dead',
}

export function auditEntryOf({ id, action, details, actor, createdAt }: AuditEvent): TimelineEntry {
  return { id, at: createdAt, role: ROLES[action], what: details, details: `${action} by ${actor}` }
}
