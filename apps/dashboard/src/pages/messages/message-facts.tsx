import { CopyId } from '../../parts/copy-id.tsx'
import { KeyValue } from '../../parts/key-value.tsx'
import { AnchorLink } from '../../parts/links.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { ROLE_LOOKS, type StateRole } from '../../states/role.ts'
import type { MessageDetails } from './message.ts'

interface MessageFactsProps {
  readonly outbox: string
  readonly details: MessageDetails
  readonly role: StateRole | undefined
}

/** Where a message is, and since when. */
export function MessageFacts({ outbox, details, role }: MessageFactsProps) {
  const { id, state, type, key, tenant, attempts, createdAt, held } = details
  const word = role && ROLE_LOOKS[role].word
  const isWaiting = role === 'ready' || role === 'retry' || role === 'failing'
  return (
    <KeyValue
      facts={{
        State: (
          <>
            <StateBadge state={state} role={role} />
            {word !== undefined && word !== state.toLowerCase() && ` ${word}`}
            {held && ', waiting for an earlier message of its key'}
          </>
        ),
        Outbox: (
          <AnchorLink size="sm" to="/outboxes/$name" params={{ name: outbox }}>
            {outbox}
          </AnchorLink>
        ),
        Id: <CopyId id={id} />,
        Type: type ?? undefined,
        Key: key === null ? undefined : <CopyId id={key} what="key" />,
        Organisation: tenant ?? undefined,
        Attempts: attempts,
        'Next due': isWaiting ? <Time at={details.dueAt} clock="business" /> : undefined,
        'Claimed until':
          details.claimedUntil === null ? undefined : <Time at={details.claimedUntil} />,
        Quarantined:
          details.quarantinedAt === null ? undefined : <Time at={details.quarantinedAt} />,
        Created: createdAt === null ? undefined : <Time at={createdAt} />,
        Archived: details.archivedAt === null ? undefined : <Time at={details.archivedAt} />,
        Attempted:
          outbox === 'payments.webhook-deliveries' ? (
            <AnchorLink size="sm" to="/webhooks/deliveries" search={{ open: id }}>
              Requests and responses
            </AnchorLink>
          ) : undefined,
      }}
    />
  )
}
