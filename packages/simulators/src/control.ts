import type { FastifyInstance } from 'fastify'
import { Type, type Static } from 'typebox'
import { FaultOrder } from './fault.ts'
import type { OpenSimulator } from './simulator.ts'
import type { ControlledWorld } from './world.ts'

/** The most requests that are kept, hence listed. */
const MOST = 10_000

const RequestsQuery = Type.Object(
  {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST, default: MOST })),
    before: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Only requests with a lower id' }),
    ),
    outcome: Type.Optional(
      Type.Enum(['pending', 'ok', 'error', 'timeout', 'drop', 'slow', 'aborted']),
    ),
  },
  { additionalProperties: false },
)

/** A simulator that is open, as its controls see it. */
export interface Controlled {
  readonly world: ControlledWorld
  readonly arrivals: NonNullable<OpenSimulator['arrivals']>
  forget(): void
}

/** The same four routes for every simulator, below `/sim/{name}`. */
export function controlRoutes(app: FastifyInstance, { world, arrivals, forget }: Controlled): void {
  const { name } = world

  app.get<{ Querystring: Static<typeof RequestsQuery> }>(
    '/requests',
    {
      schema: {
        summary: `Requests that ${name} received, newest first`,
        querystring: RequestsQuery,
      },
    },
    async (request) => {
      const { limit = MOST, before, outcome } = request.query
      const items = Iterator.from(arrivals(before))
        .filter((item) => outcome === undefined || item.outcome === outcome)
        .take(limit)
        .toArray()
      return { items }
    },
  )

  app.get('/faults', { schema: { summary: `The fault of ${name}` } }, async () => show(world))

  app.post<{ Body: FaultOrder }>(
    '/faults',
    {
      schema: { summary: `Set the fault of ${name}; it replaces an earlier one`, body: FaultOrder },
    },
    async (request) => {
      world.order(request.body)
      return show(world)
    },
  )

  app.delete(
    '',
    {
      schema: {
        summary: `Reset ${name}: its requests, fault and state`,
        response: { 204: Type.Null() },
      },
    },
    async (_, reply) => {
      world.forget()
      forget()
      return reply.code(204).send(null)
    },
  )
}

function show({ plan }: ControlledWorld): Record<string, unknown> {
  if (!plan) return { mode: 'ok' }
  const { mode, status, code, effect, delayMs } = plan.fault
  return {
    mode,
    status,
    code,
    after: plan.after,
    times: plan.times ?? null,
    effect,
    ...(mode === 'slow' && { delayMs }),
  }
}
