import { useMemo } from 'react'
import { useOutboxes, type OutboxOverview } from '../../outboxes/use-outboxes.ts'
import { DetailDrawer } from '../../parts/detail-drawer.tsx'
import { Empty } from '../../parts/empty.tsx'
import { PageFrame } from '../../parts/page-frame.tsx'
import { QueryState } from '../../parts/query-state.tsx'
import { DataTable } from '../../parts/table/data-table.tsx'
import { useFilter } from '../../parts/use-filter.ts'
import { useOpened } from '../../parts/use-opened.ts'
import { columnsOf } from './columns.tsx'
import { addressOf, keyIn } from './message.ts'
import { MessageDetailsView } from './message-details.tsx'
import { MESSAGE_FILTER, MessageFilterBar } from './message-filter.tsx'
import { useMessages } from './use-messages.ts'

/** Every message of every outbox. */
export function Messages() {
  const query = useOutboxes()
  return (
    <PageFrame
      title="Messages"
      lead="All messages, newest first: their state, its reason and the actions available."
    >
      <QueryState query={query}>{(outboxes) => <Listed outboxes={outboxes} />}</QueryState>
    </PageFrame>
  )
}

function Listed({ outboxes }: { outboxes: readonly OutboxOverview[] }) {
  const filter = useFilter(MESSAGE_FILTER)
  const opened = useOpened()
  const shown = keyIn(opened.id)
  const list = useMessages(
    filter.values,
    outboxes.map(({ name }) => name),
  )
  const columns = useMemo(() => columnsOf(outboxes), [outboxes])
  return (
    <>
      <MessageFilterBar filter={filter} outboxes={outboxes} />
      <DataTable
        label="Messages"
        list={list}
        columns={columns}
        idOf={addressOf}
        onOpen={(row) => opened.open(addressOf(row))}
        opened={opened.id}
        empty={
          <Empty title="No messages yet">
            Messages appear here when a system writes them to its outbox.
          </Empty>
        }
        onClearFilter={filter.isSet ? filter.clear : undefined}
      />
      <DetailDrawer isOpen={shown !== undefined} onClose={opened.close} title="Message">
        {shown !== undefined && (
          <MessageDetailsView key={opened.id} message={shown} outboxes={outboxes} />
        )}
      </DetailDrawer>
    </>
  )
}
