import { CopyId } from '../../parts/copy-id.tsx'
import { KeyValue } from '../../parts/key-value.tsx'
import { AnchorLink } from '../../parts/links.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { useUser } from '../../shell/use-user.ts'
import { ROLE_LOOKS } from '../../states/role.ts'
import { ROW_ROLES, type Row } from './job.ts'

const OUTBOX = 'evidence.rows'

/** Where a row is, in the file and on its way. */
export function RowFacts({ row }: { row: Row }) {
  const { role } = useUser()
  const { status, kafkaPartition, kafkaOffset, eventId } = row
  return (
    <KeyValue
      facts={{
        State: (
          <>
            <StateBadge state={status} role={ROW_ROLES[status]} />{' '}
            {ROLE_LOOKS[ROW_ROLES[status]].word}
          </>
        ),
        Case: row.caseId === '' ? '(none)' : <CopyId id={row.caseId} what="case" />,
        Position: `row ${row.rowNumber}, line ${row.lineNumber} of the CSV`,
        Retries: row.retryCount,
        'Next due':
          row.nextRetryAt === null ? undefined : <Time at={row.nextRetryAt} clock="business" />,
        Published: row.publishedAt === null ? undefined : <Time at={row.publishedAt} />,
        Topic:
          kafkaPartition === null || kafkaOffset === null
            ? undefined
            : `partition ${kafkaPartition}, offset ${kafkaOffset}`,
        Event: eventId === null ? undefined : <CopyId id={eventId} what="event id" />,
        Id: <CopyId id={row.id} />,
        Message:
          role === 'operator' ? (
            <AnchorLink to="/messages" search={{ outbox: OUTBOX, open: `${OUTBOX}:${row.id}` }}>
              Open in outbox
            </AnchorLink>
          ) : undefined,
      }}
    />
  )
}
