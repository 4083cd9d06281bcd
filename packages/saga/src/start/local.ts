import { failureOf, type Failure } from '@posthorn/engine'
import { Semaphore } from '@posthorn/engine/internal'
import type { Pool } from 'pg'
import { attempt } from '../run/attempt.ts'
import { sendEvents, type OutgoingEvent } from '../run/checkpoints.ts'
import type { SagaEvents } from '../outbox/event-outbox.ts'
import { SagaError, type SagaCode } from '../errors.ts'
import { isSeenBy, type ReplyRun } from '../define/step.ts'
import { StepTransaction } from '../run/step-transaction.ts'
import { type SagaResult, type StepResult, keyOf, newSaga, type StartOptions } from './start.ts'
import { claimKeys, type NewKey } from './keys.sql.ts'
import type { Saga, SagaParts, Step } from '../define/saga.ts'
import { insertCompleted, selectEnded, type NewSaga, type RanStep } from './start.sql.ts'

/** What a saga in one transaction is given. */
export interface LocalStart<Input extends object> extends StartOptions {
  readonly input: Input
  readonly events: SagaEvents | undefined
  readonly signal?: AbortSignal
}

/** A saga in one transaction. Nothing is retried or compensated, since nothing was done. */
export async function executeLocally<Input extends object, Context extends object>(
  pool: Pool,
  saga: Saga<Input, Context, 'steps'>,
  { signal = NEVER, events: outbox, ...start }: LocalStart<Input>,
): Promise<SagaResult<Context>> {
  const begun = newSaga(saga, start)
  const { id, tenant, traceparent = null } = begun
  const work = new StepTransaction(pool, new Semaphore(1))
  try {
    // Before any step runs; a saga that begins meanwhile is found when this one is written.
    const isNamed = start.id !== undefined
    if (isNamed && (await selectEnded(work.tx, id)) !== undefined) throw alreadyThere(id)
    const input = JSON.parse(begun.input) as object
    const ran = await runSteps(work, saga, { id, tenant, traceparent, signal, input })
    if ('failure' in ran) return { id, status: 'FAILED', steps: ran.steps, error: ran.failure }
    const known = await claimKeys(work.tx, [...keyOf(begun), ...keysOf(begun, ran.keys)])
    if (known.size > 0) throw alreadyThere(known.get(id) ?? id)
    if (!(await insertCompleted(work.tx, begun, ran.ran))) throw alreadyThere(id)
    await sendEvents(work.tx, outbox, ran.events)
    await work.commit()
    return { id, status: 'COMPLETED', steps: ran.steps, context: ran.context as Context }
  } finally {
    // Changes nothing after a commit.
    await work.rollback()
  }
}

function keysOf({ id, name: saga, tenant }: NewSaga, keys: readonly string[]): NewKey[] {
  return keys.map((key) => ({ id, saga, key, tenant }))
}

const NEVER = new AbortController().signal

function alreadyThere(id: string): SagaError {
  return new SagaError('SAGA_EXISTS', `there is a saga ${id} already`)
}

interface Local {
  readonly id: string
  readonly tenant: string | undefined
  readonly traceparent: string | null
  readonly input: object
  readonly signal: AbortSignal
}

type Ran =
  | {
      steps: StepResult[]
      ran: RanStep[]
      events: OutgoingEvent[]
      keys: string[]
      context: object
    }
  | { steps: StepResult[]; failure: Failure }

/** One transaction is one connection: also steps side by side run one after the other. */
async function runSteps(
  work: StepTransaction,
  { steps, forks }: Pick<SagaParts, 'steps' | 'forks'>,
  local: Local,
): Promise<Ran> {
  const { id: sagaId, tenant, traceparent, signal } = local
  const ran: RanStep[] = []
  const events: OutgoingEvent[] = []
  const keys: string[] = []
  const contextAt = (position: number) =>
    Object.assign(
      {},
      local.input,
      ...ran.map(({ output }, i) => (isSeenBy(forks, i, position) ? output : {})),
    ) as object
  for (const [position, step] of steps.entries()) {
    const { name } = step
    const run = { sagaId, step: name, tenant, attempt: 1, idempotencyKey: `${sagaId}/${name}` }
    const context = contextAt(position)
    const startedAt = Date.now()
    const taken = isTaken(step, context)
    if (taken.kind === 'skipped') {
      ran.push({ status: 'SKIPPED', output: null, startedAt: undefined, endedAt: startedAt })
      continue
    }
    const attempted =
      taken.kind === 'failed'
        ? { outcome: taken, events: [], key: undefined }
        : await attempt(
            async (handle, given) => step.action?.(context, handle, given as ReplyRun),
            work.tx,
            { run, withinMs: step.withinMs, signal },
          )
    const { outcome } = attempted
    if (outcome.kind !== 'done') return failAt(steps, position, outcome)
    const failure = await work.findAbort()
    if (failure) return failAt(steps, position, { kind: 'failed', failure })
    ran.push({ status: 'COMPLETED', output: outcome.output, startedAt, endedAt: Date.now() })
    if (attempted.key !== undefined) keys.push(attempted.key)
    for (const event of attempted.events) {
      events.push({ ...event, sagaId, step: name, tenant: tenant ?? null, traceparent })
    }
  }
  const done = steps.map(({ name }, i): StepResult => {
    const isSkipped = ran[i]?.status === 'SKIPPED'
    const status = isSkipped ? 'SKIPPED' : 'COMPLETED'
    return { name, status, attempts: isSkipped ? 0 : 1, error: undefined }
  })
  return { steps: done, ran, events, keys, context: contextAt(steps.length) }
}

function isTaken(
  { when }: Step,
  context: object,
): { kind: 'taken' | 'skipped' } | { kind: 'failed'; failure: Failure } {
  try {
    return { kind: when && !when(context) ? 'skipped' : 'taken' }
  } catch (error) {
    return { kind: 'failed', failure: failureOf<SagaCode>(error, 'SAGA_STEP_FAILED') }
  }
}

function failAt(
  steps: readonly Step[],
  at: number,
  { kind, failure }: { kind: 'refused' | 'failed' | 'aborted'; failure: Failure },
): Ran {
  const status = kind === 'refused' ? 'REFUSED' : 'FAILED'
  const results = steps.map(({ name }, i): StepResult =>
    i === at
      ? { name, status, attempts: 1, error: failure }
      : { name, status: 'SKIPPED', attempts: i < at ? 1 : 0, error: undefined },
  )
  return { steps: results, failure }
}
