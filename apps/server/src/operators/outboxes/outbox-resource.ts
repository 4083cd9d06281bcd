import type { Outbox } from '@posthorn/engine'
import type { OutboxStats } from '@posthorn/operate'
import type { Paused } from '@posthorn/engine/internal'
import type { TenantCounts } from '@posthorn/operate/internal'
import { resource } from '@posthorn/system'
import { Type } from 'typebox'

const Word = Type.Union([Type.String(), Type.Null()])

export const StateWords = Type.Object(
  {
    ready: Word,
    claimed: Word,
    retry: Word,
    failing: Word,
    sent: Word,
    confirmed: Word,
    dead: Word,
    cancelled: Word,
  },
  { description: 'the word that this outbox has for each role of a state' },
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
      'the table is large: finished states and large counts are estimated; for one organisation at most 10,000 messages are counted, or none if that takes long',
  }),
  due: Type.Integer({ description: 'due by the business clock' }),
  retrying: Type.Integer({ description: 'waiting for another attempt after a failure' }),
  postponed: Type.Integer({
    description: 'claimed and not tried: open breaker, busy destination, used-up limit',
  }),
  scheduled: Type.Integer({ description: 'due later and not claimed yet' }),
  oldestDueSeconds: Type.Number(),
  oldestUndeliveredSeconds: Type.Number({
    description: 'real time since the oldest that is due or was tried was written',
  }),
  deadSince: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
    description: 'since when the one that has been dead longest is',
  }),
  perSecond: Type.Number({ description: 'delivered in the last minute, by the second' }),
  attemptsPerSecond: Type.Number({ description: 'attempts of the last minute, delivered or not' }),
  failureRate: Type.Number({ description: 'share of failed attempts' }),
  relays: Type.Integer(),
  paused: Type.Boolean(),
  pausedBy: Type.Union([Type.String(), Type.Null()]),
  pausedAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  pauseReason: Type.Union([Type.String(), Type.Null()]),
  heldKeys: Type.Integer(),
  blockedKeys: Type.Integer(),
  quarantined: Type.Integer(),
})

const FigureOfAll = Type.Union([Type.Number(), Type.Null()], {
  description: 'of all organisations together; null for an operator of one',
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
