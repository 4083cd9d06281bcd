import type { SagaDetails, SagaSummary, StepDetails } from '@posthorn/saga'
import { Type, type Static } from 'typebox'

export const SAGA_STATES = [
  'RUNNING',
  'COMPENSATING',
  'COMPLETED',
  'COMPENSATED',
  'FAILED',
] as const

const Nullable = Type.Union([Type.String(), Type.Null()])
const Failure = Type.Union([
  Type.Object({ code: Type.String(), message: Type.String() }),
  Type.Null(),
])

export const SagaItem = Type.Object({
  id: Type.String(),
  name: Type.String(),
  version: Type.Integer(),
  status: Type.Enum([...SAGA_STATES]),
  step: Nullable,
  waitsFor: Type.Array(Type.String()),
  dueAt: Nullable,
  cancelledAt: Nullable,
  error: Failure,
  createdAt: Type.String(),
  updatedAt: Type.String(),
  finishedAt: Nullable,
})

export const SagaResource = Type.Object({
  ...SagaItem.properties,
  input: Type.Unknown(),
  steps: Type.Array(
    Type.Object({
      name: Type.String(),
      status: Type.String(),
      attempts: Type.Integer(),
      output: Type.Unknown(),
      error: Failure,
      updatedAt: Nullable,
    }),
  ),
  compensations: Type.Array(
    Type.Object({
      step: Type.String(),
      status: Type.Enum(['UNDOING', 'COMPENSATED']),
      attempts: Type.Integer(),
      undoneAt: Nullable,
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
      sentAt: Nullable,
    }),
  ),
  replies: Type.Array(
    Type.Object({
      id: Type.String(),
      type: Type.String(),
      payload: Type.Unknown(),
      status: Type.String(),
      receivedAt: Type.String(),
    }),
  ),
})

export function toItem(saga: SagaSummary): Static<typeof SagaItem> {
  const { id, name, version, status, step = null, error = null } = saga
  return {
    ...{ id, name, version, status, step, error },
    waitsFor: [...saga.waitsFor],
    dueAt: time(saga.dueAt),
    cancelledAt: time(saga.cancelledAt),
    createdAt: saga.createdAt.toISOString(),
    updatedAt: saga.updatedAt.toISOString(),
    finishedAt: time(saga.finishedAt),
  }
}

export function toDetails(saga: SagaDetails): Static<typeof SagaResource> {
  return {
    ...toItem(saga),
    input: saga.input,
    steps: saga.steps.map(({ name, status, attempts, output = null, error = null, updatedAt }) => ({
      ...{ name, status, attempts, output, error },
      updatedAt: time(updatedAt),
    })),
    // Last step first, as they are undone.
    compensations: saga.steps.toReversed().flatMap(compensationOf),
    events: saga.events.map((event) => ({
      ...event,
      createdAt: event.createdAt.toISOString(),
      sentAt: time(event.sentAt),
    })),
    replies: saga.replies.map((reply) => ({
      ...reply,
      receivedAt: reply.receivedAt.toISOString(),
    })),
  }
}

function compensationOf({ name: step, status, undoAttempts: attempts, undoneAt }: StepDetails) {
  if (status !== 'UNDOING' && status !== 'COMPENSATED') return []
  return [{ step, status, attempts, undoneAt: time(undoneAt) }]
}

function time(value: Date | undefined): string | null {
  return value?.toISOString() ?? null
}
