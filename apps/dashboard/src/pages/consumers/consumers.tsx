import { Group, Stack, Text } from '@mantine/core'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import type { paths } from '../../api/schema.d.ts'
import { colorOf, filterOf } from '../../charts/plot-data.ts'
import { PlotGrid } from '../../charts/plot.tsx'
import { everyMs, marksOf, useRange, useTimes } from '../../charts/range.tsx'
import { CodeNote } from '../../codes/code-note.tsx'
import { formatCount } from '../../format/number.ts'
import { useFresh } from '../../live/use-fresh.ts'
import { ConfirmButton } from '../../parts/act/confirm.tsx'
import { FilterSelect, FilterText, oneOf, text } from '../../parts/act/filter-bar.tsx'
import { DetailDrawer } from '../../parts/layout/detail-drawer.tsx'
import { Empty, QueryState } from '../../parts/layout/notice.tsx'
import { PageFrame } from '../../parts/layout/page-frame.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { neighboursOf, useOpened } from '../../parts/layout/use-opened.ts'
import { CopyId } from '../../parts/show/copy-id.tsx'
import { Json } from '../../parts/show/json.tsx'
import { KeyValue } from '../../parts/show/stat.tsx'
import { StateBadge } from '../../parts/show/state-badge.tsx'
import { Time } from '../../parts/show/time.tsx'
import type { Column } from '../../parts/table/data-table.tsx'
import { FilteredTable, useFilteredList } from '../../parts/table/filtered-table.tsx'
import { useTable } from '../../parts/table/layout.ts'
import { useSelection } from '../../parts/table/list.ts'
import type { StateRole } from '../../states/role.ts'
import { GroupRows } from './group-rows.tsx'

const SET_ASIDE_STATES = ['dead', 'retry', 'parked'] as const

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

/** One message that a consumer set aside: why, and what is in it. */
function SetAsideDetails({ id }: { id: string }) {
  const api = useApi()
  const query = useQuery({
    queryKey: ['consumers', 'one', id],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/consumers/dead-letters/{id}', { params: { path: { id } }, signal })),
  })
  return (
    <QueryState query={query}>
      {(letter) => (
        <Stack gap="sm">
          {letter.error !== null && <Text>{letter.error}</Text>}
          {letter.code !== null && <CodeNote code={letter.code} />}
          <KeyValue
            facts={{
              Group: letter.group,
              Topic: letter.topic,
              Message: <CopyId id={letter.messageId} />,
              Type: letter.type ?? undefined,
              Key: letter.key ?? undefined,
              Organisation: letter.tenant ?? undefined,
              Attempts: String(letter.attempts),
              'Read at':
                letter.partition === null ? undefined : `${letter.partition}/${letter.offset}`,
              'Set aside': <Time at={letter.setAsideAt} />,
              Died: letter.diedAt === null ? undefined : <Time at={letter.diedAt} />,
              'Next attempt':
                letter.status === 'retry' ? <Time at={letter.dueAt} ahead /> : undefined,
            }}
          />
          <Json label="Payload" value={letter.body ?? letter.payload} />
          <Json label="Headers" value={letter.headers} />
        </Stack>
      )}
    </QueryState>
  )
}

type SetAside =
  paths['/api/v1/consumers/dead-letters']['get']['responses']['200']['content']['application/json']['items'][number]

export type ConsumerGroup =
  paths['/api/v1/consumers']['get']['responses']['200']['content']['application/json']['items'][number]

/** They look like the states of messages in an outbox that mean the same. */
const SET_ASIDE_ROLES: Readonly<Record<SetAside['status'], StateRole>> = {
  dead: 'dead',
  retry: 'retry',
  parked: 'ready',
}

type Lags =
  paths['/api/v1/charts/consumers']['get']['responses']['200']['content']['application/json']

/** How far the consumer groups were behind. */
function LagChart() {
  const api = useApi()
  const { minutes, picker } = useRange()
  const query = useQuery({
    queryKey: ['charts', 'consumers', minutes],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/charts/consumers', { params: { query: { minutes } }, signal })),
    refetchInterval: everyMs(minutes),
    placeholderData: keepPreviousData,
  })
  return (
    <Panel title="Lag over time" actions={picker}>
      <QueryState query={query}>{(lags) => <Lines lags={lags} />}</QueryState>
    </Panel>
  )
}

const MOST_GROUPS = 10

function Lines({ lags }: { lags: Lags }) {
  const navigate = useNavigate()
  const marks = useMemo(() => marksOf(lags), [lags])
  const times = useTimes(lags)
  const series = useMemo(
    () =>
      lags.consumers.slice(0, MOST_GROUPS).map(({ topic, group, lag }, i) => ({
        id: `${topic} ${group}`,
        label: `${group} of ${topic}`,
        color: colorOf(i),
        values: lag,
      })),
    [lags],
  )
  return (
    <PlotGrid
      times={times}
      marks={marks}
      cols={1}
      plots={[
        {
          title: 'Not acknowledged',
          unit: 'messages, the most of each stretch',
          series,
          format: formatCount,
          onPick: (stretch) =>
            void navigate({ to: '/messages', search: filterOf(stretch) } as never),
        },
      ]}
    />
  )
}
