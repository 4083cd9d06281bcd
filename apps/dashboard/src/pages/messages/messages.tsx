import { useMemo } from 'react'
import { because, post } from '../../api/client.tsx'
import {
  addressOf,
  CHANGED,
  columnsOf,
  isWaiting,
  keyIn,
  type ListedOutbox,
  type MessageRow,
  roleIn,
  useMessages,
  useOutboxes,
} from './message-list.tsx'
import { BulkButton } from '../../parts/act/bulk-button.tsx'
import { field, useFilter } from '../../parts/act/filter-bar.tsx'
import { Empty, QueryState } from '../../parts/layout/notice.tsx'
import { PageFrame } from '../../parts/layout/page-frame.tsx'
import { SavedViews } from '../../parts/layout/saved-views.tsx'
import { withShortIds } from '../../parts/show/facts.tsx'
import { useTable } from '../../parts/table/layout.ts'
import { FilteredTable } from '../../parts/table/list-page.tsx'
import { useSelection } from '../../parts/table/list.ts'
import { MessageDetailsView } from './message-details.tsx'

/** Every message of every outbox. */
export function Messages() {
  const query = useOutboxes()
  return (
    <PageFrame
      title="Messages"
      lead="All messages: their state, its reason and the actions available."
    >
      <QueryState query={query}>{(outboxes) => <MessageList outboxes={outboxes} />}</QueryState>
    </PageFrame>
  )
}

function MessageList({ outboxes }: { outboxes: readonly ListedOutbox[] }) {
  const filter = useFilter(fieldsFor(outboxes))
  const fields = fieldsFor(outboxes, filter.values.outbox)
  const selection = useSelection()
  const list = useMessages('messages', filter.values)
  const columns = useMemo(() => columnsOf(outboxes), [outboxes])
  const table = useTable({ name: 'messages', list, columns })
  return (
    <FilteredTable
      {...table}
      {...{ filter, fields, selection }}
      label="Messages"
      idOf={addressOf}
      empty={
        <Empty title="No messages yet">
          Messages appear here when a system writes them to its outbox.
        </Empty>
      }
      drawer="Message"
      renderDetails={(address) => {
        const message = keyIn(address)
        return message && <MessageDetailsView message={message} outboxes={outboxes} />
      }}
    >
      <SavedViews filter={filter} page="messages" layout={table.layout} />
      {selection.ids.size > 0 && (
        <BulkActions
          chosen={list.rows.filter((row) => selection.has(addressOf(row)))}
          outboxes={outboxes}
          onDone={selection.clear}
        />
      )}
    </FilteredTable>
  )
}

/** The fields that narrow messages; which states there are depends on the outbox. */
function fieldsFor(outboxes: readonly ListedOutbox[], outbox?: string) {
  const ofThese = outboxes.filter(({ name }) => outbox === undefined || name === outbox)
  const states = [...new Set(ofThese.flatMap(({ states: words }) => words))]
  const rare = { rare: true } as const
  return {
    search: field.text('Search'),
    outbox: field.known(
      'Outbox',
      outboxes.map(({ name }) => name),
    ),
    status: field.known('State', states),
    type: field.text('Type', rare),
    key: field.text('Key', rare),
    tenant: field.text('Organisation', rare),
    code: field.text('Error code', rare),
    error: field.text('Error text', rare),
    since: field.moment('Created after', rare),
    until: field.moment('Created before', rare),
  }
}

interface BulkActionsProps {
  readonly chosen: readonly MessageRow[]
  readonly outboxes: readonly ListedOutbox[]
  readonly onDone: () => void
}

/** What is done with the selected messages, of any outboxes. */
function BulkActions({ chosen, outboxes, onDone }: BulkActionsProps) {
  const common = {
    to: 'operate',
    nouns: ['message', 'messages'],
    changes: CHANGED,
    nameOf: ({ label, id }: MessageRow) => label ?? withShortIds(id),
    onDone,
    reason: 'optional',
  } as const
  const isDead = (row: MessageRow) => row.quarantinedAt !== null || roleIn(outboxes, row) === 'dead'
  const isPending = (row: MessageRow) => isWaiting(roleIn(outboxes, row))
  const canEnd = ({ outbox }: MessageRow) =>
    outboxes.some(({ name, roles }) => name === outbox && roles.cancelled !== null)
  const given = ({ outbox: name, id }: MessageRow, reason: string | undefined) => ({
    path: { name, id },
    body: because(reason),
  })
  return (
    <>
      <BulkButton
        {...common}
        rows={chosen.filter(isDead)}
        verb="Replay"
        past="replayed"
        run={(row, reason) =>
          post('/api/v1/outboxes/{name}/messages/{id}/replay', given(row, reason))
        }
      >
        They keep their ids, so consumers can recognise them, and start again at attempt zero.
        Selected messages that are not dead are left out.
      </BulkButton>
      <BulkButton
        {...common}
        rows={chosen.filter((row) => canEnd(row) && (isDead(row) || isPending(row)))}
        verb="Cancel"
        past="cancelled"
        tone="danger"
        run={(row, reason) =>
          post('/api/v1/outboxes/{name}/messages/{id}/cancel', given(row, reason))
        }
      >
        They will not be sent; messages waiting behind them continue. Selected messages that are
        sent, or whose outbox does not cancel, are left out.
      </BulkButton>
    </>
  )
}
