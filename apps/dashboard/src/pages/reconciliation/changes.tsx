import { Stack } from '@mantine/core'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { FilteredTable } from '../../parts/table/filtered-table.tsx'
import { Empty } from '../../parts/notice.tsx'
import { FilterSelect } from '../../parts/filter-bar.tsx'
import type { Column } from '../../parts/table/data-table.tsx'
import { useList } from '../../parts/table/list.ts'
import { Time } from '../../parts/time.tsx'
import { useFilter, type FilterField } from '../../parts/use-filter.ts'
import { useOpened } from '../../parts/use-opened.ts'
import { ReasonBadge } from './reason.tsx'
import { RecordDrawer } from './record-drawer.tsx'
import type { Change, Run } from './run.ts'

const runNumber: FilterField = (value) => (/^[1-9]\d{0,5}$/.test(value) ? value : undefined)
const FILTER = { from: runNumber, to: runNumber }

/** More runs than one chooses from; the address takes any. */
const MOST_RUNS = 50

const COLUMNS: readonly Column<Change>[] = [
  { id: 'line', title: 'Line', width: '60px', cell: ({ recordId }) => recordId },
  { id: 'before', title: 'Was', cell: ({ before }) => <ReasonBadge reason={before.reason} /> },
  { id: 'after', title: 'Is', cell: ({ after }) => <ReasonBadge reason={after.reason} /> },
  {
    id: 'why',
    title: 'By',
    width: 'minmax(0, 2fr)',
    cell: ({ actor, note }) =>
      actor === null ? 'a run' : `${actor}${note === null ? '' : `: ${note}`}`,
  },
  {
    id: 'at',
    title: 'When',
    width: '124px',
    cell: ({ changedAt }) => <Time at={changedAt} clock="business" />,
  },
]

const idOf = ({ recordId }: Change) => recordId

/** What became of records between two runs. */
export function Changes({ run: { id, runNo } }: { run: Run }) {
  const api = useApi()
  const filter = useFilter(FILTER)
  const opened = useOpened()
  const { from, to } = filter.values
  const list = useList<Change>({
    queryKey: ['reconciliation', id, 'changes', filter.values],
    read: (cursor, signal) =>
      dataOf(
        api.GET('/api/v1/reconciliations/{id}/changes', {
          params: {
            path: { id },
            query: {
              ...(from && { from: Number(from) }),
              ...(to && { to: Number(to) }),
              ...(cursor && { cursor }),
              limit: 100,
            },
          },
          signal,
        }),
      ),
  })
  const runs = Array.from({ length: Math.min(runNo, MOST_RUNS) }, (_, n) => `${runNo - n}`)
  return (
    <Stack gap="sm">
      <FilteredTable
        filter={filter}
        label="Changes"
        list={list}
        columns={COLUMNS}
        idOf={idOf}
        onOpen={({ recordId }) => opened.open(recordId)}
        opened={opened.id}
        height="60vh"
        empty={
          <Empty title="Nothing has changed since the last run">
            Decisions and later runs are compared here; choose an earlier run above.
          </Empty>
        }
      >
        <FilterSelect
          filter={filter}
          name="from"
          label="Since run"
          options={runs.map((value) => ({ value, label: `run ${value}` }))}
        />
        <FilterSelect
          filter={filter}
          name="to"
          label="Until run"
          options={runs
            .filter((value) => Number(value) > Number(from ?? 1))
            .map((value) => ({ value, label: `run ${value}` }))}
        />
      </FilteredTable>
      <RecordDrawer runId={id} rows={list.rows} idOf={idOf} />
    </Stack>
  )
}
