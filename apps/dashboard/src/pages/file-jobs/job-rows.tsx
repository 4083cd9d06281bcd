import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { DetailDrawer } from '../../parts/detail-drawer.tsx'
import { Empty } from '../../parts/empty.tsx'
import { FilterBar, FilterSelect } from '../../parts/filter-bar.tsx'
import { Panel } from '../../parts/panel.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import type { Column } from '../../parts/table/column.ts'
import { DataTable } from '../../parts/table/data-table.tsx'
import { useList } from '../../parts/table/list.ts'
import { Time } from '../../parts/time.tsx'
import { oneOf, useFilter } from '../../parts/use-filter.ts'
import { useOpened } from '../../parts/use-opened.ts'
import { ROW_ROLES, ROW_STATES, type Row } from './job.ts'
import { RowDetails } from './row-details.tsx'

const FILTER = { row: oneOf(ROW_STATES) }

const COLUMNS: readonly Column<Row>[] = [
  { id: 'number', title: 'Row', width: '64px', cell: ({ rowNumber }) => rowNumber },
  {
    id: 'case',
    title: 'Case',
    width: 'minmax(80px, 1fr)',
    cell: ({ caseId }) => caseId || '(none)',
  },
  {
    id: 'status',
    title: 'State',
    width: '122px',
    cell: ({ status }) => <StateBadge state={status} role={ROW_ROLES[status]} />,
  },
  {
    id: 'files',
    title: 'Files',
    narrow: 'hidden',
    cell: ({ evidenceFiles }) => <span title={evidenceFiles}>{evidenceFiles || '(none)'}</span>,
  },
  {
    id: 'error',
    title: 'Error',
    width: 'minmax(0, 2fr)',
    narrow: 'hidden',
    cell: ({ errorCode, errorMessage }) => (
      <span title={errorMessage ?? undefined}>
        {[errorCode, errorMessage].filter((text) => text !== null).join(': ')}
      </span>
    ),
  },
  {
    id: 'next',
    title: 'Next attempt',
    width: '110px',
    narrow: 'hidden',
    cell: ({ status, nextRetryAt }) =>
      status === 'FAILED' ? <Time at={nextRetryAt} clock="business" /> : '',
  },
  {
    id: 'at',
    title: 'Changed',
    width: '110px',
    narrow: 'hidden',
    cell: ({ updatedAt }) => <Time at={updatedAt} />,
  },
]

/** The rows of a file, in its order. */
export function JobRows({ id }: { id: string }) {
  const api = useApi()
  const filter = useFilter(FILTER)
  const opened = useOpened()
  const { row: status } = filter.values
  const list = useList<Row>({
    queryKey: ['file-jobs', id, 'rows', status],
    read: (cursor, signal) =>
      dataOf(
        api.GET('/api/v1/file-jobs/{id}/rows', {
          params: {
            path: { id },
            query: { ...(status && { status }), ...(cursor && { cursor }), limit: 100 },
          },
          signal,
        }),
      ),
  })
  return (
    <Panel title="Rows">
      <FilterBar filter={filter}>
        <FilterSelect filter={filter} name="row" label="State" options={ROW_STATES} />
      </FilterBar>
      <div style={{ marginTop: 12 }}>
        <DataTable
          label="Rows"
          list={list}
          columns={COLUMNS}
          idOf={(row) => row.id}
          onOpen={(row) => opened.open(row.id)}
          opened={opened.id}
          height="60vh"
          empty={
            <Empty title="No rows yet">
              Rows appear when the whole file has been checked and its evidence is staged.
            </Empty>
          }
          onClearFilter={filter.isSet ? filter.clear : undefined}
        />
      </div>
      <DetailDrawer isOpen={opened.id !== undefined} onClose={opened.close} title="Row">
        {opened.id !== undefined && <RowDetails jobId={id} rowId={opened.id} />}
      </DetailDrawer>
    </Panel>
  )
}
