import { readBloat } from '@posthorn/operate'
import type { App } from '@posthorn/http'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { PLATFORM, type OutboxRegistry } from './outboxes/outbox-registry.ts'
import { Moment, textOrNull } from './outboxes/transition.ts'

const schema = {
  summary: 'Table sizes, dead rows, and what keeps vacuum from clearing them',
  tags: ['outboxes'],
  response: {
    200: Type.Object({
      tables: Type.Array(
        Type.Object({
          table: Type.String(),
          outbox: Type.Union([Type.String(), Type.Null()]),
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
          holder: Type.Union([
            Type.Literal('session'),
            Type.Literal('prepared'),
            Type.Literal('slot'),
          ]),
          name: Type.String(),
          transactions: Type.Number(),
          seconds: Type.Union([Type.Number(), Type.Null()]),
        }),
        { description: 'at most five, the worst first' },
      ),
    }),
  },
}

export function databaseRoutes(app: App, pool: Pool, outboxes: OutboxRegistry): void {
  app.get('/api/v1/database', { schema, config: PLATFORM }, async () => {
    const { tables, horizons } = await readBloat(pool, [...outboxes.values()])
    return {
      tables: tables.map(({ outbox, vacuumedAt, analyzedAt, ...sizes }) => ({
        ...sizes,
        outbox: textOrNull(outbox),
        vacuumedAt: textOrNull(vacuumedAt),
        analyzedAt: textOrNull(analyzedAt),
      })),
      horizons: horizons.map(({ seconds = null, ...horizon }) => ({ ...horizon, seconds })),
    }
  })
}
