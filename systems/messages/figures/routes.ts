import { callerOf, invalid, type App } from '@posthorn/http'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { nullable, resource } from '@posthorn/system'
import { Time } from '../message.ts'
import { selectErrors, selectPoints, type PointRow } from '../queries.ts'

const Seconds = nullable(Type.Number())

const Point = Type.Object({
  at: Type.String({ format: 'date-time', description: 'Start of the period' }),
  created: Type.Integer(),
  sent: Type.Integer(),
  delivered: Type.Integer(),
  read: Type.Integer(),
  failed: Type.Integer(),
  deliverySeconds: Type.Object({ median: Seconds, p95: Seconds }),
})

const Figures = Type.Object({
  since: Time,
  until: Time,
  stretchSeconds: Type.Integer(),
  points: Type.Array(Point),
  errors: Type.Array(Type.Object({ code: Type.String(), count: Type.Integer() }), {
    description: 'Error codes of failed messages, most frequent first',
  }),
})

const figures = {
  summary: 'Delivery times, read rates and errors of the messages of a period',
  description:
    "Default: the last 24 hours; at most 31 days. Times are the provider's. Of more than 100,000 messages only the newest are counted.",
  tags: ['messages'],
  querystring: Type.Object({
    since: Type.Optional(Time),
    until: Type.Optional(Time),
    account: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'Only messages sent by this account',
      }),
    ),
  }),
  response: { 200: Figures },
}

const HOUR_S = 3_600
const MOST_S = 31 * 24 * HOUR_S
const MOST_POINTS = 60

/** Lengths of a stretch that people think in. */
const STRETCHES_S = [60, 300, 600, 1_800, HOUR_S, 3 * HOUR_S, 6 * HOUR_S, 12 * HOUR_S]
const LONGEST_S = 24 * HOUR_S

export function figureRoutes(app: App, { pool }: { readonly pool: Pool }): void {
  app.get('/api/v1/outbound/messages/figures', { schema: figures }, async (request) => {
    const { since: from, until: to, account = null } = request.query
    const until = to === undefined ? new Date() : new Date(to)
    const since =
      from === undefined ? new Date(until.getTime() - LONGEST_S * 1_000) : new Date(from)
    const lengthS = (until.getTime() - since.getTime()) / 1_000
    if (lengthS <= 0) throw invalid([{ field: 'until', reason: 'must be after since' }])
    if (lengthS > MOST_S) {
      throw invalid([{ field: 'since', reason: 'must be at most 31 days before until' }])
    }
    const stretchSeconds = stretchOf(lengthS)
    const period = { orgId: callerOf(request).org, since, until, account }
    const [points, errors] = await Promise.all([
      selectPoints(pool, period, stretchSeconds),
      selectErrors(pool, period),
    ])
    return {
      ...{ since: since.toISOString(), until: until.toISOString(), stretchSeconds },
      points: points.map(toPoint),
      errors,
    }
  })
}

function stretchOf(lengthS: number): number {
  return STRETCHES_S.find((seconds) => lengthS / seconds <= MOST_POINTS) ?? LONGEST_S
}

const toPoint = resource<typeof Point, PointRow>(Point)
