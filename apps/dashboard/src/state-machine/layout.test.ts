import { expect, test } from 'vitest'
import { LABEL, layOut, NODE, type StateNode } from './layout.ts'

const outbound: StateNode[] = [
  { state: 'FAILED', role: 'dead', count: 1 },
  { state: 'QUEUED', role: 'ready', count: 4 },
  { state: 'SENT', role: 'sent', count: 9 },
  { state: 'SENDING', role: 'claimed', count: 2 },
  { state: 'DELIVERED', role: 'confirmed', count: 80 },
  { state: 'CANCELLED', role: 'cancelled', count: 0 },
]

test('the way of a message runs from left to right, what went wrong stands below', () => {
  const { nodes } = layOut(outbound, [])
  const placeOf = (state: string) => nodes.find((node) => node.state === state)?.at
  const upper = ['QUEUED', 'SENDING', 'SENT', 'DELIVERED'].map(placeOf)
  expect(upper.map((at) => at?.y)).toEqual(upper.map(() => upper[0]?.y))
  expect(upper.map((at) => at?.x)).toEqual(
    upper.map((at) => at?.x).toSorted((a = 0, b = 0) => a - b),
  )
  expect(placeOf('FAILED')?.y).toBeGreaterThan(upper[0]?.y ?? 0)
})

test('nodes never overlap and lie within the picture', () => {
  const { nodes, box } = layOut(outbound, [])
  for (const one of nodes) {
    expect(one.at.x + NODE.width).toBeLessThanOrEqual(box.left + box.width)
    expect(one.at.y + NODE.height).toBeLessThanOrEqual(box.top + box.height)
    for (const other of nodes) {
      if (one === other) continue
      const isApart =
        Math.abs(one.at.x - other.at.x) >= NODE.width ||
        Math.abs(one.at.y - other.at.y) >= NODE.height
      expect(isApart).toBe(true)
    }
  }
})

test('two ways between the same states do not lie on each other', () => {
  const { edges } = layOut(outbound, [
    { from: 'QUEUED', to: 'SENDING', perMinute: 3 },
    { from: 'SENDING', to: 'QUEUED', perMinute: 1 },
  ])
  const [there, back] = edges
  expect(Math.abs((there?.label.y ?? 0) - (back?.label.y ?? 0))).toBeGreaterThan(12)
})

test('an edge of a state that the table does not have is left out', () => {
  const { edges } = layOut(outbound, [{ from: 'QUEUED', to: 'GONE', perMinute: 1 }])
  expect(edges).toEqual([])
})

test('a state that a message leaves for itself gets a loop', () => {
  const { edges } = layOut(outbound, [{ from: 'SENT', to: 'SENT', perMinute: 1 }])
  expect(edges[0]?.path).toContain('C')
})

test('a label covers no other way where there is another place for it', () => {
  const nodes: StateNode[] = [
    { state: 'PENDING', role: 'ready', count: 0 },
    { state: 'CLAIMED', role: 'claimed', count: 0 },
    { state: 'SENT', role: 'sent', count: 0 },
    { state: 'FAILED', role: 'retry', count: 0 },
    { state: 'DEAD_LETTER', role: 'dead', count: 0 },
  ]
  const ways = [
    ['PENDING', 'CLAIMED'],
    ['CLAIMED', 'SENT'],
    ['CLAIMED', 'PENDING'],
    ['CLAIMED', 'FAILED'],
    ['FAILED', 'PENDING'],
    ['FAILED', 'DEAD_LETTER'],
    ['DEAD_LETTER', 'PENDING'],
  ].map(([from = '', to = '']) => ({ from, to, perMinute: 0, byHand: from === 'DEAD_LETTER' }))
  const { edges } = layOut(nodes, ways)
  const byHand = edges.find((edge) => edge.byHand === true)
  expect(byHand).toBeDefined()
  const covered = edges.filter(
    (edge) =>
      edge !== byHand &&
      edge.line.some(
        ({ x, y }) =>
          Math.abs(x - (byHand?.label.x ?? 0)) < LABEL.width / 2 &&
          Math.abs(y - (byHand?.label.y ?? 0)) < LABEL.height / 2,
      ),
  )
  expect(covered.map(({ from, to }) => `${from} ${to}`)).toEqual([])
  expect(byHand?.line).toContainEqual(byHand?.label)
})

test('labels lie on no state and on no other label, however many ways there are', () => {
  const states = outbound.map(({ state }) => state)
  const all = states.flatMap((from) => states.map((to) => ({ from, to, perMinute: 1 })))
  // Every way that an outbox has, and then some: forward, back, to the dead and out of it.
  const ways = all.filter((_, i) => i % 3 === 0)
  const { nodes, edges, box } = layOut(outbound, ways)
  expect(edges.length).toBeGreaterThan(10)
  edges.forEach(({ label }, i) => {
    expect(label.x + LABEL.width / 2).toBeLessThanOrEqual(box.left + box.width)
    for (const { at } of nodes) {
      const isApart =
        Math.abs(at.x + NODE.width / 2 - label.x) >= (NODE.width + LABEL.width) / 2 ||
        Math.abs(at.y + NODE.height / 2 - label.y) >= (NODE.height + LABEL.height) / 2
      expect(isApart).toBe(true)
    }
    for (const { label: other } of edges.slice(i + 1)) {
      const isApart =
        Math.abs(other.x - label.x) >= LABEL.width || Math.abs(other.y - label.y) >= LABEL.height
      expect(isApart).toBe(true)
    }
  })
})
