import type { SagaDetails, SagaSummary, StepDetails } from '@posthorn/saga'
import { Type, type Static } from 'typebox'

export const SAGA_STATES = [
  'RUNNING',
  'COMPENSATING',
  'COMPLETED',
  'COMPENSATED',
  'FAILED',
  'TERMINATED',
] as const

const SAGA_ACTIONS = ['cancel', 'resume', 'skip', 'complete', 'terminate', 'restart'] as const

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
  held: Failure,
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
      skipped: Type.Union([Type.Enum(['action', 'compensation']), Type.Null()]),
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
  actions: Type.Array(
    Type.Object({
      action: Type.Enum([...SAGA_ACTIONS]),
      step: Nullable,
      was: Type.Enum([...SAGA_STATES]),
      by: Type.String(),
      reason: Nullable,
      at: Type.String(),
    }),
    { description: 'What operators did to it, first one first' },
  ),
  direction: Type.Union([Type.Enum(['forward', 'back']), Type.Null()], {
    description: 'Where it goes, or went when it failed; null once it is over',
  }),
  allows: Type.Array(Type.Enum([...SAGA_ACTIONS]), {
    description: 'What an operator may do to it now',
  }),
  restartsFrom: Type.Array(Type.String(), {
    description: 'The steps that it can be restarted from',
  }),
})

export function toItem(saga: SagaSummary): Static<typeof SagaItem> {
  const { id, name, version, status, step = null, error = null, held = null } = saga
  return {
    ...{ id, name, version, status, step, error, held },
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
    steps: saga.steps.map(({ output = null, skipped = null, error = null, ...step }) => ({
      ...{ name: step.name, status: step.status, attempts: step.attempts, output, skipped, error },
      updatedAt: time(step.updatedAt),
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
    actions: saga.actions.map(({ step = null, reason = null, at, ...action }) => ({
      ...action,
      ...{ step, reason, at: at.toISOString() },
    })),
    direction: saga.direction ?? null,
    allows: [...saga.allows],
    restartsFrom: [...saga.restartsFrom],
  }
}

function compensationOf({ name: step, status, undoAttempts: attempts, undoneAt }: StepDetails) {
  if (status !== 'UNDOING' && status !== 'COMPENSATED') return []
  return [{ step, status, attempts, undoneAt: time(undoneAt) }]
}

function time(value: Date | undefined): string | null {
  return value?.toISOString() ?? null
}
