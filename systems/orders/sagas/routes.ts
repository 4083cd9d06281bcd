import type { Queryable } from '@posthorn/engine'
import { type App, PageQuery, callerOf, pageOf, sortable } from '@posthorn/http'
import {
  type SagaDetails,
  type SagaSummary,
  type StepDetails,
  getSaga,
  listSagas,
} from '@posthorn/saga'
import type { Pool } from 'pg'
import { NullableText, nullable, resource } from '@posthorn/system'
import { Type } from 'typebox'
import { problem } from '../problems.ts'

const SAGA_STATES = [
  'RUNNING',
  'COMPENSATING',
  'COMPLETED',
  'COMPENSATED',
  'FAILED',
  'TERMINATED',
] as const

const SAGA_ACTIONS = ['cancel', 'resume', 'skip', 'terminate'] as const

const Failure = nullable(Type.Object({ code: Type.String(), message: Type.String() }))

const SagaItem = Type.Object({
  id: Type.String(),
  name: Type.String(),
  version: Type.Integer(),
  status: Type.Enum([...SAGA_STATES]),
  step: NullableText,
  direction: nullable(Type.Enum(['forward', 'back']), {
    description: 'Direction of its steps, for a failed saga at the failure; null once it has ended',
  }),
  waitsFor: Type.Array(Type.String()),
  dueAt: NullableText,
  cancelledAt: NullableText,
  deadlineAt: NullableText,
  error: Failure,
  held: Failure,
  createdAt: Type.String(),
  updatedAt: Type.String(),
  finishedAt: NullableText,
})

export const SagaResource = Type.Object({
  ...SagaItem.properties,
  input: Type.Unknown(),
  atHand: Type.Array(Type.String(), {
    description:
      'The current steps: running, waiting or being undone; several in parallel branches',
  }),
  steps: Type.Array(
    Type.Object({
      name: Type.String(),
      branch: nullable(Type.Object({ fork: Type.Integer(), name: Type.String() }), {
        description: 'Null for a step without parallel steps',
      }),
      status: Type.String(),
      attempts: Type.Integer(),
      output: Type.Unknown(),
      skipped: nullable(Type.Enum(['action', 'compensation'])),
      error: Failure,
      dueAt: nullable(Type.String(), {
        description: 'Deadline of the step, by the business clock',
      }),
      timedOut: Type.Boolean(),
      startedAt: NullableText,
      endedAt: NullableText,
      undoStartedAt: NullableText,
      undoneAt: NullableText,
      updatedAt: NullableText,
    }),
  ),
  compensations: Type.Array(
    Type.Object({
      step: Type.String(),
      status: Type.Enum(['UNDOING', 'COMPENSATED']),
      attempts: Type.Integer(),
      undoneAt: NullableText,
    }),
  ),
  events: Type.Array(
    Type.Object({
      id: Type.String(),
      step: Type.String(),
      type: Type.String(),
      topic: Type.String(),
      payload: Type.Unknown(),
      status: Type.String(),
      createdAt: Type.String(),
      sentAt: NullableText,
    }),
  ),
  replies: Type.Array(
    Type.Object({
      id: Type.String(),
      kind: Type.Enum(['reply', 'signal']),
      type: Type.String(),
      payload: Type.Unknown(),
      status: Type.String(),
      receivedAt: Type.String(),
    }),
  ),
  actions: Type.Array(
    Type.Object({
      action: Type.Enum([...SAGA_ACTIONS]),
      step: NullableText,
      was: Type.Enum([...SAGA_STATES]),
      by: Type.String(),
      reason: NullableText,
      at: Type.String(),
    }),
    { description: 'Actions of operators, oldest first' },
  ),
  allows: Type.Array(Type.Enum([...SAGA_ACTIONS]), {
    description: 'Actions that an operator can take now',
  }),
})

const toItem = resource<typeof SagaItem, SagaSummary>(SagaItem)

export const toDetails = resource<typeof SagaResource, SagaDetails>(SagaResource, {
  // Last step first, as they are undone.
  compensations: ({ steps }) => steps.toReversed().flatMap(compensationOf),
})

function compensationOf({ name: step, status, undoAttempts: attempts, undoneAt }: StepDetails) {
  if (status !== 'UNDOING' && status !== 'COMPENSATED') return []
  return [{ step, status, attempts, undoneAt: undoneAt?.toISOString() ?? null }]
}

const PATH = '/api/v1/sagas'
const tags = ['sagas']
const params = Type.Object({ id: Type.String({ format: 'uuid' }) })

const schemas = {
  list: {
    summary: 'Sagas of the organisation, newest first',
    tags,
    querystring: Type.Object({
      ...PageQuery.properties,
      sort: sortable(['-createdAt', 'createdAt']).parameter,
      status: Type.Optional(Type.Enum([...SAGA_STATES])),
      name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    }),
    response: { 200: pageOf(SagaItem) },
  },
  one: {
    summary: "A saga with its steps, events, replies, compensations and operators' actions",
    ...{ tags, params },
    response: { 200: SagaResource },
  },
}

interface SagaKey {
  readonly id: string
  readonly org: string
}

export function sagaRoutes(app: App, pool: Pool): void {
  app.get(PATH, { schema: schemas.list }, async (request) => {
    const { org: tenant } = callerOf(request)
    const { sort: wanted, ...query } = request.query
    const sort = wanted === 'createdAt' ? 'oldest' : 'newest'
    const { items, nextCursor = null } = await listSagas(pool, { ...query, sort, tenant })
    return { items: items.map(toItem), nextCursor }
  })

  app.get(`${PATH}/:id`, { schema: schemas.one }, async (request) => {
    const { org } = callerOf(request)
    return toDetails(await findOwn(pool, { id: request.params.id, org }))
  })
}

export async function findOwn(db: Queryable, { id, org }: SagaKey): Promise<SagaDetails> {
  const saga = await getSaga(db, id)
  if (saga?.tenant !== org) throw problem('NOT_FOUND')
  return saga
}
