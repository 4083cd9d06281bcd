import { Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import {
  AnchorLink,
  type Api,
  ApiProblem,
  ButtonLink,
  dataOf,
  Empty,
  type ItemOf,
  type ListPage,
  PageFrame,
  Panel,
  PermittedButton,
  QueryState,
  type StateRole,
  Timeline,
  type TimelineEntry,
  useApi,
  useFresh,
} from '@posthorn/dashboard/kit'
import { auditEntryOf, ProviderNote } from '../entries.tsx'
import { Consents } from './consents.tsx'
import { SendForm } from './send-form.tsx'

/** A dossier: what it allows, and what happened to what was sent for it. */
export function Dossier() {
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const [isSending, sending] = useDisclosure(false)
  const navigate = useNavigate()
  useFresh(
    ['outbound', 'dossier', id],
    (event) => event.kind === 'transition' && event.outbox === 'messages.outbound',
  )
  return (
    <PageFrame
      title={`Dossier ${id}`}
      lead="A message for a dossier is sent only while it grants consent for the channel."
      actions={
        <>
          <ButtonLink variant="default" to="/outbound">
            All messages
          </ButtonLink>
          <PermittedButton to="write" onClick={sending.open}>
            Send a message
          </PermittedButton>
        </>
      }
    >
      <Panel title="Consent">
        <Consents id={id} />
      </Panel>
      <Panel title="Timeline">
        <DossierTimeline id={id} />
      </Panel>
      <SendForm
        isOpen={isSending}
        onClose={sending.close}
        dossierId={id}
        onSent={(message) =>
          void navigate({ to: '/outbound', search: { open: message.id } } as never)
        }
      />
    </PageFrame>
  )
}

const MOST = 200

/** Activities and audit of a dossier together, newest first. */
function DossierTimeline({ id }: { id: string }) {
  const api = useApi()
  const query = useQuery({
    queryKey: ['outbound', 'dossier', id, 'timeline'],
    queryFn: ({ signal }) => readTimeline(api, id, signal),
  })
  return (
    <QueryState query={query}>
      {({ entries, isCut }) =>
        entries.length === 0 ? (
          <Empty title="Nothing yet">
            No consent and no messages so far. Grant consent above to begin.
          </Empty>
        ) : (
          <>
            <Timeline entries={entries} />
            {isCut && (
              <Text size="xs" c="dimmed" mt="sm">
                Showing the newest {MOST} of each kind.
              </Text>
            )}
          </>
        )
      }
    </QueryState>
  )
}

async function readTimeline(api: Api, id: string, signal: AbortSignal) {
  const options = { params: { path: { id }, query: { limit: MOST } }, signal }
  const [activities, audit] = await Promise.all([
    orNone(dataOf(api.GET('/api/v1/dossiers/{id}/activities', options))),
    orNone(dataOf(api.GET('/api/v1/dossiers/{id}/audit', options))),
  ])
  const entries = [...activities.items.map(activityEntryOf), ...audit.items.map(auditEntryOf)]
  return {
    entries: entries.toSorted(
      (one, other) => Date.parse(other.at ?? '') - Date.parse(one.at ?? ''),
    ),
    isCut: activities.nextCursor !== null || audit.nextCursor !== null,
  }
}

/** A dossier is created with its first consent: before that there is nothing to show. */
async function orNone<Row>(page: Promise<ListPage<Row>>): Promise<ListPage<Row>> {
  try {
    return await page
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 404) return { items: [], nextCursor: null }
    throw error
  }
}

type Activity = ItemOf<'/api/v1/dossiers/{id}/activities'>

/** What an activity says of its message; every field may be missing in an older one. */
interface Metadata {
  readonly messageId?: string
  readonly conversationId?: string
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
function activityEntryOf({ id, type, metadata, createdAt }: Activity): TimelineEntry {
  const about = (metadata ?? {}) as Metadata
  const { messageId, conversationId, errorCode, errorMessage = null } = about
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
        {conversationId !== undefined && (
          <AnchorLink size="sm" to="/conversations/$id" params={{ id: conversationId }}>
            Open conversation
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
    case 'MESSAGE_RECEIVED':
      return `The person wrote by ${channel}.`
    case 'MESSAGE_STATUS_UPDATE':
      return `The provider reports: ${status}.`
    default:
      return `${type}.`
  }
}
