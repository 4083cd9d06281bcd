import { type ReactNode, useMemo } from 'react'
import { type ListedOutbox, useOutboxes } from '../../outboxes/use-outboxes.ts'
import { BulkActions } from './bulk-actions.tsx'
import { columnsOf } from './columns.tsx'
import { MessageDetailsView } from './message-details.tsx'
import { addressOf, keyIn } from './message.ts'
import { useMessages } from './use-messages.ts'
import { DetailDrawer } from '../../parts/detail-drawer.tsx'
import { neighboursOf } from '../../parts/neighbours.ts'
import { Empty } from '../../parts/notice.tsx'
import {
  FilterBar,
  FilterMoment,
  FilterSelect,
  FilterText,
  MoreFilters,
} from '../../parts/filter-bar.tsx'
import { PageFrame } from '../../parts/page-frame.tsx'
import { QueryState } from '../../parts/query-state.tsx'
import { useSelection } from '../../parts/table/selection.ts'
import { useTable, type Layout } from '../../parts/table/layout.ts'
import { DataTable } from '../../parts/table/data-table.tsx'
import { type Filter, moment, text, useFilter } from '../../parts/use-filter.ts'
import { useOpened } from '../../parts/use-opened.ts'
import { SavedViews } from '../../parts/saved-views.tsx'

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
  const filter = useFilter(MESSAGE_FILTER)
  const opened = useOpened()
  const selection = useSelection()
  const shown = keyIn(opened.id)
  const list = useMessages('messages', filter.values)
  const columns = useMemo(() => columnsOf(outboxes), [outboxes])
  const table = useTable({ name: 'messages', list, columns })
  return (
    <>
      <MessageFilterBar filter={filter} outboxes={outboxes} layout={table.layout}>
        {selection.ids.size > 0 && (
          <BulkActions
            chosen={list.rows.filter((row) => selection.has(addressOf(row)))}
            outboxes={outboxes}
            onDone={selection.clear}
          />
        )}
      </MessageFilterBar>
      <DataTable
        label="Messages"
        {...table}
        idOf={addressOf}
        selection={selection}
        onOpen={(row) => opened.open(addressOf(row))}
        opened={opened.id}
        empty={
          <Empty title="No messages yet">
            Messages appear here when a system writes them to its outbox.
          </Empty>
        }
        onClearFilter={filter.isSet ? filter.clear : undefined}
      />
      <DetailDrawer
        isOpen={shown !== undefined}
        onClose={opened.close}
        title="Message"
        neighbours={neighboursOf(table.list.rows, addressOf, opened)}
      >
        {shown !== undefined && (
          <MessageDetailsView key={opened.id} message={shown} outboxes={outboxes} />
        )}
      </DetailDrawer>
    </>
  )
}

const MESSAGE_FILTER = {
  search: text,
  outbox: text,
  status: text,
  type: text,
  key: text,
  tenant: text,
  code: text,
  error: text,
  since: moment,
  until: moment,
}

const RARE = ['type', 'key', 'tenant', 'code', 'error', 'since', 'until'] as const

interface MessageFilterBarProps {
  readonly filter: Filter<typeof MESSAGE_FILTER>
  readonly outboxes: readonly ListedOutbox[]
  readonly layout: Layout
  /** What is done with what is selected. */
  readonly children: ReactNode
}

/** The fields that narrow messages; the rarer ones come when they are wished for, or set. */
function MessageFilterBar({ filter, outboxes, layout, children }: MessageFilterBarProps) {
  const { outbox } = filter.values
  const ofThese = outboxes.filter(({ name }) => outbox === undefined || name === outbox)
  const states = [...new Set(ofThese.flatMap(({ states: words }) => words))]
  return (
    <FilterBar filter={filter}>
      <FilterText filter={filter} name="search" label="Search" />
      <FilterSelect
        filter={filter}
        name="outbox"
        label="Outbox"
        options={outboxes.map(({ name }) => name)}
      />
      <FilterSelect filter={filter} name="status" label="State" options={states} />
      <MoreFilters isSet={RARE.some((name) => filter.values[name] !== undefined)}>
        <FilterText filter={filter} name="type" label="Type" />
        <FilterText filter={filter} name="key" label="Key" />
        <FilterText filter={filter} name="tenant" label="Organisation" />
        <FilterText filter={filter} name="code" label="Error code" />
        <FilterText filter={filter} name="error" label="Error text" />
        <FilterMoment filter={filter} name="since" label="Created after" />
        <FilterMoment filter={filter} name="until" label="Created before" />
      </MoreFilters>
      <SavedViews filter={filter} page="messages" layout={layout} />
      {children}
    </FilterBar>
  )
}
