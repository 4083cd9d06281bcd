import { Group, Stack, Text } from '@mantine/core'
import {
  ActButton,
  AnchorLink,
  countOf,
  CopyId,
  Empty,
  idFact,
  type ItemOf,
  Json,
  KeyValue,
  Panel,
  post,
  QueryState,
  Related,
  StepRow,
  Time,
  timeFact,
  Timeline,
  type TimelineEntry,
  useRead,
} from '@posthorn/dashboard/kit'
import { auditEntryOf, ProviderNote } from '../entries.tsx'
import { type OutboundMessage, standingOf, wayOf } from './outbound-message.ts'

export function MessageDetails({ id }: { id: string }) {
  const query = useRead('/api/v1/outbound/messages/{id}', ['outbound', 'message', id], {
    params: { path: { id } },
  })
  return (
    <QueryState query={query}>
      {(message) => (
        <Stack gap="md">
          <StepRow label="Timeline" steps={wayOf(message)} />
          <Text>
            {standingOf(message)}{' '}
            {message.nextRetryAt !== null && (
              <>
                Next attempt <Time at={message.nextRetryAt} clock="business" ahead />.
              </>
            )}
          </Text>
          {message.errorCode !== null && (
            <ProviderNote code={message.errorCode} message={message.errorMessage} />
          )}
          <MessageActions message={message} />
          <Facts message={message} />
          <Panel title="Attempts">
            <Attempts id={id} />
          </Panel>
          <Panel title="Audit">
            <MessageAudit id={id} />
          </Panel>
          <Panel title="Content">
            {message.contentsRemovedAt !== null && (
              <Text size="sm">
                Parameters were removed <Time at={message.contentsRemovedAt} />, by the retention of
                contents.
              </Text>
            )}
            <Json value={message.payloadJson} label="content" />
          </Panel>
          <Related id={message.id} except={[]} />
        </Stack>
      )}
    </QueryState>
  )
}

function Facts({ message }: { message: OutboundMessage }) {
  const { dossierId, providerMessageId } = message
  return (
    <KeyValue
      facts={{
        To: `${message.to} by ${message.channel}`,
        Template: message.templateCode ?? undefined,
        Attempts: `${message.attemptCount} of ${message.maxAttempts}`,
        Priority: message.priority === 'urgent' ? 'urgent' : undefined,
        Dossier:
          dossierId === null ? undefined : (
            <AnchorLink to="/outbound/dossiers/$id" params={{ id: dossierId }}>
              {dossierId}
            </AnchorLink>
          ),
        Id: <CopyId id={message.id} />,
        'Provider id': idFact(providerMessageId, { what: 'provider id', shown: 48 }),
        'Idempotency-Key': <CopyId id={message.idempotencyKey} what="key" />,
        Created: <Time at={message.createdAt} />,
        'Send at': timeFact(message.sendAt, { clock: 'business', ahead: true }),
        Sent: timeFact(message.sentAt),
        Delivered: timeFact(message.deliveredAt),
        Read: timeFact(message.readAt),
        Changed: <Time at={message.updatedAt} />,
      }}
    />
  )
}

function MessageActions({ message }: { message: OutboundMessage }) {
  const params = { path: { id: message.id } }
  if (message.status === 'QUEUED') {
    return (
      <Group>
        <ActButton
          key="cancel"
          label="Cancel"
          title="Cancel 1 message?"
          verb="Cancel message"
          dismiss="Back"
          tone="danger"
          run={() => post('/api/v1/outbound/messages/{id}/cancel', params)}
          done={({ to }) => `Message to ${to} cancelled.`}
          changes={['outbound']}
        >
          {message.to} will not receive it. A cancelled message cannot be sent again; send a new one
          instead.
        </ActButton>
      </Group>
    )
  }
  if (message.status !== 'FAILED') return null
  if (message.contentsRemovedAt !== null) {
    return (
      <Text size="sm" c="dimmed">
        Its contents are no longer kept. Send a new message instead.
      </Text>
    )
  }
  return (
    <Group>
      <ActButton
        key="retry"
        label="Send again"
        title="Send 1 message again?"
        verb="Send message again"
        run={() => post('/api/v1/outbound/messages/{id}/retry', params)}
        done={({ to }) => `Message to ${to} queued again.`}
        changes={['outbound']}
      >
        It is queued as a new message, with {countOf(message.maxAttempts, 'attempt')}.
        {message.errorCode === 'OUTCOME_UNKNOWN' &&
          ' It may have arrived already: then this is a duplicate.'}
      </ActButton>
    </Group>
  )
}

type Attempt = ItemOf<'/api/v1/outbound/messages/{id}/attempts'>

function Attempts({ id }: { id: string }) {
  const query = useRead('/api/v1/outbound/messages/{id}/attempts', ['outbound', 'attempts', id], {
    params: { path: { id }, query: { limit: 50 } },
  })
  return (
    <QueryState query={query}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty title="No attempts yet">
            The worker sends the message when it is due; every attempt is recorded here.
          </Empty>
        ) : (
          <Timeline entries={items.map(entryOf)} />
        )
      }
    </QueryState>
  )
}

const OUTCOMES = {
  TRYING: { what: 'in progress', role: 'claimed' },
  SUCCESS: { what: 'accepted by the provider', role: 'sent' },
  FAILED: { what: 'failed', role: 'failing' },
} as const

function entryOf(attempt: Attempt): TimelineEntry {
  const { what, role } = OUTCOMES[attempt.status]
  return {
    id: attempt.id,
    at: attempt.createdAt,
    role,
    what: `Attempt ${attempt.attemptNo}: ${what}`,
    details: (
      <>
        {attempt.errorCode !== null && (
          <ProviderNote code={attempt.errorCode} message={attempt.errorMessage} />
        )}
        {attempt.nextRetryAt !== null && (
          <div>
            Tried again <Time at={attempt.nextRetryAt} clock="business" ahead />.
          </div>
        )}
        {attempt.providerResponse !== null && (
          <Json value={attempt.providerResponse} label={`answer to attempt ${attempt.attemptNo}`} />
        )}
      </>
    ),
  }
}

function MessageAudit({ id }: { id: string }) {
  const query = useRead('/api/v1/outbound/messages/{id}/audit', ['outbound', 'audit', id], {
    params: { path: { id }, query: { limit: 100 } },
  })
  return (
    <QueryState query={query}>
      {({ items }) => <Timeline entries={items.map(auditEntryOf)} />}
    </QueryState>
  )
}
