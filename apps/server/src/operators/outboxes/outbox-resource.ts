import type { Outbox } from '@posthorn/engine'
import type { OutboxStats } from '@posthorn/operate'
import type { Paused } from '@posthorn/engine/internal'
import type { TenantCounts } from '@posthorn/operate/internal'
import { nullable, NullableText, resource } from '@posthorn/system'
import { Type } from 'typebox'
import { Moment } from './outbox-registry.ts'

export const StateWords = Type.Object(
  {
    ready: NullableText,
    claimed: NullableText,
    retry: NullableText,
    failing: NullableText,
    sent: NullableText,
    confirmed: NullableText,
    dead: NullableText,
    cancelled: NullableText,
  },
  { description: "This outbox's state names for each role" },
)

export function wordsOf(outbox: Outbox | undefined) {
  const states = Object.entries(outbox?.states ?? {})
  return Object.fromEntries(
    states.map(([role, word]) => [role, word === undefined ? null : String(word)]),
  ) as Record<keyof Outbox['states'], string | null>
}

/** How an outbox is doing, in every answer that says so. */
export const OutboxResource = Type.Object({
  name: Type.String(),
  states: Type.Array(Type.String()),
  counts: Type.Record(Type.String(), Type.Integer()),
  approximate: Type.Boolean({
    description:
      'True if the table is large: counts of finished states and large counts are estimates. For one organisation at most 10,000 messages are counted, or none if the count takes too long',
  }),
  due: Type.Integer({ description: 'Messages due by the business clock' }),
  retrying: Type.Integer({ description: 'Messages waiting for another attempt after a failure' }),
  postponed: Type.Integer({
    description:
      'Messages claimed but not attempted: breaker open, destination busy or limit reached',
  }),
  scheduled: Type.Integer({ description: 'Messages due later that no relay has claimed yet' }),
  oldestDueSeconds: Type.Number(),
  oldestUndeliveredSeconds: Type.Number({
    description: 'Age in seconds, in real time, of the oldest message that is due or was attempted',
  }),
  deadSince: nullable(Type.String({ format: 'date-time' }), {
    description: 'When the message that has been dead longest died; null without dead messages',
  }),
  perSecond: Type.Number({ description: 'Messages delivered per second in the last minute' }),
  attemptsPerSecond: Type.Number({
    description: 'Attempts per second in the last minute, successful or not',
  }),
  failureRate: Type.Number({
    description: 'Share of failed attempts in the last minute, from 0 to 1',
  }),
  relays: Type.Integer(),
  paused: Type.Boolean(),
  pausedBy: NullableText,
  pausedAt: Moment,
  pauseReason: NullableText,
  heldKeys: Type.Integer(),
  blockedKeys: Type.Integer(),
  quarantined: Type.Integer(),
})

const FigureOfAll = nullable(Type.Number(), {
  description: 'Figure of all organisations; null for an operator of one organisation',
})

/** The same where operators of one organisation read it too. */
export const ScopedOutboxResource = Type.Object({
  ...OutboxResource.properties,
  roles: StateWords,
  perSecond: FigureOfAll,
  attemptsPerSecond: FigureOfAll,
  failureRate: FigureOfAll,
  heldKeys: FigureOfAll,
  blockedKeys: FigureOfAll,
  quarantined: FigureOfAll,
})

const ownFields = resource<typeof OutboxResource, object>(OutboxResource)

export function statsOf(stats: OutboxStats, pause: Paused | undefined) {
  return ownFields({ ...pause, ...stats, pauseReason: pause?.reason })
}

/** The same for an operator of one organisation: its own messages, and no figure about others'. */
export function ownStatsOf(stats: OutboxStats, own: TenantCounts, pause: Paused | undefined) {
  const counts = Object.fromEntries(stats.states.map((state) => [state, own.counts[state] ?? 0]))
  return {
    ...statsOf({ ...stats, ...own, counts }, pause),
    ...{ perSecond: null, attemptsPerSecond: null, failureRate: null },
    ...{ heldKeys: null, blockedKeys: null, quarantined: null },
  }
}
