import { expect, test } from 'vitest'
import { layOutGraph } from './outboxes.tsx'

const graph = {
  approximate: false,
  measuredSeconds: 60,
  record: 'all',
  nodes: [
    { state: 'PENDING', roles: ['ready', 'retry'], count: 3 },
    { state: 'SENT', roles: ['sent'], count: 9 },
    { state: 'DEAD_LETTER', roles: ['dead'], count: 1 },
  ],
  edges: [
    { from: null, to: 'PENDING', moves: ['enqueue'], perMinute: null },
    { from: 'PENDING', to: 'SENT', moves: ['deliver'], perMinute: 12 },
    { from: 'PENDING', to: 'PENDING', moves: ['retry'], perMinute: 0 },
    { from: 'DEAD_LETTER', to: 'PENDING', moves: ['replay'], perMinute: 0 },
  ],
}

test('a state that waits and is tried again stands where it waits', () => {
  expect(layOutGraph(graph).nodes[0]).toEqual({ state: 'PENDING', role: 'ready', count: 3 })
})

test('draws what moves, and what only people do as such', () => {
  expect(layOutGraph(graph).edges).toEqual([
    { from: 'PENDING', to: 'SENT', perMinute: 12 },
    { from: 'DEAD_LETTER', to: 'PENDING', perMinute: 0, byHand: true },
  ])
})

test('a retry that happens is drawn as a loop', () => {
  const busy = { ...graph, edges: graph.edges.map((edge) => ({ ...edge, perMinute: 2 })) }
  expect(layOutGraph(busy).edges).toContainEqual({ from: 'PENDING', to: 'PENDING', perMinute: 2 })
})
