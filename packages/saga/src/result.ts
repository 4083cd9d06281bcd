import type { Failure } from '@posthorn/engine'
import type { SagaDetails, StepDetails } from './reads.ts'
import { SagaError, type SagaCode } from './errors.ts'

/** How a saga ended. */
export type SagaResult<Context extends object> = {
  readonly id: string
  readonly steps: readonly StepResult[]
} & (
  | { readonly status: 'COMPLETED'; readonly context: Context }
  | { readonly status: 'COMPENSATED' | 'FAILED'; readonly error: Failure }
)

/** `SKIPPED`: it never ran (its condition did not hold), or what it did was rolled back with the rest. */
export type StepResultStatus = 'COMPLETED' | 'REFUSED' | 'FAILED' | 'COMPENSATED' | 'SKIPPED'

export interface StepResult {
  readonly name: string
  readonly status: StepResultStatus
  readonly attempts: number
  readonly error: Failure | undefined
}

/** The result of a saga that has ended. */
export function resultOf<Context extends object>(
  saga: SagaDetails | undefined,
): SagaResult<Context> {
  if (!saga) throw new SagaError('SAGA_MISSING')
  const { id, status } = saga
  const steps = saga.steps.map(stepResult)
  if (status === 'COMPLETED') {
    const outputs = saga.steps.map(({ output }) => output)
    return { id, steps, status, context: Object.assign({}, saga.input, ...outputs) as Context }
  }
  const failed: Failure<SagaCode> = { code: 'SAGA_STEP_FAILED', message: 'the saga failed' }
  const error = saga.error ?? failed
  return { id, steps, status: status === 'COMPENSATED' ? status : 'FAILED', error }
}

function stepResult({ name, status, attempts, error }: StepDetails): StepResult {
  return { name, status: ENDED[status], attempts, error }
}

const ENDED: Record<StepDetails['status'], StepResultStatus> = {
  PENDING: 'SKIPPED',
  RUNNING: 'SKIPPED',
  WAITING: 'SKIPPED',
  RETRYING: 'FAILED',
  COMPLETED: 'COMPLETED',
  SKIPPED: 'SKIPPED',
  REFUSED: 'REFUSED',
  FAILED: 'FAILED',
  UNDOING: 'FAILED',
  COMPENSATED: 'COMPENSATED',
  RESTARTED: 'SKIPPED',
}
