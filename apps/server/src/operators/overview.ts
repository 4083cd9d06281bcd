import type { Outbox } from '@posthorn/engine'
import {
  readHistory,
  readOverview,
  type OutboxOverview,
  readBloat,
} from '@posthorn/operate/internal'
import type { App } from '@posthorn/http'
import { nullable, NullableText, resource } from '@posthorn/system'
import { Type } from 'typebox'
import type { OperatorParts } from './index.ts'
import { share } from '../share.ts'
import { ConsumerResource, consumerOf } from './consumers.ts'
import { OutboxResource, StateWords, statsOf, wordsOf } from './outboxes/outbox-resource.ts'
import {
  textOrNull,
  Moment,
  OutboxName,
  PLATFORM,
  outboxNamed,
} from './outboxes/outbox-registry.ts'

const Time = Type.String({ format: 'date-time' })
const NumberOrNull = nullable(Type.Number())

/** Several dashboards, and an impatient one, share an answer for this long. */
const FRESH_MS = 1_000

const Around = Type.Object({
  drainSeconds: nullable(Type.Number(), {
    description:
      'Seconds until all due messages are delivered at the rate of the last minute; null without deliveries',
  }),
  openAlerts: Type.Integer(),
  alive: Type.Array(
    Type.Object({
      name: Type.String(),
      version: NullableText,
      startedAt: Time,
      seenAt: Time,
      settledPerMinute: Type.Integer({ description: 'Messages settled in the last minute' }),
      inFlight: Type.Integer({ description: 'Messages claimed and not yet settled' }),
      claimMs: nullable(Type.Number(), {
        description:
          '95th percentile of claim times in the last minute, in milliseconds; null without claims',
      }),
      settleMs: nullable(Type.Number(), {
        description:
          '95th percentile of settlement times in the last minute, in milliseconds; null without settlements',
      }),
      lagMs: Type.Integer({
        description:
          'Longest time that the event loop was blocked in the last minute, in milliseconds',
      }),
    }),
    { description: 'Relays with a heartbeat in the last 15 seconds, with its figures' },
  ),
  breakers: Type.Array(
    Type.Object({
      destination: Type.String(),
      name: nullable(Type.String(), {
        description: 'Readable name of the destination, such as the URL of an endpoint',
      }),
      relay: Type.String(),
      openSince: Time,
      nextProbeAt: nullable(Time),
      cause: nullable(Type.Object({ code: Type.String(), message: Type.String() }), {
        description: 'Last failure before the breaker opened',
      }),
    }),
    { description: 'Destinations with an open breaker' },
  ),
})

const around = resource<typeof Around, object>(Around)

const show = {
  summary: 'All outboxes at once: backlog, failures, relays',
  tags: ['outboxes'],
  response: {
    200: Type.Object({
      at: Time,
      clock: Type.Object({ now: Time, aheadSeconds: Type.Number() }),
      alerts: Type.Object({
        open: Type.Integer(),
        since: Moment,
        bySource: Type.Record(Type.String(), Type.Integer()),
        causes: Type.Array(
          Type.Object({
            source: Type.String(),
            code: Type.String(),
            destination: NullableText,
            name: NullableText,
            open: Type.Integer({ description: 'Unacknowledged alerts' }),
            since: Time,
            detail: Type.String({ description: 'Text of the newest alert' }),
          }),
          { description: 'Open problems, one entry per cause, oldest first' },
        ),
      }),
      failing: Type.Array(
        Type.Object({
          outbox: Type.String(),
          destination: Type.String(),
          name: NullableText,
          answered: Type.Integer(),
          unanswered: Type.Integer(),
        }),
        {
          description:
            'Destinations that failed to answer in the last minute, worst first; at most 20',
        },
      ),
      outboxes: Type.Array(
        Type.Object({ ...OutboxResource.properties, roles: StateWords, ...Around.properties }),
      ),
      consumers: Type.Array(ConsumerResource),
    }),
  },
}

const Point = Type.Object({
  at: Time,
  seconds: Type.Number({
    description: 'Length of the period in seconds; the current period is incomplete',
  }),
  delivered: Type.Number(),
  failed: Type.Number({ description: 'Failed attempts' }),
  postponed: Type.Number({ description: 'Messages claimed but not attempted' }),
  dead: Type.Number(),
  lost: Type.Number(),
  waiting: NumberOrNull,
  due: NumberOrNull,
  retrying: NumberOrNull,
  oldestDueSeconds: NumberOrNull,
  oldestUndeliveredSeconds: NumberOrNull,
})

type Stretch = Awaited<ReturnType<typeof readHistory>>['outboxes'][string][number]
const pointOf = resource<typeof Point, Stretch>(Point)

const history = {
  summary: 'The last minutes of outboxes, for charts',
  description:
    'Periods of one minute for up to three hours, ten minutes beyond; the last one is the current one. Counts of waiting messages are the maximum of each period, null if no relay counted them.',
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

export function overviewRoutes(
  app: App,
  { pool, outboxes, nameDestinations }: OperatorParts,
): void {
  const read = share(FRESH_MS, () => readOverview(pool, [...outboxes.values()]))

  app.get('/api/v1/overview', { schema: show, config: PLATFORM }, async () => {
    const { at, clock, alerts, alertsSince, causes, failing, ...all } = await read()
    const { outboxes: items, consumers } = all
    const named = [...items.flatMap(({ breakers }) => breakers), ...causes, ...failing]
    const destinations = new Set(named.flatMap(({ destination }) => destination ?? []))
    const names = await nameDestinations([...destinations])
    const nameOf = (destination: string | undefined) =>
      (destination === undefined ? undefined : names.get(destination)) ?? null
    return {
      at: at.toISOString(),
      clock: { now: clock.now.toISOString(), aheadSeconds: clock.aheadSeconds },
      alerts: {
        open: Object.values(alerts).reduce((sum, count) => sum + count, 0),
        since: textOrNull(alertsSince),
        bySource: { ...alerts },
        causes: causes.map(({ since, destination, ...cause }) => ({
          ...cause,
          destination: destination ?? null,
          name: nameOf(destination),
          since: since.toISOString(),
        })),
      },
      failing: failing.map((each) => ({ ...each, name: nameOf(each.destination) })),
      outboxes: items.map((item) => itemOf(item, outboxes.get(item.name), names)),
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
          Object.entries(points).map(([name, each]) => [name, each.map(pointOf)]),
        ),
      }
    },
  )
}

function itemOf(
  item: OutboxOverview,
  outbox: Outbox | undefined,
  names: ReadonlyMap<string, string>,
) {
  const breakers = item.breakers.map((each) => ({ ...each, name: names.get(each.destination) }))
  return { ...around({ ...item, breakers }), ...statsOf(item, item.pause), roles: wordsOf(outbox) }
}

const BloatResource = Type.Object({
  tables: Type.Array(
    Type.Object({
      table: Type.String(),
      outbox: NullableText,
      bytes: Type.Number(),
      indexBytes: Type.Number(),
      liveRows: Type.Number(),
      deadRows: Type.Number(),
      vacuumedAt: Moment,
      analyzedAt: Moment,
    }),
  ),
  horizons: Type.Array(
    Type.Object({
      holder: Type.Union([Type.Literal('session'), Type.Literal('prepared'), Type.Literal('slot')]),
      name: Type.String(),
      transactions: Type.Number(),
      seconds: NumberOrNull,
    }),
    { description: 'At most five, the worst first' },
  ),
})

const bloatOf = resource<typeof BloatResource, Awaited<ReturnType<typeof readBloat>>>(BloatResource)

const schema = {
  summary: 'Table sizes, dead rows, and what blocks vacuum',
  tags: ['outboxes'],
  response: { 200: BloatResource },
}

export function databaseRoutes(app: App, { pool, outboxes }: OperatorParts): void {
  app.get('/api/v1/database', { schema, config: PLATFORM }, async () => {
    return bloatOf(await readBloat(pool, [...outboxes.values()]))
  })
}
