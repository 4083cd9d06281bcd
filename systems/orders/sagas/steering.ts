import { transaction, type Transaction } from '@posthorn/engine'
import { callerOf, type App } from '@posthorn/http'
import {
  cancelSaga,
  completeSaga,
  restartSaga,
  resumeSaga,
  skipStep,
  terminateSaga,
  type Steering,
} from '@posthorn/saga'
import type { FastifyRequest } from 'fastify'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { ORDER_SAGAS } from '../order-saga.ts'
import { problem } from '../problems.ts'
import { settleOrder } from '../settlement.ts'
import { SagaResource, UNDONE_FOR_GOOD, toDetails } from './resource.ts'
import { findOwn } from './routes.ts'

const PATH = '/api/v1/sagas/:id'

const Reason = Type.String({
  ...{ minLength: 1, maxLength: 1_000, pattern: '\\S' },
  description: 'stays with the saga, and in the audit',
})
const Step = Type.String({ minLength: 1, maxLength: 200 })
/** A request without a body has null. */
const OptionalReason = Type.Union([Type.Object({ reason: Type.Optional(Reason) }), Type.Null()])
const Seen = Type.Optional(
  Type.String({
    ...{ minLength: 1, maxLength: 200 },
    description: 'the step it was seen at; if it has moved on since, nothing is done',
  }),
)
const closed = { additionalProperties: false }

const common = {
  tags: ['sagas'],
  params: Type.Object({ id: Type.String({ format: 'uuid' }) }),
  response: { 202: SagaResource },
}

const schemas = {
  resume: {
    ...common,
    summary: 'Resume a failed saga where it stopped',
    body: OptionalReason,
  },
  cancel: {
    ...common,
    summary: 'Compensate a saga that runs, or failed while it ran',
    body: OptionalReason,
  },
  skip: {
    ...common,
    summary: 'Pass over the step at hand, or over what undoes it',
    body: Type.Object(
      {
        step: Type.String({ minLength: 1, maxLength: 200, description: 'the step it is at' }),
        reason: Reason,
        data: Type.Optional(
          Type.Record(Type.String(), Type.Unknown(), {
            description: 'what the step would have returned, for the steps after it',
          }),
        ),
      },
      closed,
    ),
  },
  complete: {
    ...common,
    summary: 'End a saga as COMPLETED, or as COMPENSATED if it is being undone; no step runs',
    body: Type.Object({ reason: Reason, step: Seen }, closed),
  },
  terminate: {
    ...common,
    summary: 'End a saga where it is: nothing more is done or undone',
    body: Type.Object({ reason: Reason, step: Seen }, closed),
  },
  restart: {
    ...common,
    summary: 'Go forward again from a step that the saga has reached',
    body: Type.Object({ from: Step, reason: Reason, step: Seen }, closed),
  },
}

const config = { access: 'operate' } as const

/** What operators do to sagas; each answers with the saga as it is then. */
export function steeringRoutes(app: App, pool: Pool): void {
  const steer = (
    request: FastifyRequest,
    id: string,
    act: (tx: Transaction, by: string) => Promise<Steering>,
  ) => {
    const { org, sub: by } = callerOf(request)
    return transaction(pool, async (tx) => {
      await findOwn(tx, { id, org })
      expectDone(await act(tx, by))
      const saga = await findOwn(tx, { id, org })
      await settleOrder(tx, saga)
      return toDetails(saga)
    })
  }

  app.post(`${PATH}/resume`, { schema: schemas.resume, config }, async (request, reply) => {
    const { body, params } = request
    const saga = await steer(request, params.id, (tx, by) =>
      resumeSaga(tx, params.id, { by, ...body }),
    )
    return reply.code(202).send(saga)
  })

  app.post(`${PATH}/cancel`, { schema: schemas.cancel, config }, async (request, reply) => {
    const { body, params } = request
    const saga = await steer(request, params.id, (tx, by) =>
      cancelSaga(tx, params.id, { by, ...body }),
    )
    return reply.code(202).send(saga)
  })

  app.post(`${PATH}/skip`, { schema: schemas.skip, config }, async (request, reply) => {
    const { body, params } = request
    const saga = await steer(request, params.id, (tx, by) =>
      skipStep(tx, params.id, { by, ...body }),
    )
    return reply.code(202).send(saga)
  })

  app.post(`${PATH}/complete`, { schema: schemas.complete, config }, async (request, reply) => {
    const { body, params } = request
    const saga = await steer(request, params.id, (tx, by) =>
      completeSaga(tx, params.id, { by, ...body }),
    )
    return reply.code(202).send(saga)
  })

  app.post(`${PATH}/terminate`, { schema: schemas.terminate, config }, async (request, reply) => {
    const { body, params } = request
    const saga = await steer(request, params.id, (tx, by) =>
      terminateSaga(tx, params.id, { by, ...body }),
    )
    return reply.code(202).send(saga)
  })

  app.post(`${PATH}/restart`, { schema: schemas.restart, config }, async (request, reply) => {
    const { body, params } = request
    const saga = await steer(request, params.id, async (tx, by) => {
      const { name } = await findOwn(tx, { id: params.id, org: callerOf(request).org })
      const only = ORDER_SAGAS.has(name) ? ({ while: 'forward' } as const) : {}
      return restartSaga(tx, params.id, { by, ...body, ...only })
    })
    return reply.code(202).send(saga)
  })
}

function expectDone(steering: Steering): void {
  if (steering.done) return
  const { was = 'gone', why } = steering
  if (why === 'moved') {
    throw problem('SAGA_MOVED', { detail: `The saga is ${was}, at another step. Read it again.` })
  }
  if (why === 'undoing') {
    throw problem('SAGA_STEP_CLOSED', { detail: UNDONE_FOR_GOOD })
  }
  if (why === 'step') {
    const detail = 'It has not come so far, or a step before it is not done or was undone.'
    throw problem('SAGA_STEP_CLOSED', { detail })
  }
  throw problem('SAGA_NOT_STEERABLE', { detail: `The saga is ${was}.` })
}
