import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { DetailDrawer } from '../../parts/detail-drawer.tsx'
import { neighboursOf } from '../../parts/neighbours.ts'
import { FilterMoment, FilterSelect, FilterText, MoreFilters } from '../../parts/filter-bar.tsx'
import { AnchorLink } from '../../parts/links.tsx'
import { Empty } from '../../parts/notice.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import type { Column } from '../../parts/table/data-table.tsx'
import { FilteredTable, useFilteredList } from '../../parts/table/filtered-table.tsx'
import { useTable } from '../../parts/table/layout.ts'
import { Time } from '../../parts/time.tsx'
import { moment, oneOf, text } from '../../parts/use-filter.ts'
import { useOpened } from '../../parts/use-opened.ts'
import { useRefresh } from '../../parts/use-refresh.ts'
import { EventDetails } from './event-details.tsx'
import { EVENT_ROLES, EVENT_STATES, type GatewayEvent } from './gateway-event.ts'
import { SectionFrame } from '../../parts/section-frame.tsx'
import { PAYMENTS } from '../sections.ts'

const FILTER = {
  status: oneOf(EVENT_STATES),
  type: text,
  paymentId: text,
  since: moment,
  until: moment,
}
const RARE = ['since', 'until'] as const
/** Events of the gateway are on no stream. */
const EVERY_MS = 5_000

const COLUMNS: readonly Column<GatewayEvent>[] = [
  {
    id: 'status',
    title: 'State',
    sortBy: ({ status }) => status,
    width: '150px',
    cell: ({ status }) => <StateBadge state={status} role={EVENT_ROLES[status]} />,
  },
  {
    id: 'type',
    title: 'Event',
    sortBy: ({ type }) => type,
    width: 'minmax(0, 1fr)',
    cell: ({ type }) => type,
  },
  {
    id: 'payment',
    title: 'Payment',
    width: '130px',
    narrow: 'hidden',
    cell: ({ paymentId }) =>
      paymentId === null ? (
        '–'
      ) : (
        <AnchorLink size="sm" to="/payments" search={{ open: paymentId }}>
          …{paymentId.slice(-12)}
        </AnchorLink>
      ),
  },
  {
    id: 'reason',
    title: 'Reason',
    sortBy: ({ reason }) => reason,
    width: 'minmax(0, 2fr)',
    cell: ({ reason }) => reason ?? '',
  },
  {
    id: 'source',
    title: 'Came by',
    sortBy: ({ source }) => source,
    width: '90px',
    narrow: 'hidden',
    cell: ({ source }) => source,
  },
  {
    id: 'received',
    title: 'Received',
    sortBy: ({ receivedAt }) => receivedAt,
    width: '132px',
    cell: ({ receivedAt }) => <Time at={receivedAt} clock="business" />,
  },
]

/** The gateway's events, and what became of them. */
export function Events() {
  const api = useApi()
  const opened = useOpened()
  const { filter, list } = useFilteredList({
    queryKey: ['payments', 'events', 'list'],
    fields: FILTER,
    name: 'payment-events',
    sorts: { received: 'receivedAt' },
    read: (query, signal) =>
      dataOf(api.GET('/api/v1/webhook-events', { params: { query }, signal })),
  })
  const table = useTable({ name: 'payment-events', list, columns: COLUMNS })
  useRefresh(['payments', 'events'], EVERY_MS)
  return (
    <SectionFrame
      section={PAYMENTS}
      lead="Events of the payment gateway, as they came, and what was decided."
    >
      <FilteredTable
        filter={filter}
        label="Gateway events"
        {...table}
        idOf={({ id }) => id}
        onOpen={({ id }) => opened.open(id)}
        opened={opened.id}
        empty={
          <Empty title="No events yet">
            The gateway sends an event for each charge, refund and dispute.
          </Empty>
        }
      >
        <FilterSelect filter={filter} name="status" label="State" options={EVENT_STATES} />
        <FilterText filter={filter} name="type" label="Event type" />
        <FilterText filter={filter} name="paymentId" label="Payment id" />
        <MoreFilters isSet={RARE.some((name) => filter.values[name] !== undefined)}>
          <FilterMoment filter={filter} name="since" label="Received after" />
          <FilterMoment filter={filter} name="until" label="Received before" />
        </MoreFilters>
      </FilteredTable>
      <DetailDrawer
        isOpen={opened.id !== undefined}
        onClose={opened.close}
        title="Gateway event"
        neighbours={neighboursOf(table.list.rows, ({ id }) => id, opened)}
      >
        {opened.id !== undefined && <EventDetails key={opened.id} id={opened.id} />}
      </DetailDrawer>
    </SectionFrame>
  )
}
