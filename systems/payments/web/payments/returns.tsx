import { Tabs } from '@mantine/core'
import {
  type Column,
  column,
  dataOf,
  Empty,
  field,
  FilteredTable,
  oneOf,
  PageFrame,
  StateBadge,
  useApi,
  useFilter,
  useFilteredList,
  useRefresh,
} from '@posthorn/dashboard/kit'
import { paymentColumn } from './events.tsx'
import { PaymentDetails } from './payment-details.tsx'
import { type Dispute, DISPUTE_ROLES, progressOf, type Refund } from './payment.ts'

/** The event stream does not announce refunds and disputes. */
const EVERY_MS = 5_000

const TABS = { tab: oneOf(['disputes', 'refunds']) }

export function Returns() {
  const { values, set } = useFilter(TABS)
  useRefresh(['payments', 'returns'], EVERY_MS)
  return (
    <PageFrame lead="Refunds, and disputes with their evidence deadlines.">
      <Tabs
        value={values.tab ?? 'disputes'}
        onChange={(tab) => set({ tab: tab ?? undefined })}
        keepMounted={false}
      >
        <Tabs.List>
          <Tabs.Tab value="disputes">Disputes</Tabs.Tab>
          <Tabs.Tab value="refunds">Refunds</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="disputes" pt="md">
          <Disputes />
        </Tabs.Panel>
        <Tabs.Panel value="refunds" pt="md">
          <Refunds />
        </Tabs.Panel>
      </Tabs>
    </PageFrame>
  )
}

const DISPUTE_FILTER = {
  status: field.choice('State', ['inquiry', 'opened', 'won', 'lost', 'withdrawn']),
  dueBefore: field.moment('Evidence due before', { rare: true }),
}

const DISPUTE_COLUMNS: readonly Column<Dispute>[] = [
  column.state('status', 'State', { roles: DISPUTE_ROLES, width: '120px' }),
  column.money('amount', 'Amount', { width: 'minmax(90px, 0.7fr)', align: 'right' }),
  column.time('evidenceDueAt', 'Evidence until', { id: 'due', ahead: true, width: '150px' }),
  column.text('reason', 'Reason', { width: 'minmax(0, 1fr)' }),
  paymentColumn,
  column.time('openedAt', 'Opened', { id: 'made', clock: 'business', width: '140px' }),
]

function Disputes() {
  const api = useApi()
  const page = useFilteredList({
    queryKey: ['payments', 'returns', 'disputes'],
    fields: DISPUTE_FILTER,
    columns: DISPUTE_COLUMNS,
    name: 'payment-disputes',
    sorts: { due: 'evidenceDueAt', made: 'openedAt' },
    read: (query, signal) => dataOf(api.GET('/api/v1/disputes', { params: { query }, signal })),
  })
  return (
    <FilteredTable
      {...page}
      label="Disputes"
      empty={<Empty title="No disputes">No customer has disputed a payment.</Empty>}
      drawer="Payment"
      renderDetails={(_, row) => row && <PaymentDetails id={row.paymentId} />}
    />
  )
}

const REFUND_FILTER = { status: field.choice('State', ['pending', 'succeeded', 'failed']) }

const REFUND_COLUMNS: readonly Column<Refund>[] = [
  {
    id: 'state',
    title: 'State',
    width: '120px',
    cell: (refund) => {
      const { word, role } = progressOf(refund)
      return <StateBadge state={word} role={role} />
    },
  },
  column.money('amount', 'Amount', { width: 'minmax(90px, 0.7fr)', align: 'right' }),
  column.text('errorMessage', 'Error', { id: 'error', width: 'minmax(0, 1fr)' }),
  paymentColumn,
  column.time('createdAt', 'Requested', { id: 'made', clock: 'business', width: '140px' }),
]

function Refunds() {
  const api = useApi()
  const page = useFilteredList({
    queryKey: ['payments', 'returns', 'refunds'],
    fields: REFUND_FILTER,
    columns: REFUND_COLUMNS,
    name: 'payment-refunds',
    sorts: { made: 'createdAt' },
    read: (query, signal) => dataOf(api.GET('/api/v1/refunds', { params: { query }, signal })),
  })
  return (
    <FilteredTable
      {...page}
      label="Refunds"
      empty={<Empty title="No refunds">Open a payment to refund it.</Empty>}
      drawer="Payment"
      renderDetails={(_, row) => row && <PaymentDetails id={row.paymentId} />}
    />
  )
}
