import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { useFresh } from '../../live/use-fresh.ts'
import { QueryState } from '../../parts/query-state.tsx'
import { StateMachine } from '../../state-machine/state-machine.tsx'
import { layOutGraph, type Graph } from './graph-layout.ts'

/**
 * The stream tells what happens; only how many moved of late gets old by itself. A page has a picture of every
 * outbox, and at most a request a second for all of them.
 */
const LOOK_AGAIN_MS = 60_000

/** The state machine of an outbox with what is in it now; a state leads to its messages. */
export function Picture({ name }: { name: string }) {
  const api = useApi()
  const query = useQuery({
    queryKey: ['outboxes', name, 'graph'],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/outboxes/{name}/graph', { params: { path: { name } }, signal })),
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
