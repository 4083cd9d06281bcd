import { Group, Text } from '@mantine/core'
import { type Answer, useRead } from '../../api/client.tsx'
import { Sparkline } from '../../charts/sparkline.tsx'
import { formatCount, formatRate, formatShare } from '../../format/number.ts'
import { useFresh } from '../../live/use-fresh.ts'
import { AnchorLink, PageFrame } from '../../parts/layout/page-frame.tsx'
import { QueryState } from '../../parts/layout/notice.tsx'
import { Duration } from '../../parts/show/facts.tsx'
import { type BarPart, StackedBar, StateBadge } from '../../parts/show/states.tsx'
import { type Column } from '../../parts/table/columns.tsx'
import { DataTable } from '../../parts/table/data-table.tsx'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { StateEdge, StateNode } from '../../state-machine/layout.ts'
import { StateMachine } from '../../state-machine/state-machine.tsx'
import { ROLE_LOOKS, roleOf, type StateRole } from '../../states/role.ts'
import { deadOf, type OutboxItem, useOverview } from '../overview/trouble.ts'

/** Every outbox in a line. */
export function Outboxes() {
  const query = useOverview()
  // Relays write it down each minute: asking more often shows nothing new.
  const history = useRead('/api/v1/overview/history', ['overview', 'history'], {
    refetchInterval: 60_000,
  })
  useFresh(['overview', 'now'], ({ kind }) => kind !== 'announcement')
  return (
    <PageFrame
      title="Outboxes"
      lead="Message tables and their states. Rates and failures are of the last minute."
    >
      <QueryState query={query}>
        {({ outboxes }) => (
          <DataTable
            label="Outboxes"
            list={outboxes}
            idOf={({ name }) => name}
            columns={columnsOf(history.data?.outboxes ?? {})}
          />
        )}
      </QueryState>
    </PageFrame>
  )
}

type History = Answer<'/api/v1/overview/history'>['outboxes']

const number = (title: string, read: (item: OutboxItem) => number): Column<OutboxItem> => ({
  id: title,
  title,
  align: 'right',
  cell: (item) => quiet(read(item)),
})

const PAUSED = { state: 'paused', role: 'retry' } as const

const HIDDEN = { narrow: 'hidden' } as const

/** Nothing is not worth a look. */
function quiet(n: number) {
  return n === 0 ? (
    <Text span c="dimmed" size="sm">
      0
    </Text>
  ) : (
    formatCount(n)
  )
}

function columnsOf(history: History): readonly Column<OutboxItem>[] {
  return [
    {
      id: 'outbox',
      title: 'Outbox',
      width: 'minmax(160px, 2.4fr)',
      cell: ({ name, paused }) => (
        <Group gap={8} wrap="nowrap">
          <AnchorLink to="/outboxes/$name" params={{ name }} size="sm" fw={500}>
            {name}
          </AnchorLink>
          {paused && <StateBadge {...PAUSED} />}
        </Group>
      ),
    },
    {
      id: 'states',
      title: 'States',
      width: 'minmax(80px, 1.4fr)',
      cell: (item) => <StackedBar label="States" parts={partsOf(item)} legend="none" />,
    },
    {
      id: 'hour',
      title: 'Last hour',
      width: '112px',
      narrow: 'hidden',
      cell: ({ name }) => (
        <Sparkline
          values={(history[name] ?? []).map(({ delivered }) => delivered)}
          color="teal"
          label={`Delivered by ${name} in the last hour`}
          isRunning
        />
      ),
    },
    number('Due', ({ due }) => due),
    { ...number('Retrying', ({ retrying }) => retrying), ...HIDDEN },
    { ...number('Postponed', ({ postponed }) => postponed), ...HIDDEN },
    { ...number('Scheduled', ({ scheduled }) => scheduled), ...HIDDEN },
    { ...number('Dead', deadOf), isBold: (item) => deadOf(item) > 0 },
    {
      id: 'oldest',
      title: 'Oldest pending',
      align: 'right',
      width: '104px',
      narrow: 'hidden',
      cell: (item) => <Duration ms={item.oldestUndeliveredSeconds * 1_000 || null} />,
    },
    { id: 'rate', title: 'Rate', align: 'right', cell: ({ perSecond }) => formatRate(perSecond) },
    {
      id: 'failing',
      title: 'Failing',
      align: 'right',
      narrow: 'hidden',
      isBold: ({ failureRate }) => failureRate > 0,
      cell: ({ failureRate }) => formatShare(failureRate),
    },
    {
      id: 'relays',
      title: 'Relays',
      align: 'right',
      width: '56px',
      narrow: 'hidden',
      isBold: ({ relays }) => relays === 0,
      cell: ({ relays }) => relays,
    },
  ]
}

/** How many messages are in each state, in the colour of its role. */
function partsOf({ counts, roles }: OutboxItem): BarPart[] {
  return Object.entries(counts).map(([state, n]) => {
    const role = roleOf(state, roles)
    return { label: state, count: n, color: role ? ROLE_LOOKS[role].color : 'gray' }
  })
}

/** The state machine of an outbox with what is in it now; a state leads to its messages. */
export function Picture({ name }: { name: string }) {
  const query = useRead('/api/v1/outboxes/{name}/graph', ['outboxes', name, 'graph'], {
    params: { path: { name } },
    // The stream tells what happens; only how many moved of late gets old by itself.
    refetchInterval: 60_000,
  })
  useFresh(
    ['outboxes', name, 'graph'],
    (event) => event.kind !== 'announcement' && event.outbox === name,
  )
  return (
    <QueryState query={query}>{(graph) => <GraphPicture name={name} graph={graph} />}</QueryState>
  )
}

function GraphPicture({ name, graph }: { name: string; graph: Graph }) {
  const navigate = useNavigate()
  const drawn = useMemo(() => layOutGraph(graph), [graph])
  return (
    <StateMachine
      {...drawn}
      label={`States of ${name}`}
      onSelect={(status) =>
        void navigate({ to: '/messages', search: { outbox: name, status } } as never)
      }
    />
  )
}

type Graph = Answer<'/api/v1/outboxes/{name}/graph'>

/** Where two roles share a word, the one that is named first here says where it stands. */
const BY_PLACE: readonly StateRole[] = [
  'ready',
  'claimed',
  'sent',
  'confirmed',
  'dead',
  'cancelled',
  'retry',
  'failing',
]

/** What only people do is drawn with a broken line. */
const BY_HAND = new Set(['cancel', 'replay'])

/** What a picture shows of a graph: where messages come into being is left of it, and not drawn. */
export function layOutGraph({ nodes, edges }: Graph): { nodes: StateNode[]; edges: StateEdge[] } {
  return {
    nodes: nodes.map(({ state, roles, count }) => ({
      state,
      role: BY_PLACE.find((role) => roles.includes(role)) ?? 'ready',
      count,
    })),
    edges: edges.flatMap(({ from, to, moves, perMinute }) => {
      // A failed attempt that leaves a message where it was is no way.
      const isStill = from === to && !perMinute && !moves.includes('resend')
      if (from === null || isStill) return []
      const byHand = moves.length > 0 && moves.every((move) => BY_HAND.has(move))
      return [{ from, to, perMinute: perMinute ?? 0, ...(byHand && { byHand }) }]
    }),
  }
}
