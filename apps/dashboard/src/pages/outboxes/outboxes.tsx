import { SimpleGrid, Text } from '@mantine/core'
import { type Answer, useRead } from '../../api/client.tsx'
import { formatCount, formatRate } from '../../format/number.ts'
import { useFresh } from '../../live/use-fresh.ts'
import { AnchorLink, PageFrame, Panel } from '../../parts/layout/page-frame.tsx'
import { QueryState } from '../../parts/layout/notice.tsx'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { StateEdge, StateNode } from '../../state-machine/layout.ts'
import { StateMachine } from '../../state-machine/state-machine.tsx'
import type { StateRole } from '../../states/role.ts'

/** Every outbox as its picture. */
export function Outboxes() {
  const query = useRead('/api/v1/outboxes', ['outboxes', 'list'], { refetchInterval: 10_000 })
  useFresh(['outboxes', 'list'], ({ kind }) => kind !== 'announcement')
  return (
    <PageFrame
      title="Outboxes"
      lead="Each outbox is a table of messages: how many are in each state, and how many move between states."
    >
      <QueryState query={query}>
        {({ items }) => (
          <SimpleGrid cols={1} spacing="md">
            {items.map(({ name, perSecond, due, paused }) => (
              <Panel
                key={name}
                title={name}
                actions={
                  <AnchorLink to="/outboxes/$name" params={{ name }} aria-label={`Open ${name}`}>
                    Open
                  </AnchorLink>
                }
              >
                <Text size="sm" c="dimmed" mb="xs">
                  {paused ? 'Paused. ' : ''}
                  {perSecond !== null && `${formatRate(perSecond)}, `} {formatCount(due)} due
                </Text>
                <Picture name={name} />
              </Panel>
            ))}
          </SimpleGrid>
        )}
      </QueryState>
    </PageFrame>
  )
}

/**
 * The stream tells what happens; only how many moved of late gets old by itself. A page has a picture of every
 * outbox, and at most a request a second for all of them.
 */
const LOOK_AGAIN_MS = 60_000

/** The state machine of an outbox with what is in it now; a state leads to its messages. */
export function Picture({ name }: { name: string }) {
  const query = useRead('/api/v1/outboxes/{name}/graph', ['outboxes', name, 'graph'], {
    params: { path: { name } },
    refetchInterval: LOOK_AGAIN_MS,
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
  const { nodes, edges } = useMemo(() => layOutGraph(graph), [graph])
  return (
    <StateMachine
      label={`States of ${name}`}
      nodes={nodes}
      edges={edges}
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
