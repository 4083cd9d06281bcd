import type { paths } from '../../api/schema.d.ts'
import type { StateEdge, StateNode } from '../../state-machine/graph.ts'
import type { StateRole } from '../../states/role.ts'

export type Graph =
  paths['/api/v1/outboxes/{name}/graph']['get']['responses']['200']['content']['application/json']

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
