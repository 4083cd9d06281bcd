import { toMs, type Duration } from '@posthorn/engine'
import { advanceClock, readClock } from '@posthorn/operate'
import { callerOf, problem, type App } from '@posthorn/http'
import { Type } from 'typebox'
import type { OperatorParts } from './index.ts'

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
          path: Type.String({ description: 'Path of its control API' }),
        }),
      ),
    }),
  },
}

const moving = {
  summary: 'Move the business clock forward; the audit records who did it. In development only',
  tags: ['simulators'],
  body: Type.Object({
    by: Type.String({
      pattern: '^(?![0.]+[smhd])\\d{1,4}(\\.\\d{1,6})?(s|m|h|d)$',
      description: 'Duration such as `6h`, at most 400 days',
    }),
  }),
  response: { 200: Type.Object({ now: Type.String({ format: 'date-time' }) }) },
}

const MOST_MS = toMs('400d')

/** Not there in production, which has no simulators. */
export function simulationRoutes(app: App, { pool, simulators = [] }: OperatorParts): void {
  app.post('/api/v1/sim/clock', { schema: moving }, async (request) => {
    const by = request.body.by as Duration
    if (toMs(by) > MOST_MS) {
      throw problem('VALIDATION_FAILED', { errors: [{ field: 'by', reason: 'is at most 400d' }] })
    }
    const now = await advanceClock(pool, by, { actor: callerOf(request).sub })
    return { now: now.toISOString() }
  })

  app.get('/api/v1/sim', { schema }, async () => {
    const { now, aheadSeconds, isMovable } = await readClock(pool)
    return {
      clock: { now: now.toISOString(), aheadSeconds, movable: isMovable },
      simulators: simulators.map(({ name, about }) => ({ name, about, path: `/sim/${name}` })),
    }
  })
}
