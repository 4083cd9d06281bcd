import { Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import {
  ActButton,
  ActionForm,
  AnchorLink,
  type Api,
  ApiProblem,
  type BodyOf,
  ButtonLink,
  dataOf,
  DialogButton,
  Empty,
  type ItemOf,
  type ListPage,
  PageFrame,
  Panel,
  put,
  QueryState,
  StateBadge,
  type StateRole,
  Time,
  Timeline,
  type TimelineEntry,
  useAction,
  useApi,
  useDraft,
  useFresh,
  useRead,
  moved,
} from '@posthorn/dashboard/kit'
import { auditEntryOf, consentEntryOf, ProviderNote, SOURCE_WORDS } from '../entries.tsx'
import { SendButton } from './send-form.tsx'

export function Dossier() {
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const navigate = useNavigate()
  useFresh(['outbound', 'dossier', id], moved('messages.outbound'))
  return (
    <PageFrame
      title={`Dossier ${id}`}
      lead="A message for a dossier is sent only while it grants consent for the channel."
      actions={
        <>
          <ButtonLink variant="default" to="/outbound">
            All messages
          </ButtonLink>
          <SendButton
            dossierId={id}
            onSent={(message) =>
              void navigate({ to: '/outbound', search: { open: message.id } } as never)
            }
          />
        </>
      }
    >
      <Panel title="Consent">
        <Consents id={id} />
      </Panel>
      <Panel title="Timeline">
        <DossierTimeline id={id} />
      </Panel>
    </PageFrame>
  )
}

const MOST = 200

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

/** The details of an activity; an older one may lack any field. */
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
      return `A message by ${channel} failed for good.`
    case 'MESSAGE_RECEIVED':
      return `The person wrote by ${channel}.`
    case 'MESSAGE_STATUS_UPDATE':
      return `The provider reports: ${status}.`
    default:
      return `${type}.`
  }
}

type Consent = ItemOf<'/api/v1/dossiers/{id}/consents'>
type NewConsent = BodyOf<'/api/v1/dossiers/{id}/consents/{channel}', 'put'>

/** Consent for each channel, with its history. */
export function Consents({ id }: { id: string }) {
  const query = useRead('/api/v1/dossiers/{id}/consents', ['outbound', 'dossier', id, 'consents'], {
    params: { path: { id } },
  })
  return (
    <QueryState query={query}>
      {({ items, channels }) => (
        <Stack gap="sm">
          {channels.map((channel) => (
            <Channel
              key={channel}
              {...{ id, channel }}
              said={items.find((consent) => consent.channel === channel)}
            />
          ))}
          {items.length > 0 && <History id={id} />}
        </Stack>
      )}
    </QueryState>
  )
}

interface ChannelProps {
  readonly id: string
  readonly channel: string
  /** What was said last; undefined if nothing was. */
  readonly said: Consent | undefined
}

function Channel({ id, channel, said }: ChannelProps) {
  const state = said === undefined ? 'not asked' : said.granted ? 'granted' : 'withdrawn'
  return (
    <Group justify="space-between" gap="xs">
      <Group gap="sm">
        <Text fw={600} w={80}>
          {channel}
        </Text>
        <StateBadge
          state={state}
          role={said === undefined ? undefined : said.granted ? 'confirmed' : 'cancelled'}
        />
        {said !== undefined && (
          <Text size="sm" c="dimmed" component="div">
            since <Time at={said.updatedAt} />
          </Text>
        )}
      </Group>
      <ConsentButton {...{ id, channel, said }} />
    </Group>
  )
}

function consentActs(id: string, channel: string) {
  return {
    set: (body: NewConsent) =>
      put('/api/v1/dossiers/{id}/consents/{channel}', { path: { id, channel }, body }),
    done: ({ granted }: { granted: boolean }) =>
      `Consent for ${channel} is ${granted ? 'granted' : 'withdrawn'}.`,
    changes: ['outbound', 'conversations'],
  }
}

function ConsentButton({ id, channel, said }: ChannelProps) {
  const { set, ...act } = consentActs(id, channel)
  if (said?.granted !== true) {
    return (
      <DialogButton
        to="write"
        variant="default"
        label={`Grant ${channel}`}
        title={`Grant consent for ${channel}?`}
      >
        {(close) => <GrantForm {...{ id, channel }} onClose={close} />}
      </DialogButton>
    )
  }
  return (
    <ActButton
      key="withdraw"
      label={`Withdraw ${channel}`}
      title={`Withdraw consent for ${channel}?`}
      verb="Withdraw"
      tone="danger"
      run={() => set({ granted: false })}
      {...act}
    >
      All messages for {id} that wait on {channel} are cancelled. Messages already at the provider
      cannot be recalled.
    </ActButton>
  )
}

const SOURCES = ['api', 'form', 'paper', 'spoken', 'message', 'import'] as const

function GrantForm({ id, channel, onClose }: { id: string; channel: string; onClose: () => void }) {
  const { set, ...said } = consentActs(id, channel)
  const { draft, choice, text } = useDraft({
    source: 'api' as (typeof SOURCES)[number],
    proof: '',
    recipient: '',
  })
  const grant = useAction({
    run: () => {
      const { source, ...typed } = draft
      const given = Object.entries(typed).filter(([, value]) => value.trim() !== '')
      const named = Object.fromEntries(given.map(([name, value]) => [name, value.trim()]))
      return set({ granted: true, source, ...named })
    },
    ...said,
  })
  return (
    <ActionForm action={grant} onClose={onClose} verb="Grant">
      <Text size="sm">
        From now on messages for {id} may be sent by {channel}. Grant only with the person’s
        consent.
      </Text>
      <Select
        label="Given"
        data={SOURCES.map((value) => ({ value, label: SOURCE_WORDS[value] ?? value }))}
        {...choice('source')}
      />
      <TextInput
        label="Proof"
        description="Where the consent can be seen."
        {...text('proof')}
        maxLength={1_000}
      />
      <TextInput
        label={channel === 'email' ? 'Address' : 'Number'}
        description="If that one had opted out, it may be written to again."
        {...text('recipient')}
        maxLength={254}
      />
    </ActionForm>
  )
}

/** Every grant and withdrawal, newest first. */
function History({ id }: { id: string }) {
  const query = useRead(
    '/api/v1/dossiers/{id}/consent-history',
    ['outbound', 'dossier', id, 'consent-history'],
    { params: { path: { id }, query: { limit: 50 } } },
  )
  return (
    <QueryState query={query}>
      {({ items }) => <Timeline entries={items.map(consentEntryOf)} />}
    </QueryState>
  )
}
