import { failureOf, SQLSTATE, sqlState, type Failure, type Transaction } from '@posthorn/engine'
import { lendTransaction } from '@posthorn/engine/internal'
import { SagaError, type SagaCode } from '../errors.ts'
import type { Effect, EventInit, Refusal, StepRun } from '../define/step.ts'
import type { StepOutcome } from './move.ts'

/** What a step did: its outcome, and the events it wants sent if that is stored. */
export interface Attempted {
  readonly outcome: StepOutcome
  readonly events: readonly EventInit[]
  /** What the saga is to be found by from here on. */
  readonly key?: string | undefined
}

export interface AttemptOptions {
  readonly run: Omit<StepRun, 'signal'>
  readonly withinMs: number
  /** Aborted when the work is called off from outside. */
  readonly signal: AbortSignal
}

type Work = (tx: Transaction, run: StepRun) => Promise<Effect<object> | Refusal | void>

/** Runs an action or a compensation, for so long at the most. It never throws: what is thrown is an outcome. */
export async function attempt(
  work: Work,
  tx: Transaction,
  { run, withinMs, signal }: AttemptOptions,
): Promise<Attempted> {
  const limit = new AbortController()
  const over = Promise.withResolvers<never>()
  const stop = (error: unknown) => {
    limit.abort(error)
    over.reject(error)
  }
  const timer = setTimeout(
    () => stop(new SagaError('SAGA_STEP_TIMEOUT', `${run.step} took longer than ${withinMs} ms`)),
    withinMs,
  )
  const callOff = () => stop(new SagaError('SAGA_STEP_FAILED', `${run.step} was cancelled`))
  signal.addEventListener('abort', callOff, { once: true })
  try {
    if (signal.aborted) callOff()
    const given = { ...run, signal: limit.signal }
    const begun = signal.aborted ? over.promise : lendTransaction(tx, (lent) => work(lent, given))
    return outcomeOf(await Promise.race([begun, over.promise]))
  } catch (error) {
    const failure = failureOf<SagaCode>(error, 'SAGA_STEP_FAILED')
    return { outcome: { kind: signal.aborted ? 'aborted' : 'failed', failure }, events: [] }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', callOff)
    // If the work ended first, this promise is not awaited.
    over.promise.catch(() => undefined)
  }
}

function outcomeOf(result: Effect<object> | Refusal | void): Attempted {
  if (!result) return { outcome: { kind: 'done', output: null }, events: [] }
  if ('refused' in result) {
    const failure = failureOf<SagaCode>(result.refused, 'SAGA_STEP_FAILED')
    return { outcome: { kind: 'refused', failure }, events: [] }
  }
  const { data, events = [], key } = result
  return { outcome: { kind: 'done', output: asStored(data) }, events, key }
}

/** The data as it will be read again: a later step must not see more in this process than after a crash. */
function asStored(data: object | undefined): object | null {
  if (data === undefined) return null
  try {
    return JSON.parse(JSON.stringify(data)) as object
  } catch (cause) {
    throw new SagaError('SAGA_DATA_INVALID', undefined, { cause })
  }
}

/** A step's failure by what the database would not store. */
export function unstorable(error: unknown): Failure {
  return failureOf<SagaCode>(error, 'SAGA_DATA_INVALID')
}

/**
 * Whether the database could not do its work, as opposed to saying no: the connection broke (08),
 * a deadlock or conflict (40), no resources (53), it is going down (57). A step cannot help that and
 * is not charged for it. A statement that was cancelled is the step's own: one that always takes
 * longer than `statement_timeout` would be tried for ever.
 */
export function isOutage(error: unknown): error is Error {
  const state = sqlState(error)
  if (!(error instanceof Error)) return false
  if (state === SQLSTATE.queryCanceled) return false
  if (state !== undefined) return /^(08|40|53|57)/.test(state)
  // The driver has no code for a connection that broke; mistakes of the caller have their classes.
  return !(
    error instanceof TypeError ||
    error instanceof RangeError ||
    ('code' in error && !isSocketCode(error.code))
  )
}

/** ECONNREFUSED, EPIPE, ETIMEDOUT … */
function isSocketCode(code: unknown): boolean {
  return typeof code === 'string' && /^E[A-Z]+$/.test(code)
}
