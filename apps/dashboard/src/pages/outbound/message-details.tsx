import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { CopyId } from '../../parts/copy-id.tsx'
import { Json } from '../../parts/json.tsx'
import { KeyValue } from '../../parts/key-value.tsx'
import { AnchorLink } from '../../parts/links.tsx'
import { Panel } from '../../parts/panel.tsx'
import { QueryState } from '../../parts/query-state.tsx'
import { StepRow } from '../../parts/step-row.tsx'
import { Time } from '../../parts/time.tsx'
import { Attempts } from './attempts.tsx'
import { MessageActions } from './message-actions.tsx'
import { MessageAudit } from './message-audit.tsx'
import { standingOf, wayOf, type OutboundMessage } from './outbound-message.ts'
import { ProviderNote } from '../../codes/provider-note.tsx'

/** Where a message is, why, and what can be done about it. */
export function MessageDetails({ id }: { id: string }) {
  const api = useApi()
  const query = useQuery({
    queryKey: ['outbound', 'message', id],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/outbound/messages/{id}', { params: { path: { id } }, signal })),
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
                Next attempt <Time at={message.nextRetryAt} clock="business" />.
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
            <Json value={message.payloadJson} label="content" />
          </Panel>
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
        Template: message.templateCode,
        Attempts: `${message.attemptCount} of ${message.maxAttempts}`,
        Dossier:
          dossierId === null ? undefined : (
            <AnchorLink to="/outbound/dossiers/$id" params={{ id: dossierId }}>
              {dossierId}
            </AnchorLink>
          ),
        Id: <CopyId id={message.id} />,
        'Provider id':
          providerMessageId === null ? undefined : (
            <CopyId id={providerMessageId} what="provider id" shown={48} />
          ),
        'Idempotency-Key': <CopyId id={message.idempotencyKey} what="key" />,
        Created: <Time at={message.createdAt} />,
        Changed: <Time at={message.updatedAt} />,
      }}
    />
  )
}
