import { useElementSize } from '@mantine/hooks'
import { type CSSProperties, type KeyboardEvent, useId, useMemo } from 'react'
import { formatCount } from '../format/number.ts'
import { ROLE_LOOKS } from '../states/role.ts'
import {
  layOut,
  type Layout,
  NODE,
  type PlacedNode,
  rateOf,
  type RoutedEdge,
  type StateEdge,
  type StateNode,
} from './layout.ts'
import classes from './state-machine.module.css'

interface StateMachineProps {
  readonly label: string
  readonly nodes: readonly StateNode[]
  readonly edges: readonly StateEdge[]
  /** Every state is a link to its messages. */
  readonly onSelect: (state: string) => void
}

/** Below this part of its size the words of a picture are too small to be read. */
const LEAST_SCALE = 0.85

/**
 * An outbox as a picture: how many messages are in each state, and how many go each way. Where the
 * picture would be too small to be read, the same is there as a list.
 */
export function StateMachine({ label, nodes, edges, onSelect }: StateMachineProps) {
  const { ref, width } = useElementSize<HTMLDivElement>()
  const layout = useMemo(() => layOut(nodes, edges), [nodes, edges])
  const isNarrow = width > 0 && width < layout.box.width * LEAST_SCALE
  return (
    <div ref={ref} className={classes.room} role="group" aria-label={label}>
      {isNarrow ? (
        <StateList {...{ nodes, edges, onSelect }} />
      ) : (
        <Picture {...{ layout, onSelect }} />
      )}
    </div>
  )
}

interface PictureProps extends Pick<StateMachineProps, 'onSelect'> {
  readonly layout: Layout
}

function Picture({ layout, onSelect }: PictureProps) {
  const markers = useId()
  const { box } = layout
  return (
    <svg
      className={classes.picture}
      viewBox={`${box.left} ${box.top} ${box.width} ${box.height}`}
      style={{ maxWidth: box.width }}
    >
      <defs>
        <Arrowhead id={`${markers}-still`} className={classes.arrow} />
        <Arrowhead id={`${markers}-moving`} className={classes.movingArrow} />
      </defs>
      {layout.edges.map((edge) => (
        <Edge key={`${edge.from} ${edge.to}`} edge={edge} markers={markers} />
      ))}
      {/* Over every line: a label that another edge crosses stays readable. */}
      {layout.edges.map((edge) => (
        <Label key={`${edge.from} ${edge.to}`} edge={edge} />
      ))}
      {layout.nodes.map((node) => (
        <Node key={node.state} node={node} onSelect={() => onSelect(node.state)} />
      ))}
    </svg>
  )
}

function Arrowhead({ id, className }: { id: string; className: string | undefined }) {
  return (
    <marker
      id={id}
      viewBox="0 0 8 8"
      refX="7"
      refY="4"
      markerWidth="7"
      markerHeight="7"
      orient="auto"
      markerUnits="userSpaceOnUse"
    >
      <path d="M 0 0 L 8 4 L 0 8 z" className={className} />
    </marker>
  )
}

function Edge({ edge, markers }: { edge: RoutedEdge; markers: string }) {
  const isMoving = edge.perMinute > 0
  const lines = [classes.edge, isMoving && classes.moving, edge.byHand && classes.byHand]
  const text = rateOf(edge)
  return (
    <g role="img" aria-label={`${edge.from} to ${edge.to}: ${text || 'none'} in the last minute`}>
      <path
        d={edge.path}
        className={lines.filter(Boolean).join(' ')}
        markerEnd={`url(#${markers}-${isMoving ? 'moving' : 'still'})`}
      />
    </g>
  )
}

/** What the edge says itself to who does not see it. */
function Label({ edge }: { edge: RoutedEdge }) {
  const isMoving = edge.perMinute > 0
  return (
    <text
      x={edge.label.x}
      y={edge.label.y}
      dy="0.35em"
      textAnchor="middle"
      aria-hidden
      className={[classes.rate, isMoving && classes.movingRate].filter(Boolean).join(' ')}
    >
      {rateOf(edge)}
    </text>
  )
}

/** The blanks behind its words are heard, not seen: its text is the name of the link. */
function Node({ node, onSelect }: { node: PlacedNode; onSelect: () => void }) {
  const { word, color } = ROLE_LOOKS[node.role]
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' && event.key !== ' ') return
    event.preventDefault()
    onSelect()
  }
  const style = {
    '--state-fill': `var(--mantine-color-${color}-light)`,
    '--state-line': `var(--mantine-color-${color}-filled)`,
  } as CSSProperties
  return (
    <g
      className={classes.node}
      transform={`translate(${node.at.x} ${node.at.y})`}
      style={style}
      role="link"
      tabIndex={0}
      onClick={onSelect}
      onKeyDown={onKeyDown}
    >
      <rect width={NODE.width} height={NODE.height} rx={10} className={classes.box} />
      <text x={14} y={25} className={classes.name}>
        {`${node.state} `}
      </text>
      <text x={14} y={42} className={classes.role}>
        {`${word} `}
      </text>
      <text x={NODE.width - 14} y={60} textAnchor="end" className={classes.count}>
        {formatCount(node.count)}
      </text>
    </g>
  )
}

/** The states below each other, each with where its messages go. */
function StateList({ nodes, edges, onSelect }: Omit<StateMachineProps, 'label'>) {
  return (
    <ul className={classes.list}>
      {nodes.map(({ state, role, count }) => {
        const { word, color } = ROLE_LOOKS[role]
        return (
          <li key={state} style={{ borderLeftColor: `var(--mantine-color-${color}-filled)` }}>
            <button type="button" role="link" onClick={() => onSelect(state)}>
              {`${state}, ${word}: ${formatCount(count)}`}
            </button>
            {edges
              .filter(({ from, to }) => from === state && to !== state)
              .map((edge) => (
                <div key={edge.to} className={classes.way}>
                  to {edge.to}
                  {rateOf(edge) && `, ${rateOf(edge)}`}
                </div>
              ))}
          </li>
        )
      })}
    </ul>
  )
}
