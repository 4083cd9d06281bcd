import { type Transaction, transaction } from '@posthorn/engine'
import { type App, callerOf, invalid, withIdempotencyKey } from '@posthorn/http'
import {
  type Sagas,
  type SagaDetails,
  type SignalOutcome,
  type Steering,
  cancelSaga,
  resumeSaga,
  skipStep,
  terminateSaga,
} from '@posthorn/saga'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { problem } from '../problems.ts'
import { SagaResource, findOwn, toDetails } from './routes.ts'
import { chargeKey } from '../payment/cashier.ts'
import { refusePayment } from '../payment/queries.ts'
import { findOrderOf, recordGoods, refuseShipment } from '../queries.ts'
import { releaseStock, shipStock } from '../stock/reservation.ts'
import type { IdempotencyStore } from '@posthorn/engine/inbox'

/**
 * Settles what an order has reserved when an operator ends its saga, or passes over the step that
 * would have: no step of it runs any more, and the goods would stay reserved for ever. Commands that
 * are on their way find the order closed. The audit has the operator's reason.
 */
async function settleOrder(tx: Transaction, saga: SagaDetails): Promise<void> {
  const last = saga.actions.at(-1)
  const fate = fateOf(saga)
  if (fate === undefined || last === undefined) return
  const order = await findOrderOf(tx, saga.id)
  if (!order) return
  const { orderId, orgId } = order
  await refusePayment(tx, { ...order, key: chargeKey(orderId) })
  const isBooked = await refuseShipment(tx, order)
  const leaves = fate === 'shipped' || (fate === 'as booked' && isBooked)
  const moved = await (leaves ? shipStock : releaseStock)(tx, order)
  if (!moved) return
  const { by, reason } = last
  const operation = leaves ? 'order.ship-goods' : 'order.release-goods'
  await recordGoods(tx, { operation, orderId, orgId, by, reason })
}

/** The goods' fate follows from what the operator did. */
function fateOf({
  status,
  actions,
}: SagaDetails): 'shipped' | 'released' | 'as booked' | undefined {
  if (status === 'TERMINATED') return 'as booked'
  const { action, step } = actions.at(-1) ?? {}
  if (action !== 'skip') return undefined
  if (status === 'RUNNING' && step === 'shipped') return 'shipped'
  return status === 'COMPENSATING' && step === 'reserve' ? 'released' : undefined
}

const PATH = '/api/v1/sagas/:id'

const Reason = Type.String({
  ...{ minLength: 1, maxLength: 1_000, pattern: '\\S' },
  description: 'Reason, kept with the saga and in the audit',
})
/** A request without a body has null. */
const OptionalReason = Type.Union([Type.Object({ reason: Type.Optional(Reason) }), Type.Null()])
const Seen = Type.Optional(
  Type.String({
    ...{ minLength: 1, maxLength: 200 },
    description: 'Step that you last read; if the saga has moved on, nothing is done',
  }),
)
const closed = { additionalProperties: false }

const common = {
  tags: ['sagas'],
  params: Type.Object({ id: Type.String({ format: 'uuid' }) }),
  response: { 202: SagaResource },
}

const schemas = {
  resume: { ...common, summary: 'Resume a failed saga where it stopped', body: OptionalReason },
  cancel: {
    ...common,
    summary: 'Compensate a running saga, or one that failed while running',
    body: OptionalReason,
  },
  skip: {
    ...common,
    summary: 'Skip the current step, or its compensation',
    body: Type.Object(
      {
        step: Type.String({
          minLength: 1,
          maxLength: 200,
          description: 'Current step of the saga',
        }),
        reason: Reason,
        data: Type.Optional(
          Type.Record(Type.String(), Type.Unknown(), {
            description: 'Output of the skipped step, for later steps',
          }),
        ),
      },
      closed,
    ),
  },
  terminate: {
    ...common,
    summary: 'End a saga in its current state; no further step or compensation runs',
    body: Type.Object({ reason: Reason, step: Seen }, closed),
  },
}

const config = { access: 'operate' } as const

/** What operators do to sagas; each answers with the saga as it is then. */
export function steeringRoutes(app: App, pool: Pool): void {
  const steer = async (
    request: FastifyRequest<{ Params: { id: string } }>,
    reply: FastifyReply,
    act: (tx: Transaction, id: string, by: string) => Promise<Steering>,
  ) => {
    const { org, sub: by } = callerOf(request)
    const { id } = request.params
    const details = await transaction(pool, async (tx) => {
      await findOwn(tx, { id, org })
      expectDone(await act(tx, id, by))
      const saga = await findOwn(tx, { id, org })
      await settleOrder(tx, saga)
      return toDetails(saga)
    })
    return reply.code(202).send(details)
  }

  app.post(`${PATH}/resume`, { schema: schemas.resume, config }, (request, reply) =>
    steer(request, reply, (tx, id, by) => resumeSaga(tx, id, { by, ...request.body })),
  )

  app.post(`${PATH}/cancel`, { schema: schemas.cancel, config }, (request, reply) =>
    steer(request, reply, (tx, id, by) => cancelSaga(tx, id, { by, ...request.body })),
  )

  app.post(`${PATH}/skip`, { schema: schemas.skip, config }, (request, reply) =>
    steer(request, reply, (tx, id, by) => skipStep(tx, id, { by, ...request.body })),
  )

  app.post(`${PATH}/terminate`, { schema: schemas.terminate, config }, (request, reply) =>
    steer(request, reply, (tx, id, by) => terminateSaga(tx, id, { by, ...request.body })),
  )
}

function expectDone(steering: Steering): void {
  if (steering.done) return
  const { was = 'gone', why } = steering
  if (why === 'moved') {
    throw problem('SAGA_MOVED', { detail: `The saga is ${was}, at another step. Read it again.` })
  }
  throw problem('SAGA_NOT_STEERABLE', { detail: `The saga is ${was}.` })
}

/** What a signal brings is read by every orchestrator that takes the saga. */
const MOST_BYTES = 64 * 1024

const schema = {
  summary: 'Send a signal to a saga; an early signal is stored until a step waits for it',
  tags: ['sagas'],
  params: Type.Object({ id: Type.String({ format: 'uuid' }) }),
  body: Type.Object(
    {
      name: Type.String({ minLength: 1, maxLength: 200, description: 'Name of the signal' }),
      payload: Type.Optional(Type.Unknown({ description: 'Payload for the waiting step' })),
    },
    { additionalProperties: false },
  ),
  response: {
    202: Type.Object({
      outcome: Type.Enum(['woke', 'kept', 'duplicate'], {
        description:
          '`woke`: a step waited for the signal; `kept`: the signal is stored until a step waits for it; `duplicate`: it was already sent with this Idempotency-Key',
      }),
    }),
  },
}

interface SignalRoutesOptions {
  readonly pool: Pool
  readonly keys: IdempotencyStore
  readonly flow: Pick<Sagas, 'signal'>
}

/** Signals to sagas: what a definition waits for, and nothing that a participant answers. */
export function signalRoutes(app: App, { pool, keys, flow }: SignalRoutesOptions): void {
  const options = { schema, config: { access: 'operate' }, bodyLimit: MOST_BYTES } as const
  app.post('/api/v1/sagas/:id/events', options, async (request, reply) => {
    const { id: sagaId } = request.params
    const { org } = callerOf(request)
    const key = request.headers['idempotency-key']
    const signal = { ...request.body, ...(typeof key === 'string' && { key }), sagaId }
    await withIdempotencyKey(reply, { pool, store: keys }, async (tx) => {
      await findOwn(tx, { id: sagaId, org })
      return { status: 202, body: { outcome: expectTaken(await flow.signal(tx, signal)) } }
    })
    return reply
  })
}

function expectTaken(sent: SignalOutcome): string {
  switch (sent.outcome) {
    case 'late':
      throw problem('SAGA_NOT_STEERABLE', { detail: `The saga is ${sent.was ?? 'gone'}.` })
    case 'refused':
      if (sent.failure.code === 'SAGA_SIGNAL_INVALID') {
        throw invalid([{ field: 'payload', reason: sent.failure.message }])
      }
      throw problem('SAGA_SIGNAL_REFUSED', { detail: sent.failure.message })
    case 'woke':
    case 'kept':
    case 'duplicate':
      return sent.outcome
  }
}
