import { Text } from '@mantine/core'
import { CodeNote, useTextBeside } from '../../codes/code-note.tsx'
import { type ListedOutbox, type MessageRow, roleIn } from './use-messages.ts'
import { Time, withShortIds } from '../../parts/show/facts.tsx'
import { StateBadge } from '../../parts/show/states.tsx'
import { type Column, column } from '../../parts/table/columns.tsx'
import { firstOf, useContents } from '../../systems.tsx'

/** The columns of messages; an outbox's own words are coloured by the roles they play. */
export function columnsOf(
  outboxes: readonly ListedOutbox[] | undefined,
): readonly Column<MessageRow>[] {
  return [
    {
      id: 'state',
      title: 'State',
      sortBy: ({ state }) => state,
      width: '128px',
      cell: (row) => <StateBadge state={row.state} role={roleIn(outboxes, row)} />,
    },
    column.text('outbox', 'Outbox', { width: 'minmax(100px, 1.4fr)' }),
    {
      id: 'label',
      title: 'About',
      width: 'minmax(120px, 1.6fr)',
      sortBy: ({ label }) => label,
      cell: ({ label }) => <Short text={label} />,
    },
    column.copy('id', 'Id', { order: 'none', shown: 8, width: '104px', narrow: 'hidden' }),
    {
      id: 'type',
      title: 'Type',
      sortBy: ({ type }) => type,
      width: 'minmax(88px, 1.4fr)',
      cell: ({ type }) => <span title={type ?? undefined}>{type ?? '–'}</span>,
    },
    column.text('attempts', 'Attempts', { width: '64px', align: 'right', narrow: 'hidden' }),
    {
      id: 'due',
      title: 'Next due',
      sortBy: ({ dueAt }) => dueAt,
      width: '104px',
      narrow: 'hidden',
      cell: (row) => <NextDue row={row} role={roleIn(outboxes, row)} />,
    },
    // Behind the other columns that may be left out: where there is no room for all, it goes first.
    {
      id: 'key',
      title: 'Key',
      sortBy: ({ key }) => key,
      width: 'minmax(110px, 1fr)',
      narrow: 'hidden',
      cell: ({ key }) => <Short text={key} />,
    },
    {
      id: 'error',
      title: 'Error',
      sortBy: ({ errorCode, error }) => errorCode ?? error,
      width: 'minmax(100px, 1.4fr)',
      cell: ({ errorCode, error }) => errorCode ?? error ?? '',
    },
    column.time('createdAt', 'Created', { id: 'age', width: '104px' }),
  ]
}

/** A finished message is not due, even if its row still says so. */
function NextDue({ row, role }: { row: MessageRow; role: ReturnType<typeof roleIn> }) {
  if (row.held) return <span title="Waits for an earlier message of its key">waits</span>
  if (role !== 'ready' && role !== 'retry' && role !== 'failing') return <span>–</span>
  return <Time at={row.dueAt} clock="business" ahead />
}

function Short({ text }: { text: string | null }) {
  return text === null ? '–' : <span title={text}>{withShortIds(text)}</span>
}

interface FailureNoteProps {
  readonly outbox: string
  readonly code: string | null
  readonly error: string | null
}

/** Why a message failed and what to do. A system explains the codes of its own destinations. */
export function FailureNote({ outbox, code, error }: FailureNoteProps) {
  const { webs } = useContents()
  const explain = firstOf(webs, ({ outboxes }) => outboxes?.[outbox]?.explain)
  const meaning = code === null ? undefined : explain?.(code)
  const more = useTextBeside(code, error)
  return (
    <div>
      {code !== null && <CodeNote code={code} meaning={meaning} />}
      {more !== null && (
        <Text size="sm" c="dimmed" lineClamp={6} style={{ overflowWrap: 'anywhere' }}>
          {meaning !== undefined && 'Error text: '}
          {more}
        </Text>
      )}
    </div>
  )
}
