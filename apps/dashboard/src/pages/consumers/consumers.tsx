import { Group } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { useFresh } from '../../live/use-fresh.ts'
import { ConfirmButton } from '../../parts/confirm.tsx'
import { DetailDrawer } from '../../parts/detail-drawer.tsx'
import { neighboursOf } from '../../parts/neighbours.ts'
import { Empty } from '../../parts/notice.tsx'
import { FilterSelect, FilterText } from '../../parts/filter-bar.tsx'
import { PageFrame } from '../../parts/page-frame.tsx'
import { Panel } from '../../parts/panel.tsx'
import { QueryState } from '../../parts/query-state.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import type { Column } from '../../parts/table/data-table.tsx'
import { FilteredTable, useFilteredList } from '../../parts/table/filtered-table.tsx'
import { useTable } from '../../parts/table/layout.ts'
import { useSelection } from '../../parts/table/selection.ts'
import { Time } from '../../parts/time.tsx'
import { oneOf, text } from '../../parts/use-filter.ts'
import { useOpened } from '../../parts/use-opened.ts'
import { GroupRows } from './group-rows.tsx'
import { LagChart } from './lag-chart.tsx'
import { SET_ASIDE_ROLES, SET_ASIDE_STATES, type SetAside } from './set-aside.ts'
import { SetAsideDetails } from './set-aside-details.tsx'

const FILTER = {
  topic: text,
  group: text,
  code: text,
  key: text,
  status: oneOf(SET_ASIDE_STATES),
}

/** Consumers set messages aside and send this page no event. */
const EVERY_MS = 5_000

const COLUMNS: readonly Column<SetAside>[] = [
  {
    id: 'status',
    title: 'State',
    sortBy: ({ status }) => status,
    width: '110px',
    cell: ({ status }) => <StateBadge state={status} role={SET_ASIDE_ROLES[status]} />,
  },
  { id: 'group', title: 'Group', sortBy: ({ group }) => group, cell: ({ group }) => group },
  {
    id: 'type',
    title: 'Type',
    sortBy: ({ type }) => type,
    narrow: 'hidden',
    cell: ({ type }) => type ?? 'not decoded',
  },
  {
    id: 'key',
    title: 'Key',
    sortBy: ({ key }) => key,
    narrow: 'hidden',
    cell: ({ key }) => key ?? '',
  },
  { id: 'code', title: 'Code', sortBy: ({ code }) => code, cell: ({ code }) => code ?? '' },
  { id: 'error', title: 'Error', width: 'minmax(0, 2fr)', cell: ({ error }) => error ?? '' },
  {
    id: 'at',
    title: 'Set aside',
    sortBy: ({ setAsideAt }) => setAsideAt,
    width: '120px',
    cell: (row) => <Time at={row.setAsideAt} />,
  },
]

/** Consumer groups, how far they are behind, and what they could not handle. */
export function Consumers() {
  const api = useApi()
  const opened = useOpened()
  const selection = useSelection()
  const groups = useQuery({
    queryKey: ['consumers', 'groups'],
    queryFn: ({ signal }) => dataOf(api.GET('/api/v1/consumers', { signal })),
    refetchInterval: EVERY_MS,
  })
  const { filter, list } = useFilteredList({
    queryKey: ['consumers', 'list'],
    fields: FILTER,
    name: 'set-aside',
    sorts: { at: 'setAsideAt' },
    read: (query, signal) =>
      dataOf(api.GET('/api/v1/consumers/dead-letters', { params: { query }, signal })),
  })
  const table = useTable({ name: 'set-aside', list, columns: COLUMNS })
  useFresh(['consumers'], ({ kind }) => kind === 'operation')
  const dead = list.rows.filter(({ id, status }) => status === 'dead' && selection.has(id))
  return (
    <PageFrame
      title="Consumers"
      lead="Who reads the topics, how far behind, and what could not be handled. Mend the cause, then replay."
      actions={
        <Group gap="xs">
          <Operation name="replay" ids={dead.map(({ id }) => id)} onDone={selection.clear} />
          <Operation name="drop" ids={dead.map(({ id }) => id)} onDone={selection.clear} />
        </Group>
      }
    >
      <Panel title="Groups">
        <QueryState query={groups}>{({ items }) => <GroupRows groups={items} />}</QueryState>
      </Panel>
      <LagChart />
      <FilteredTable
        filter={filter}
        label="Set aside"
        {...table}
        idOf={({ id }) => id}
        selection={selection}
        onOpen={({ id }) => opened.open(id)}
        opened={opened.id}
        empty={<Empty title="Nothing is set aside">Every consumer handles what it gets.</Empty>}
      >
        <FilterSelect filter={filter} name="status" label="State" options={SET_ASIDE_STATES} />
        <FilterText filter={filter} name="group" label="Group" />
        <FilterText filter={filter} name="code" label="Error code" />
        <FilterText filter={filter} name="key" label="Key" />
      </FilteredTable>
      <DetailDrawer
        isOpen={opened.id !== undefined}
        onClose={opened.close}
        title="Set aside"
        neighbours={neighboursOf(table.list.rows, ({ id }) => id, opened)}
      >
        {opened.id !== undefined && <SetAsideDetails id={opened.id} />}
      </DetailDrawer>
    </PageFrame>
  )
}

const WORDS = {
  replay: { verb: 'Replay', means: 'Their consumers get them again, with their attempts at zero.' },
  drop: { verb: 'Drop', means: 'They are deleted for ever; what waits behind them goes on.' },
} as const

interface OperationProps {
  readonly name: 'replay' | 'drop'
  readonly ids: string[]
  readonly onDone: () => void
}

/** Replays or drops the selected dead letters. */
function Operation({ name, ids, onDone }: OperationProps) {
  const api = useApi()
  const queries = useQueryClient()
  const { verb, means } = WORDS[name]
  const count = `${ids.length} ${ids.length === 1 ? 'dead letter' : 'dead letters'}`
  return (
    <ConfirmButton
      to="operate"
      label={`${verb} selected`}
      title={`${verb} ${count}?`}
      verb={`${verb} ${ids.length}`}
      tone={name === 'drop' ? 'danger' : 'normal'}
      reason="optional"
      button={{ disabled: ids.length === 0 }}
      onConfirm={async (reason) => {
        const body = { filter: { ids }, ...(reason !== undefined && { reason }) }
        await dataOf(api.POST(`/api/v1/consumers/dead-letters/${name}`, { body }))
        onDone()
        await queries.invalidateQueries({ queryKey: ['consumers'] })
      }}
    >
      {means}
    </ConfirmButton>
  )
}
