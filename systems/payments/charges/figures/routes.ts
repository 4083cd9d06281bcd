import { callerOf, type App } from '@posthorn/http'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { selectCodes, selectPoints } from './queries.ts'

const Time = Type.String({ format: 'date-time' })
const Counts = Type.Array(Type.Integer())
const Line = Type.Array(Type.Union([Type.Number(), Type.Null()]), {
  description: 'one for each stretch; null where nothing was settled',
})

const schema = {
  summary: 'How the gateway took the payments that were created in a time',
  description:
    'By the business clock. Stretches of one minute up to three hours, of half an hour up to a day, of three hours beyond. Of more than 100,000 payments the newest are counted.',
  tags: ['payments'],
  querystring: Type.Object({
    minutes: Type.Integer({ minimum: 1, maximum: 10_080, default: 60 }),
  }),
  response: {
    200: Type.Object({
      now: Time,
      from: Type.String({ format: 'date-time', description: 'when the first stretch began' }),
      stretchSeconds: Type.Integer(),
      count: Type.Integer({ description: 'how many stretches; the last one is not over' }),
      succeeded: Counts,
      failed: Counts,
      pending: Counts,
      settleSeconds: Type.Object(
        { median: Line, p95: Line },
        { description: 'from creation until the gateway had settled it' },
      ),
      codes: Type.Record(Type.String(), Counts, { description: 'of payments that failed' }),
    }),
  },
}

function stretchOf(minutes: number): number {
  if (minutes <= 180) return 60
  return minutes <= 24 * 60 ? 1_800 : 10_800
}

export function figureRoutes(app: App, { pool }: { readonly pool: Pool }): void {
  app.get('/api/v1/payments/figures', { schema }, async (request) => {
    const { minutes } = request.query
    const stretchSeconds = stretchOf(minutes)
    const period = { org: callerOf(request).org, minutes, stretchSeconds }
    const [points, codes] = await Promise.all([
      selectPoints(pool, period),
      selectCodes(pool, period),
    ])
    const [first] = points
    const now = first?.now ?? new Date()
    const from = first?.at ?? now
    return {
      ...{ now: now.toISOString(), from: from.toISOString(), stretchSeconds, count: points.length },
      succeeded: points.map(({ succeeded }) => succeeded),
      failed: points.map(({ failed }) => failed),
      pending: points.map(({ pending }) => pending),
      settleSeconds: {
        median: points.map((point) => point.settle_median),
        p95: points.map((point) => point.settle_p95),
      },
      codes: Object.fromEntries(
        [...Map.groupBy(codes, ({ code }) => code)].map(([code, rows]) => [
          code,
          points.map(({ at }) => rows.find((row) => Number(row.at) === Number(at))?.count ?? 0),
        ]),
      ),
    }
  })
}
