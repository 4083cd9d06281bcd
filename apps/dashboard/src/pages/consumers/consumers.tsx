import { Group, Stack, Text } from '@mantine/core'
import { keepPreviousData } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import {
  type Answer,
  because,
  dataOf,
  type ItemOf,
  post,
  useApi,
  useRead,
} from '../../api/client.tsx'
import { colorOf, filterOf } from '../../charts/plot-data.ts'
import { PlotGrid } from '../../charts/plot.tsx'
import { everyMs, marksOf, timesOf, useRange } from '../../charts/range.tsx'
import { CodeNote } from '../../codes/code-note.tsx'
import { countOf, formatCount } from '../../format/number.ts'
import { useFresh } from '../../live/use-fresh.ts'
import { ActButton } from '../../parts/act/form.tsx'
import { field, text } from '../../parts/act/filter-bar.tsx'
import { Empty, QueryState } from '../../parts/layout/notice.tsx'
import { AnchorLink, PageFrame, Panel } from '../../parts/layout/page-frame.tsx'
import { CopyId, KeyValue, Time, timeFact } from '../../parts/show/facts.tsx'
import { Json } from '../../parts/show/json.tsx'
import { type Column, column } from '../../parts/table/columns.tsx'
import { FilteredTable, useFilteredList } from '../../parts/table/list-page.tsx'
import { DataTable } from '../../parts/table/data-table.tsx'
import { useSelection } from '../../parts/table/list.ts'
import type { StateRole } from '../../states/role.ts'

type SetAside = ItemOf<'/api/v1/consumers/dead-letters'>

/** They look like the states of messages in an outbox that mean the same. */
const SET_ASIDE_ROLES: Readonly<Record<SetAside['status'], StateRole>> = {
  dead: 'dead',
  retry: 'retry',
  parked: 'ready',
}

const FILTER = {
  status: field.choice('State', ['dead', 'retry', 'parked']),
  group: field.text('Group'),
  code: field.text('Error code'),
  key: field.text('Key'),
  topic: text,
}

/** Consumers set messages aside and send this page no event. */
const EVERY_MS = 5_000

const COLUMNS: readonly Column<SetAside>[] = [
  column.state('status', 'State', { roles: SET_ASIDE_ROLES, width: '110px' }),
  column.text('group', 'Group'),
  column.text('type', 'Type', { none: 'not decoded', narrow: 'hidden' }),
  column.text('key', 'Key', { narrow: 'hidden' }),
  column.text('code', 'Code'),
  column.text('error', 'Error', { order: 'none', width: 'minmax(0, 2fr)' }),
  column.time('setAsideAt', 'Set aside', { id: 'at', width: '120px' }),
]

/** Consumer groups, how far they are behind, and what they could not handle. */
export function Consumers() {
  const api = useApi()
  const selection = useSelection()
  const groups = useRead('/api/v1/consumers', ['consumers', 'groups'], {
    refetchInterval: EVERY_MS,
  })
  const page = useFilteredList({
    queryKey: ['consumers', 'list'],
    fields: FILTER,
    columns: COLUMNS,
    name: 'set-aside',
    sorts: { at: 'setAsideAt' },
    read: (query, signal) =>
      dataOf(api.GET('/api/v1/consumers/dead-letters', { params: { query }, signal })),
  })
  useFresh(['consumers'], ({ kind }) => kind === 'operation')
  const dead = page.list.rows.filter(({ id, status }) => status === 'dead' && selection.has(id))
  return (
    <PageFrame
      title="Consumers"
      lead="Groups that read topics: their lag, and messages they could not handle. Fix the cause, then replay."
      actions={
        <Group gap="xs">
          <Operation name="replay" ids={dead.map(({ id }) => id)} onDone={selection.clear} />
          <Operation name="drop" ids={dead.map(({ id }) => id)} onDone={selection.clear} />
        </Group>
      }
    >
      <Panel title="Groups">
        <QueryState query={groups}>
          {({ items }) => (
            <DataTable
              label="Consumer groups"
              list={items}
              columns={GROUP_COLUMNS}
              idOf={({ topic, group }) => `${topic}/${group}`}
              empty={<Text size="sm">No consumer group has reported yet.</Text>}
            />
          )}
        </QueryState>
      </Panel>
      <LagChart />
      <FilteredTable
        {...page}
        label="Set aside"
        selection={selection}
        empty={<Empty title="Nothing is set aside">Every consumer handles what it gets.</Empty>}
        drawer="Set aside"
        renderDetails={(id) => <SetAsideDetails id={id} />}
      />
    </PageFrame>
  )
}

const WORDS = {
  replay: {
    verb: 'Replay',
    past: 'replayed',
    means: 'Their consumers get them again, with their attempts at zero.',
  },
  drop: {
    verb: 'Drop',
    past: 'dropped',
    means: 'They are deleted; messages behind them continue.',
  },
} as const

interface OperationProps {
  readonly name: keyof typeof WORDS
  readonly ids: string[]
  readonly onDone: () => void
}

/** Replays or drops the selected dead letters. */
function Operation({ name, ids, onDone }: OperationProps) {
  const { verb, past, means } = WORDS[name]
  const count = countOf(ids.length, 'dead letter')
  return (
    <ActButton
      to="operate"
      label={`${verb} selected`}
      title={`${verb} ${count}?`}
      verb={`${verb} ${ids.length}`}
      tone={name === 'drop' ? 'danger' : 'normal'}
      reason="optional"
      button={{ disabled: ids.length === 0 }}
      run={(reason) =>
        post(`/api/v1/consumers/dead-letters/${name}`, {
          body: { filter: { ids }, ...because(reason) },
        })
      }
      done={() => `${count} ${past}.`}
      changes={['consumers']}
      onDone={onDone}
    >
      {means}
    </ActButton>
  )
}

/** One message that a consumer set aside: why, and what is in it. */
function SetAsideDetails({ id }: { id: string }) {
  const query = useRead('/api/v1/consumers/dead-letters/{id}', ['consumers', 'one', id], {
    params: { path: { id } },
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
              Died: timeFact(letter.diedAt),
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

/** How far the consumer groups were behind. */
function LagChart() {
  const { minutes, picker } = useRange()
  const query = useRead('/api/v1/charts/consumers', ['charts', 'consumers', minutes], {
    params: { query: { minutes } },
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

function Lines({ lags }: { lags: Answer<'/api/v1/charts/consumers'> }) {
  const navigate = useNavigate()
  const marks = useMemo(() => marksOf(lags), [lags])
  const times = useMemo(() => timesOf(lags), [lags])
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
          title: 'Unacknowledged',
          unit: 'messages, peak of each interval',
          series,
          format: formatCount,
          onPick: (stretch) =>
            void navigate({ to: '/messages', search: filterOf(stretch) } as never),
        },
      ]}
    />
  )
}

/** More than a group that keeps up has in front of it for long. */
const MUCH = 1_000

const GROUP_COLUMNS: readonly Column<ItemOf<'/api/v1/consumers'>>[] = [
  {
    id: 'group',
    title: 'Group',
    width: 'minmax(120px, 2fr)',
    cell: ({ topic, group }) => (
      <AnchorLink to="/consumers" search={{ topic, group }} size="sm">
        {group}
      </AnchorLink>
    ),
  },
  column.text('topic', 'Topic', { width: 'minmax(110px, 2fr)' }),
  {
    id: 'lag',
    title: 'Behind',
    align: 'right',
    isBold: ({ lag }) => lag !== null && lag >= MUCH,
    cell: ({ lag }) => (lag === null ? 'not known' : formatCount(lag)),
  },
  column.count('retrying', 'Retried'),
  column.count('parked', 'Parked'),
  { ...column.count('dead', 'Dead'), isBold: ({ dead }) => dead > 0 },
]
