import type { Outbox } from '@posthorn/engine'
import {
  readHistory,
  readOverview,
  type OutboxOverview,
  type Overview,
} from '@posthorn/engine/operate'
import type { App } from '@posthorn/http'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { ConsumerResource, consumerOf } from './consumers.ts'
import { OutboxResource, StateWords, statsOf, wordsOf } from './outbox-resource.ts'
import { OutboxName, PLATFORM, outboxNamed, type OutboxRegistry } from './outbox-registry.ts'

const Time = Type.String({ format: 'date-time' })
const NumberOrNull = Type.Union([Type.Number(), Type.Null()])

/** Several dashboards, and an impatient one, share an answer for this long. */
const FRESH_MS = 1_000

const OverviewItem = Type.Object({
  ...OutboxResource.properties,
  roles: StateWords,
  drainSeconds: Type.Union([Type.Number(), Type.Null()], {
    description: 'until what is due is gone, at the rate of the last minute; null if nothing moves',
  }),
  diedToday: Type.Integer({ description: 'messages that died since midnight UTC' }),
  openAlerts: Type.Integer(),
  alive: Type.Array(Type.Object({ name: Type.String(), startedAt: Time, seenAt: Time })),
  breakers: Type.Array(
    Type.Object({ destination: Type.String(), relay: Type.String(), openSince: Time }),
    { description: 'destinations that a relay does not try now, as it last said' },
  ),
})

const show = {
  summary: 'All outboxes at once: backlog, failures, relays',
  tags: ['outboxes'],
  response: {
    200: Type.Object({
      at: Time,
      clock: Type.Object({ now: Time, aheadSeconds: Type.Number() }),
      alerts: Type.Object({
        open: Type.Integer(),
        bySource: Type.Record(Type.String(), Type.Integer()),
      }),
      outboxes: Type.Array(OverviewItem),
      consumers: Type.Array(ConsumerResource),
    }),
  },
}

const Point = Type.Object({
  at: Time,
  delivered: Type.Number(),
  failed: Type.Number(),
  dead: Type.Number(),
  lost: Type.Number(),
  waiting: NumberOrNull,
  due: NumberOrNull,
  oldestDueSeconds: NumberOrNull,
})

const history = {
  summary: 'The last minutes of outboxes, for charts',
  description:
    'Stretches of one minute up to three hours, of ten minutes beyond; the present one is the last. ' +
    'What waited is the most of each stretch, null where no relay counted it.',
  tags: ['outboxes'],
  querystring: Type.Object({
    outbox: Type.Optional(OutboxName),
    minutes: Type.Integer({ minimum: 1, maximum: 10_080, default: 60 }),
  }),
  response: {
    200: Type.Object({
      stretchSeconds: Type.Integer(),
      outboxes: Type.Record(Type.String(), Type.Array(Point)),
    }),
  },
}

export function overviewRoutes(app: App, pool: Pool, outboxes: OutboxRegistry): void {
  const read = shareReads(() => readOverview(pool, [...outboxes.values()]))

  app.get('/api/v1/overview', { schema: show, config: PLATFORM }, async () => {
    const { at, clock, alerts, outboxes: items, consumers } = await read()
    return {
      at: at.toISOString(),
      clock: { now: clock.now.toISOString(), aheadSeconds: clock.aheadSeconds },
      alerts: {
        open: Object.values(alerts).reduce((sum, count) => sum + count, 0),
        bySource: { ...alerts },
      },
      outboxes: items.map((item) => itemOf(item, outboxes.get(item.name))),
      consumers: consumers.map(consumerOf),
    }
  })

  app.get(
    '/api/v1/overview/history',
    { schema: history, config: PLATFORM },
    async ({ query: { outbox, minutes } }) => {
      const names =
        outbox === undefined ? [...outboxes.keys()] : [outboxNamed(outboxes, outbox).name]
      const { stretchSeconds, outboxes: points } = await readHistory(pool, names, { minutes })
      return {
        stretchSeconds,
        outboxes: Object.fromEntries(
          Object.entries(points).map(([name, each]) => [
            name,
            each.map(({ at, waiting = null, due = null, oldestDueSeconds = null, ...counts }) => ({
              at: at.toISOString(),
              ...counts,
              waiting,
              due,
              oldestDueSeconds,
            })),
          ]),
        ),
      }
    },
  )
}

function itemOf(item: OutboxOverview, outbox: Outbox | undefined) {
  return {
    ...statsOf(item, item.pause),
    roles: wordsOf(outbox),
    drainSeconds: item.drainSeconds ?? null,
    diedToday: item.diedToday,
    openAlerts: item.openAlerts,
    alive: item.alive.map(({ name, startedAt, seenAt }) => ({
      name,
      startedAt: startedAt.toISOString(),
      seenAt: seenAt.toISOString(),
    })),
    breakers: item.breakers.map(({ destination, relay, openSince }) => ({
      destination,
      relay,
      openSince: openSince.toISOString(),
    })),
  }
}

/** Reads at most once at a time and once a second, however many ask. A failure is not kept. */
function shareReads(read: () => Promise<Overview>): () => Promise<Overview> {
  let last: { readonly at: number; readonly answer: Promise<Overview> } | undefined
  return () => {
    if (last && performance.now() - last.at < FRESH_MS) return last.answer
    const answer = read()
    const mine = (last = { at: performance.now(), answer })
    answer.catch(() => {
      if (last === mine) last = undefined
    })
    return answer
  }
}
