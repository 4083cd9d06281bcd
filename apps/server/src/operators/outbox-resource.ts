import type { OutboxStats, Paused } from '@posthorn/engine/operate'
import { Type } from 'typebox'
import { textOrNull } from './transition.ts'

/** How an outbox is doing, in every answer that says so. */
export const OutboxResource = Type.Object({
  name: Type.String(),
  states: Type.Array(Type.String()),
  counts: Type.Record(Type.String(), Type.Integer()),
  approximate: Type.Boolean({
    description: 'the table is large: what is finished is estimated, and so is what is plenty',
  }),
  due: Type.Integer({ description: 'what waits and is due by the business clock' }),
  oldestDueSeconds: Type.Number(),
  perSecond: Type.Number(),
  failureRate: Type.Number(),
  relays: Type.Integer(),
  paused: Type.Boolean(),
  pausedBy: Type.Union([Type.String(), Type.Null()]),
  pausedAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  pauseReason: Type.Union([Type.String(), Type.Null()]),
  heldKeys: Type.Integer(),
  blockedKeys: Type.Integer(),
  quarantined: Type.Integer(),
})

export function statsOf(stats: OutboxStats, pause: Paused | undefined) {
  return {
    name: stats.name,
    states: [...stats.states],
    counts: { ...stats.counts },
    approximate: stats.approximate,
    due: stats.due,
    oldestDueSeconds: stats.oldestDueSeconds,
    perSecond: stats.perSecond,
    failureRate: stats.failureRate,
    relays: stats.relays,
    paused: stats.paused,
    pausedBy: textOrNull(pause?.pausedBy),
    pausedAt: textOrNull(pause?.pausedAt),
    pauseReason: textOrNull(pause?.reason),
    heldKeys: stats.heldKeys,
    blockedKeys: stats.blockedKeys,
    quarantined: stats.quarantined,
  }
}
