import { readBloat } from '@posthorn/operate'
import type { App } from '@posthorn/http'
import { resource } from '@posthorn/system'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { PLATFORM, type OutboxRegistry } from './outboxes/outbox-registry.ts'
import { Moment } from './outboxes/transition.ts'

const BloatResource = Type.Object({
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
      holder: Type.Union([Type.Literal('session'), Type.Literal('prepared'), Type.Literal('slot')]),
      name: Type.String(),
      transactions: Type.Number(),
      seconds: Type.Union([Type.Number(), Type.Null()]),
    }),
    { description: 'at most five, the worst first' },
  ),
})

const bloatOf = resource<typeof BloatResource, Awaited<ReturnType<typeof readBloat>>>(BloatResource)

const schema = {
  summary: 'Table sizes, dead rows, and what keeps vacuum from clearing them',
  tags: ['outboxes'],
  response: { 200: BloatResource },
}

export function databaseRoutes(app: App, pool: Pool, outboxes: OutboxRegistry): void {
  app.get('/api/v1/database', { schema, config: PLATFORM }, async () => {
    return bloatOf(await readBloat(pool, [...outboxes.values()]))
  })
}
