import type { paths } from '../../api/schema.d.ts'
import { AnchorLink } from '../../parts/links.tsx'
import type { TimelineEntry } from '../../parts/timeline.tsx'
import type { StateRole } from '../../states/role.ts'
import { ProviderNote } from '../../codes/provider-note.tsx'

export type Activity =
  paths['/api/v1/dossiers/{id}/activities']['get']['responses']['200']['content']['application/json']['items'][number]

/** What an activity says of its message; every field may be missing in an older one. */
interface Metadata {
  readonly messageId?: string
  readonly channel?: string
  readonly status?: string
  readonly errorCode?: string
  readonly errorMessage?: string
}

const STATUS_ROLES: Readonly<Record<string, StateRole>> = {
  sent: 'sent',
  delivered: 'confirmed',
  read: 'confirmed',
  failed: 'dead',
}

/** Something that happened to a message of a dossier, as a sentence with a link to the message. */
export function activityEntryOf({ id, type, metadata, createdAt }: Activity): TimelineEntry {
  const about = (metadata ?? {}) as Metadata
  const { messageId, errorCode, errorMessage = null } = about
  return {
    id,
    at: createdAt,
    role: roleOf(type, about),
    what: (
      <>
        {sentenceOf(type, about)}{' '}
        {messageId !== undefined && (
          <AnchorLink size="sm" to="/outbound" search={{ open: messageId }}>
            Open message
          </AnchorLink>
        )}
      </>
    ),
    ...(errorCode !== undefined && {
      details: <ProviderNote code={errorCode} message={errorMessage} />,
    }),
  }
}

function roleOf(type: string, { status = '' }: Metadata): StateRole | undefined {
  if (type === 'MESSAGE_SENT') return 'sent'
  return type === 'MESSAGE_FAILED' ? 'dead' : STATUS_ROLES[status]
}

function sentenceOf(type: string, { channel = 'its channel', status = 'unknown' }: Metadata) {
  switch (type) {
    case 'MESSAGE_SENT':
      return `A message was sent by ${channel}.`
    case 'MESSAGE_FAILED':
      return `A message by ${channel} was given up.`
    case 'MESSAGE_STATUS_UPDATE':
      return `The provider reports: ${status}.`
    default:
      return `${type}.`
  }
}
