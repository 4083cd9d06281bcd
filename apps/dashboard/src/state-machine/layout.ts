import { formatCount } from '../format/number.ts'
import type { StateRole } from '../states/role.ts'

export const NODE = { width: 152, height: 72 }
const GAP = { x: 88, y: 76 }
const MARGIN = 14

interface Point {
  readonly x: number
  readonly y: number
}

export interface PlacedNode extends StateNode {
  /** The left upper corner. */
  readonly at: Point
}

export interface RoutedEdge extends StateEdge {
  /** An SVG path from border to border. */
  readonly path: string
  /** Points of it, from one end to the other; that in the middle is the middle of the list. */
  readonly line: readonly Point[]
  readonly label: Point
}

export interface Layout {
  /** What the picture shows: everything that is drawn, and a margin. */
  readonly box: {
    readonly left: number
    readonly top: number
    readonly width: number
    readonly height: number
  }
  readonly nodes: readonly PlacedNode[]
  readonly edges: readonly RoutedEdge[]
}

/** The way of a message runs along the upper row; what went wrong stands below it. */
const UPPER: readonly StateRole[] = ['ready', 'claimed', 'sent', 'confirmed']
const LOWER: readonly StateRole[] = ['cancelled', 'retry', 'failing', 'dead']

/**
 * Places are given by role and not by a general algorithm, so that the same role stands in the same
 * place in every outbox and nothing jumps when a count changes.
 */
export function layOut(nodes: readonly StateNode[], edges: readonly StateEdge[]): Layout {
  const upper = inOrder(nodes, UPPER)
  const lower = inOrder(nodes, LOWER)
  const columns = Math.max(upper.length, lower.length, 1)
  const placed = [...placeRow(upper, { row: 0, columns }), ...placeRow(lower, { row: 1, columns })]
  const byState = new Map(placed.map((node) => [node.state, node]))
  const routed = edges.flatMap((edge) => {
    const from = byState.get(edge.from)
    const to = byState.get(edge.to)
    if (from === undefined || to === undefined) return []
    return [route(edge, { from, to, others: placed })]
  })
  const spread = spreadLabels(placed, routed)
  return { box: boxAround(placed, spread), nodes: placed, edges: spread }
}

/** What a label takes at the most: `999,999/min`. */
export const LABEL = { width: 74, height: 16 }

/** How far a label may be moved from its edge's middle, in steps of its height. */
const MOST_STEPS = 16

/**
 * Moves labels until none lies on a state or on another label; those before keep their places. Along its
 * own edge first, and where it covers no other one if there is such a place.
 */
function spreadLabels(nodes: readonly PlacedNode[], edges: readonly RoutedEdge[]): RoutedEdge[] {
  const taken: Point[] = []
  return edges.map((edge) => {
    const steps = Array.from({ length: MOST_STEPS }, (_, i) => [-i - 1, i + 1]).flat()
    const aside = [0, ...steps]
      .flatMap((down) => [0, -1, 1].map((right) => ({ down, right })))
      .map(({ down, right }) => ({
        x: edge.label.x + right * (LABEL.width / 2),
        y: edge.label.y + down * (LABEL.height / 2 + 1),
      }))
    const places = [...outwards(edge.line), ...aside].filter((place) =>
      isFree(place, { nodes, taken }),
    )
    const others = edges.filter((other) => other !== edge)
    const free = places.find((place) => !covers(place, others)) ?? places[0] ?? edge.label
    taken.push(free)
    return { ...edge, label: free }
  })
}

/** From the middle of a line to a quarter of it on both sides: a label at its end would say nothing. */
function outwards(line: readonly Point[]): Point[] {
  const middle = (line.length - 1) / 2
  return Array.from({ length: Math.floor(middle / 2) + 1 }, (_, n) => n)
    .flatMap((n) => (n === 0 ? [middle] : [middle - n, middle + n]))
    .flatMap((index) => line[index] ?? [])
}

function covers({ x, y }: Point, edges: readonly RoutedEdge[]): boolean {
  return edges.some(({ line }) =>
    line.some(
      (point) =>
        Math.abs(point.x - x) < LABEL.width / 2 && Math.abs(point.y - y) < LABEL.height / 2,
    ),
  )
}

function isFree(
  { x, y }: Point,
  { nodes, taken }: { nodes: readonly PlacedNode[]; taken: readonly Point[] },
): boolean {
  const onNode = nodes.some(
    ({ at: corner }) =>
      x + LABEL.width / 2 > corner.x &&
      x - LABEL.width / 2 < corner.x + NODE.width &&
      y + LABEL.height / 2 > corner.y &&
      y - LABEL.height / 2 < corner.y + NODE.height,
  )
  const onLabel = taken.some(
    (other) => Math.abs(other.x - x) < LABEL.width && Math.abs(other.y - y) < LABEL.height,
  )
  return !onNode && !onLabel
}

function boxAround(nodes: readonly PlacedNode[], edges: readonly RoutedEdge[]): Layout['box'] {
  const corners = nodes.flatMap(({ at: { x, y } }) => [
    { x, y },
    { x: x + NODE.width, y: y + NODE.height },
  ])
  const labels = edges.flatMap(({ label: { x, y } }) => [
    { x: x - LABEL.width / 2, y: y - LABEL.height / 2 },
    { x: x + LABEL.width / 2, y: y + LABEL.height / 2 },
  ])
  const points = [...corners, ...labels]
  const xs = points.map(({ x }) => x)
  const ys = points.map(({ y }) => y)
  const left = Math.min(0, ...xs) - MARGIN
  const top = Math.min(0, ...ys) - MARGIN
  return {
    left,
    top,
    width: Math.max(0, ...xs) + MARGIN - left,
    height: Math.max(0, ...ys) + MARGIN - top,
  }
}

function inOrder(nodes: readonly StateNode[], roles: readonly StateRole[]): StateNode[] {
  return roles.flatMap((role) => nodes.filter((node) => node.role === role))
}

function placeRow(
  row: readonly StateNode[],
  { row: y, columns }: { row: number; columns: number },
): PlacedNode[] {
  // A shorter lower row stands in the middle, below the states that its messages come from.
  const shift = y === 0 ? 0 : (columns - row.length) / 2
  return row.map((node, i) => ({
    ...node,
    at: {
      x: (i + shift) * (NODE.width + GAP.x),
      y: y * (NODE.height + GAP.y),
    },
  }))
}

interface Ends {
  readonly from: PlacedNode
  readonly to: PlacedNode
  readonly others: readonly PlacedNode[]
}

function route(edge: StateEdge, ends: Ends): RoutedEdge {
  if (ends.from === ends.to) return loop(edge, ends.from)
  const start = centre(ends.from)
  const end = centre(ends.to)
  const bend = bendOf(ends)
  const length = Math.hypot(end.x - start.x, end.y - start.y)
  // To the left of the direction of travel: two edges between the same nodes bend apart.
  const aside = { x: ((end.y - start.y) / length) * bend, y: (-(end.x - start.x) / length) * bend }
  const control = {
    x: (start.x + end.x) / 2 + 2 * aside.x,
    y: (start.y + end.y) / 2 + 2 * aside.y,
  }
  const first = border(ends.from, control)
  const last = border(ends.to, control)
  const line = pointsBetween((t) => ({
    x: (1 - t) ** 2 * first.x + 2 * t * (1 - t) * control.x + t ** 2 * last.x,
    y: (1 - t) ** 2 * first.y + 2 * t * (1 - t) * control.y + t ** 2 * last.y,
  }))
  return {
    ...edge,
    path: `M ${at(first)} Q ${at(control)} ${at(last)}`,
    line,
    label: line[POINTS / 2] ?? first,
  }
}

/** So many that none is farther from the next than a label is high. */
const POINTS = 64

function pointsBetween(place: (part: number) => Point): Point[] {
  return Array.from({ length: POINTS + 1 }, (_, i) => place(i / POINTS))
}

/** Neighbours are joined almost straight; an edge that passes others arches over them. */
function bendOf({ from, to, others }: Ends): number {
  const isLevel = from.at.y === to.at.y
  const passes = others.some((other) => {
    if (other === from || other === to || other.at.y !== from.at.y) return false
    return other.at.x > Math.min(from.at.x, to.at.x) && other.at.x < Math.max(from.at.x, to.at.x)
  })
  if (isLevel && passes) return NODE.height * 0.7
  return isLevel ? 16 : 14
}

function loop(edge: StateEdge, node: PlacedNode): RoutedEdge {
  const { x } = centre(node)
  const top = node.at.y
  return {
    ...edge,
    path: `M ${x - 30},${top} C ${x - 44},${top - 48} ${x + 44},${top - 48} ${x + 30},${top}`,
    line: pointsBetween((t) => ({ x: x - 30 + 60 * t, y: top - 4 * 38 * t * (1 - t) })),
    label: { x, y: top - 38 },
  }
}

function centre({ at: { x, y } }: PlacedNode): Point {
  return { x: x + NODE.width / 2, y: y + NODE.height / 2 }
}

/** Where the line from the middle of a node towards a point leaves the node. */
function border(node: PlacedNode, towards: Point): Point {
  const middle = centre(node)
  const dx = towards.x - middle.x
  const dy = towards.y - middle.y
  const scale = Math.min(
    NODE.width / 2 / Math.max(Math.abs(dx), 1e-6),
    NODE.height / 2 / Math.max(Math.abs(dy), 1e-6),
  )
  return { x: middle.x + dx * scale, y: middle.y + dy * scale }
}

function at({ x, y }: Point): string {
  return `${x.toFixed(1)},${y.toFixed(1)}`
}

export interface StateNode {
  /** The word of the table. */
  readonly state: string
  readonly role: StateRole
  readonly count: number
}

export interface StateEdge {
  readonly from: string
  readonly to: string
  readonly perMinute: number
  /** Only a person does this: replay, cancel. */
  readonly byHand?: boolean
}

/** Nothing at an arrow that nothing took: a picture full of zeros hides what moves. */
export function rateOf({ perMinute, byHand }: StateEdge): string {
  if (perMinute > 0) return `${formatCount(perMinute)}/min`
  return byHand === true ? 'manual' : ''
}
