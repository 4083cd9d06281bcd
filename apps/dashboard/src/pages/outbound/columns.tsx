import { StateBadge } from '../../parts/state-badge.tsx'
import type { Column } from '../../parts/table/column.ts'
import { Time } from '../../parts/time.tsx'
import { roleOfMessage, type OutboundMessage } from './outbound-message.ts'

export const COLUMNS: readonly Column<OutboundMessage>[] = [
  {
    id: 'status',
    title: 'State',
    width: '118px',
    cell: (message) => <StateBadge state={message.status} role={roleOfMessage(message)} />,
  },
  { id: 'channel', title: 'Channel', width: '90px', narrow: 'hidden', cell: (row) => row.channel },
  { id: 'to', title: 'To', width: 'minmax(110px, 1.2fr)', cell: ({ to }) => to },
  { id: 'template', title: 'Template', narrow: 'hidden', cell: (row) => row.templateCode },
  {
    id: 'attempts',
    title: 'Attempts',
    width: '84px',
    narrow: 'hidden',
    cell: ({ attemptCount, maxAttempts }) => `${attemptCount} of ${maxAttempts}`,
  },
  {
    id: 'retry',
    title: 'Next attempt',
    width: '110px',
    narrow: 'hidden',
    cell: ({ nextRetryAt }) => <Time at={nextRetryAt} clock="business" />,
  },
  {
    id: 'error',
    title: 'Last error',
    narrow: 'hidden',
    cell: ({ errorCode }) => errorCode ?? '–',
  },
  { id: 'at', title: 'Created', width: '108px', cell: ({ createdAt }) => <Time at={createdAt} /> },
]
