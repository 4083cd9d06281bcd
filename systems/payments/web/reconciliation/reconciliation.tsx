import { useNavigate } from '@tanstack/react-router'
import {
  ButtonLink,
  type Column,
  column,
  dataOf,
  Empty,
  FilteredTable,
  PageFrame,
  StackedBar,
  useApi,
  useFilteredList,
  useFresh,
  field,
  said,
} from '@posthorn/dashboard/kit'
import { OverviewFigures } from './runs/figures.tsx'
import { type ListedRun, RUN_ROLES, RUN_STATES } from './runs/run.tsx'
import { StatementDrop } from './statements/statement-form.tsx'

const FILTER = { status: field.choice('State', RUN_STATES) }

const COLUMNS: readonly Column<ListedRun>[] = [
  column.text('filename', 'File', { width: 'minmax(90px, 1.4fr)' }),
  column.state('status', 'State', { roles: RUN_ROLES, width: '118px' }),
  {
    id: 'matched',
    title: 'Matched',
    width: 'minmax(0, 1.4fr)',
    cell: ({ filename, runNo, matched, unmatched }) =>
      runNo === 0 ? (
        'not run yet'
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
  column.time('createdAt', 'Uploaded', { id: 'at', clock: 'business', width: '132px' }),
  {
    id: 'rate',
    title: 'Rate',
    sortBy: ({ matchRate }) => matchRate,
    width: '72px',
    align: 'right',
    cell: ({ runNo, matchRate }) => (runNo === 0 ? '–' : `${matchRate}%`),
  },
  column.count('total', 'Records', { width: '86px' }),
  { id: 'runs', title: 'Runs', width: '60px', align: 'right', narrow: 'hidden', cell: runsOf },
]

export function Reconciliation() {
  const api = useApi()
  const navigate = useNavigate()
  const page = useFilteredList({
    queryKey: ['reconciliation', 'runs'],
    fields: FILTER,
    columns: COLUMNS,
    name: 'reconciliation',
    sorts: { at: 'createdAt' },
    read: (query, signal) =>
      dataOf(api.GET('/api/v1/reconciliations', { params: { query }, signal })),
  })
  useFresh(['reconciliation'], said('reconciliation.run'))
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
        {...page}
        label="Files"
        onOpen={({ id }) => void navigate({ to: '/reconciliation/$id', params: { id } })}
        empty={<Empty title="No files yet">Drop a statement of your bank above.</Empty>}
      />
    </PageFrame>
  )
}

function runsOf({ runNo }: ListedRun): number {
  return runNo
}
