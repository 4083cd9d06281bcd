import type { Outbox } from '@posthorn/engine'
import {
  outboxGraph,
  transitionRates,
  type GraphEdge,
  type Move,
  type TransitionRates,
} from '@posthorn/operate/internal'
import { outboxStats, type OutboxStats } from '@posthorn/operate'
import type { App } from '@posthorn/http'
import { nullable, NullableText } from '@posthorn/system'
import { Type } from 'typebox'
import type { OperatorParts } from '../index.ts'
import { OutboxParams, PLATFORM, outboxNamed } from './outbox-registry.ts'

const schema = {
  summary: 'The state machine of an outbox, with counts and rates',
  tags: ['outboxes'],
  params: OutboxParams,
  response: {
    200: Type.Object({
      approximate: Type.Boolean(),
      nodes: Type.Array(
        Type.Object({
          state: Type.String(),
          roles: Type.Array(Type.String()),
          count: Type.Integer(),
        }),
      ),
      edges: Type.Array(
        Type.Object({
          from: nullable(Type.String(), {
            description: 'State before the move; null for the creation of a message',
          }),
          to: Type.String(),
          moves: Type.Array(Type.String(), {
            description: 'Causes of the move; empty if no definition has this move',
          }),
          perMinute: nullable(Type.Number(), {
            description: 'Recent moves per minute; null if the outbox does not record them',
          }),
        }),
      ),
      measuredSeconds: Type.Number({ description: 'Period of the rates, in seconds' }),
      record: NullableText,
    }),
  },
}

export function graphRoutes(app: App, { pool, outboxes }: OperatorParts): void {
  app.get('/api/v1/outboxes/:name/graph', { schema, config: PLATFORM }, async (request) => {
    const outbox = outboxNamed(outboxes, request.params.name)
    const [stats, rates] = await Promise.all([
      outboxStats(pool, outbox),
      transitionRates(pool, outbox),
    ])
    return resourceOf(outbox, stats, rates)
  })
}

function resourceOf(outbox: Outbox, stats: OutboxStats, rates: TransitionRates) {
  const { nodes, edges } = outboxGraph(outbox)
  const rateOf = (from: string | undefined, to: string) =>
    rates.pairs.find((pair) => pair.from === from && pair.to === to)?.perMinute
  const isKnown = (pair: TransitionRates['pairs'][number]) =>
    edges.some(({ from, to }) => from === pair.from && to === pair.to)
  return {
    approximate: stats.approximate,
    nodes: nodes.map(({ state, roles }) => ({
      state,
      roles: [...roles],
      count: stats.counts[state] ?? 0,
    })),
    edges: [
      ...edges.map((edge) => ({
        from: edge.from ?? null,
        to: edge.to,
        moves: [...edge.moves] as string[],
        perMinute: rateOf(edge.from, edge.to) ?? (isRecorded(outbox, edge) ? 0 : null),
      })),
      // Systems move messages too: a payment's webhook, a person's cancellation.
      ...rates.pairs
        .filter((pair) => !isKnown(pair))
        .map(({ from = null, to, perMinute }) => ({ from, to, moves: [], perMinute })),
    ],
    measuredSeconds: rates.seconds,
    record: outbox.audit.record,
  }
}

const WENT_WELL: readonly Move[] = ['claim', 'deliver', 'confirm', 'resend']

function isRecorded({ audit }: Outbox, { moves }: GraphEdge): boolean {
  const recorded = moves.filter((move) => move !== 'enqueue')
  if (audit.record === 'all') return recorded.length > 0
  return audit.record === 'failures' && recorded.some((move) => !WENT_WELL.includes(move))
}
