import { readClock } from '@posthorn/engine/operate'
import type { App } from '@posthorn/http'
import type { Simulator } from '@posthorn/simulators'
import type { Pool } from 'pg'
import { Type } from 'typebox'

const schema = {
  summary: 'The simulators and the business clock; in development only',
  tags: ['simulators'],
  response: {
    200: Type.Object({
      clock: Type.Object({
        now: Type.String({ format: 'date-time' }),
        aheadSeconds: Type.Number(),
        movable: Type.Boolean(),
      }),
      simulators: Type.Array(
        Type.Object({
          name: Type.String(),
          about: Type.String(),
          path: Type.String({ description: 'where its control API is' }),
        }),
      ),
    }),
  },
}

/** Not there in production, which has no simulators. */
export function simulationRoutes(app: App, pool: Pool, simulators: readonly Simulator[]): void {
  app.get('/api/v1/sim', { schema }, async () => {
    const { now, aheadSeconds, isMovable } = await readClock(pool)
    return {
      clock: { now: now.toISOString(), aheadSeconds, movable: isMovable },
      simulators: simulators.map(({ name, about }) => ({ name, about, path: `/sim/${name}` })),
    }
  })
}
