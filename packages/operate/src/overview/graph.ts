import type { State, CheckedDefinition } from '@posthorn/engine/internal'
import type { Queryable } from '@posthorn/engine'
import { selectPairs } from './overview.sql.ts'

export type StateRole = keyof CheckedDefinition['states']

/** What moves a message from one state to another. */
export type Move =
  | 'enqueue'
  | 'claim'
  | 'deliver'
  | 'retry'
  | 'release'
  | 'die'
  | 'confirm'
  | 'resend'
  | 'cancel'
  | 'replay'

export interface GraphNode {
  /** The table's own word. */
  readonly state: string
  /** What it stands for; two roles may share a word. */
  readonly roles: readonly StateRole[]
}

export interface GraphEdge {
  /** Undefined where a message comes into being. */
  readonly from: string | undefined
  readonly to: string
  readonly moves: readonly Move[]
}

export interface Graph {
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
}

type Step = readonly [from: State | undefined, to: State | undefined, move: Move]

/** The states of an outbox and every way between them that its definition allows. */
export function outboxGraph(outbox: CheckedDefinition): Graph {
  const states = withClaimed(outbox)
  const words = [...new Set(Object.values(states).filter((word) => word !== undefined))]
  const nodes = words.map((word) => ({
    state: String(word),
    roles: (Object.keys(states) as StateRole[]).filter((role) => states[role] === word),
  }))
  const edges = new Map<string, { from: string | undefined; to: string; moves: Set<Move> }>()
  for (const [from, to, move] of stepsOf(outbox)) {
    if (to === undefined || (from === undefined && move !== 'enqueue')) continue
    const key = JSON.stringify([from, to])
    const edge = edges.get(key) ?? { from: textOf(from), to: String(to), moves: new Set() }
    edge.moves.add(move)
    edges.set(key, edge)
  }
  return {
    nodes,
    edges: [...edges.values()].map((edge) => ({ ...edge, moves: [...edge.moves] })),
  }
}

/** An ordered outbox has its claimed state in the transitions only. */
function withClaimed({ states, attempting }: CheckedDefinition) {
  return attempting === undefined ? states : { ...states, claimed: attempting }
}

/** The ways of `decide.ts`, with what operators do. A state that is undefined leaves its way out. */
function stepsOf(outbox: CheckedDefinition): Step[] {
  const { retry: policy, counter, order, confirmWithinMs } = outbox
  const { ready, claimed, sent, confirmed, retry, failing, dead, cancelled } = withClaimed(outbox)
  const waiting = [...new Set([ready, retry])]
  // Without a claimed state the table says that a message waits until it is settled.
  const attempted = claimed === undefined ? waiting : [claimed]
  const canDie = dead !== undefined && policy.attempts !== undefined
  const failures = attempted.flatMap((from): Step[] =>
    failing === undefined
      ? [
          // Where only a retry's claim counts, a failed attempt leaves the message where it was.
          [from, counter.bumps === 'on-retry-claim' ? from : retry, 'retry'],
          [from, canDie ? dead : undefined, 'die'],
        ]
      : [[from, failing, 'retry']],
  )
  const fromFailing: Step[] =
    failing === undefined
      ? []
      : [
          [failing, retry, 'retry'],
          [failing, canDie ? dead : undefined, 'die'],
        ]
  return [
    [undefined, ready, 'enqueue'],
    ...waiting.map((from): Step => [from, claimed, 'claim']),
    ...attempted.map((from): Step => [from, sent, 'deliver']),
    ...failures,
    ...fromFailing,
    ...(claimed === undefined ? [] : waiting.map((to): Step => [claimed, to, 'release'])),
    ...(order?.dead === 'park' ? waiting.map((from): Step => [from, dead, 'die']) : []),
    [sent, confirmed, 'confirm'],
    [confirmed === undefined ? undefined : sent, retry, 'retry'],
    [confirmed === undefined ? undefined : sent, canDie ? dead : undefined, 'die'],
    [confirmWithinMs === undefined ? undefined : sent, sent, 'resend'],
    ...[...waiting, dead].map((from): Step => [from, cancelled, 'cancel']),
    [dead, ready, 'replay'],
  ]
}

function textOf(state: State | undefined): string | undefined {
  return state === undefined ? undefined : String(state)
}

/** How often messages of an outbox went from one state to another of late. */
export interface TransitionRates {
  /** How much of the past was looked at: a minute, or less where very much happens. */
  readonly seconds: number
  readonly pairs: readonly {
    readonly from: string | undefined
    readonly to: string
    readonly perMinute: number
  }[]
}

/** Made of the recorded transitions: an outbox that records none shows none. */
export async function transitionRates(
  db: Queryable,
  outbox: Pick<CheckedDefinition, 'name'>,
): Promise<TransitionRates> {
  const { rows } = await db.query<{
    from_state: string | null
    to_state: string | null
    n: number
    seconds: number
  }>(selectPairs(outbox.name))
  const seconds = rows[0]?.seconds ?? 60
  return {
    seconds,
    pairs: rows.flatMap(({ from_state: from, to_state: to, n }) =>
      to === null ? [] : [{ from: from ?? undefined, to, perMinute: (n * 60) / seconds }],
    ),
  }
}
