import { useNavigate } from '@tanstack/react-router'
import {
  ButtonLink,
  type Column,
  dataOf,
  Empty,
  FilteredTable,
  FilterSelect,
  formatCount,
  oneOf,
  PageFrame,
  StackedBar,
  StateBadge,
  Time,
  useApi,
  useFilteredList,
  useFresh,
  useTable,
} from '@posthorn/dashboard/kit'
import { OverviewFigures } from './runs/figures.tsx'
import { RUN_ROLES, RUN_STATES, type ListedRun } from './runs/run.ts'
import { StatementDrop } from './statements/statement-form.tsx'

const FILTER = { status: oneOf(RUN_STATES) }

const COLUMNS: readonly Column<ListedRun>[] = [
  {
    id: 'filename',
    title: 'File',
    sortBy: ({ filename }) => filename,
    width: 'minmax(90px, 1.4fr)',
    cell: ({ filename }) => <span title={filename}>{filename}</span>,
  },
  {
    id: 'status',
    title: 'State',
    sortBy: ({ status }) => status,
    width: '118px',
    cell: ({ status }) => <StateBadge state={status} role={RUN_ROLES[status]} />,
  },
  {
    id: 'matched',
    title: 'Matched',
    width: 'minmax(0, 1.4fr)',
    cell: ({ filename, runNo, matched, unmatched }) =>
      runNo === 0 ? (
        'run it to match its records'
      ) : (
        <StackedBar
          label={filename}
          legend="none"
          parts={[
            { label: 'matched', count: matched, color: 'green' },
            { label: 'not matched', count: unmatched, color: 'orange' },
          ]}
        />
      ),
  },
  {
    id: 'at',
    title: 'Uploaded',
    sortBy: ({ createdAt }) => createdAt,
    width: '132px',
    cell: ({ createdAt }) => <Time at={createdAt} clock="business" />,
  },
  {
    id: 'rate',
    title: 'Rate',
    sortBy: ({ matchRate }) => matchRate,
    width: '72px',
    align: 'right',
    cell: ({ runNo, matchRate }) => (runNo === 0 ? '–' : `${matchRate}%`),
  },
  {
    id: 'total',
    title: 'Records',
    sortBy: ({ total }) => total,
    width: '86px',
    align: 'right',
    cell: ({ total }) => formatCount(total),
  },
  { id: 'runs', title: 'Runs', width: '60px', align: 'right', narrow: 'hidden', cell: runsOf },
]

/** What the bank says against what was taken. */
export function Reconciliation() {
  const api = useApi()
  const navigate = useNavigate()
  const { filter, list } = useFilteredList({
    queryKey: ['reconciliation', 'runs'],
    fields: FILTER,
    name: 'reconciliation',
    sorts: { at: 'createdAt' },
    read: (query, signal) =>
      dataOf(api.GET('/api/v1/reconciliations', { params: { query }, signal })),
  })
  const table = useTable({ name: 'reconciliation', list, columns: COLUMNS })
  useFresh(
    ['reconciliation'],
    (event) => event.kind === 'announcement' && event.topic === 'reconciliation.run',
  )
  return (
    <PageFrame
      title="Reconciliation"
      lead="Bank statements compared with your payments: every line is matched or has a reason."
      actions={
        <ButtonLink variant="default" to="/reconciliation/profiles">
          Profiles
        </ButtonLink>
      }
    >
      <OverviewFigures />
      <StatementDrop />
      <FilteredTable
        filter={filter}
        label="Files"
        {...table}
        idOf={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: '/reconciliation/$id', params: { id } })}
        empty={<Empty title="No files yet">Drop a statement of your bank above.</Empty>}
      >
        <FilterSelect filter={filter} name="status" label="State" options={RUN_STATES} />
      </FilteredTable>
    </PageFrame>
  )
}

function runsOf({ runNo }: ListedRun): number {
  return runNo
}
