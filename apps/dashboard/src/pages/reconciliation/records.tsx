import { Stack } from '@mantine/core'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { FilteredTable } from '../../parts/table/filtered-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { FilterSelect } from '../../parts/filter-bar.tsx'
import { Money } from '../../parts/money.tsx'
import type { Column } from '../../parts/table/column.ts'
import { useList } from '../../parts/table/list.ts'
import { oneOf, useFilter } from '../../parts/use-filter.ts'
import { useOpened } from '../../parts/use-opened.ts'
import { REASON_LOOKS, REASONS } from './reason.ts'
import { ReasonBadge } from './reason-badge.tsx'
import type { Listed } from './run.ts'

const FILTER = { reason: oneOf(REASONS) }
const OPTIONS = REASONS.map((reason) => ({ value: reason, label: REASON_LOOKS[reason].word }))

const COLUMNS: readonly Column<Listed>[] = [
  { id: 'line', title: 'Line', width: '60px', cell: ({ lineNumber }) => lineNumber },
  {
    id: 'external',
    title: 'Transaction id',
    width: 'minmax(80px, 1.4fr)',
    cell: ({ externalTransactionId: id }) => <span title={id}>{id}</span>,
  },
  {
    id: 'reason',
    title: 'Reason',
    width: '160px',
    cell: ({ reason }) => <ReasonBadge reason={reason} />,
  },
  {
    id: 'amount',
    title: 'Amount',
    width: '120px',
    align: 'right',
    narrow: 'hidden',
    cell: ({ amount, currency }) => <Money minor={amount} currency={currency} />,
  },
  {
    id: 'booked',
    title: 'Booked',
    width: '110px',
    narrow: 'hidden',
    cell: ({ bookedOn }) => bookedOn,
  },
  {
    id: 'decided',
    title: 'Decided',
    width: '90px',
    narrow: 'hidden',
    cell: ({ decidedBy }) => decidedBy ?? '–',
  },
]

/** Every record of a file, in its order. */
export function Records({ id }: { id: string }) {
  const api = useApi()
  const filter = useFilter(FILTER)
  const opened = useOpened()
  const list = useList<Listed>({
    queryKey: ['reconciliation', id, 'records', filter.values],
    read: (cursor, signal) =>
      dataOf(
        api.GET('/api/v1/reconciliations/{id}/records', {
          params: {
            path: { id },
            query: { ...filter.values, ...(cursor && { cursor }), limit: 100 },
          },
          signal,
        }),
      ),
  })
  return (
    <Stack gap="sm">
      <FilteredTable
        filter={filter}
        label="Records"
        list={list}
        columns={COLUMNS}
        idOf={(record) => record.id}
        onOpen={(record) => opened.open(record.id)}
        opened={opened.id}
        height="60vh"
        empty={<Empty title="No records">The file has none.</Empty>}
      >
        <FilterSelect filter={filter} name="reason" label="Reason" options={OPTIONS} />
      </FilteredTable>
    </Stack>
  )
}
