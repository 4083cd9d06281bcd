import {
  exponential,
  toMs,
  type Duration,
  type RetryPolicy,
  type Transaction,
} from '@posthorn/engine'
import { SagaError } from './errors.ts'
import type { Effect, Refusal, ReplyOptions, ReplyRun, StepOptions, StepRun } from './step.ts'

/** A step as the orchestrator sees it: what it waits for, what it does, how it is undone. */
export interface Step {
  readonly name: string
  readonly waits:
    | {
        readonly for: 'reply'
        readonly events: readonly string[]
        readonly timeoutMs: number | undefined
      }
    | { readonly for: 'timer'; readonly afterMs: number }
    | undefined
  readonly action:
    | ((
        context: object,
        tx: Transaction,
        run: ReplyRun,
      ) => Promise<Effect<object> | Refusal | void>)
    | undefined
  readonly compensate:
    | ((
        context: object,
        tx: Transaction,
        run: StepRun,
      ) => Promise<Pick<Effect<object>, 'events'> | void>)
    | undefined
  readonly retry: RetryPolicy
  readonly undoRetry: RetryPolicy
  readonly withinMs: number
}

declare const types: unique symbol

/** `steps`: acts only, so it may run locally. `waits`: also waits, so it must be durable. */
export type SagaKind = 'steps' | 'waits'

/**
 * A saga: its name, its version and its steps. Each method returns a saga with one step more, whose
 * data the steps after it find in their context.
 */
export interface Saga<Input extends object, Context extends object, Kind extends SagaKind> {
  readonly name: string
  readonly version: number
  readonly steps: readonly Step[]
  /** Only for the compiler. */
  readonly [types]?: { input: Input; context: Context; kind: Kind }
  /** A step that does something. */
  step<Data extends object = object>(
    name: string,
    options: StepOptions<Context, Data>,
  ): Saga<Input, Context & Data, Kind>
  /** A step that waits for an event from outside. */
  reply<Data extends object = object>(
    name: string,
    options: ReplyOptions<Context, Data>,
  ): Saga<Input, Context & Data, 'waits'>
  /** A step that lets time pass, by the business clock. */
  timer(name: string, after: Duration): Saga<Input, Context, 'waits'>
}

// oxlint-disable-next-line typescript/no-explicit-any -- sagas of all inputs run side by side
export type AnySaga = Saga<any, any, SagaKind>

export interface SagaOptions {
  /**
   * Raise it whenever the steps change: instances go on with the version they were begun with, so
   * keep the old definition registered until they have ended. Default 1.
   */
  readonly version?: number
}

/** Begins the definition of a saga: `defineSaga<Order>('place-order').step(…).step(…)`. */
export function defineSaga<Input extends object>(
  name: string,
  { version = 1 }: SagaOptions = {},
): Saga<Input, Input, 'steps'> {
  if (name === '') throw new SagaError('SAGA_DEFINITION_INVALID', 'a saga needs a name')
  if (!Number.isInteger(version) || version < 1) {
    throw new SagaError('SAGA_DEFINITION_INVALID', `saga ${name}: version: must be 1 or more`)
  }
  return sagaOf<Input, Input, 'steps'>({ name, version, steps: [] })
}

function sagaOf<Input extends object, Context extends object, Kind extends SagaKind>(
  parts: Pick<AnySaga, 'name' | 'version' | 'steps'>,
): Saga<Input, Context, Kind> {
  return {
    ...parts,
    step: <Data extends object>(name: string, options: StepOptions<Context, Data>) =>
      sagaOf<Input, Context & Data, Kind>(addStep(parts, stepOf(name, options))),
    reply<Data extends object>(name: string, options: ReplyOptions<Context, Data>) {
      const { event, timeout } = options
      const events = typeof event === 'string' ? [event] : event
      const timeoutMs = timeout === undefined ? undefined : toMs(timeout)
      const step = { ...stepOf(name, options), waits: { for: 'reply', events, timeoutMs } } as const
      return sagaOf<Input, Context & Data, 'waits'>(addStep(parts, step))
    },
    timer(name, after) {
      const step = { ...stepOf(name, {}), waits: { for: 'timer', afterMs: toMs(after) } } as const
      return sagaOf<Input, Context, 'waits'>(addStep(parts, step))
    },
  }
}

const RETRY = exponential('1s', { attempts: 3 })
const UNDO_RETRY = exponential('1s', { attempts: 10, max: '5m' })

function stepOf<Context, Data extends object>(
  name: string,
  options: Partial<StepOptions<Context, Data>> | ReplyOptions<Context, Data>,
): Step {
  // The builder's types have been checked against each other; from here on a context is an object.
  const { action, compensate } = options as Pick<Step, 'action' | 'compensate'>
  return {
    name,
    waits: undefined,
    action,
    compensate,
    retry: options.retry ?? RETRY,
    undoRetry: options.undoRetry ?? UNDO_RETRY,
    withinMs: toMs(options.within ?? '1m'),
  }
}

function addStep(saga: Pick<AnySaga, 'name' | 'version' | 'steps'>, step: Step) {
  const problem = problemOf(saga.steps, step)
  if (problem !== undefined) {
    const place = `saga ${saga.name}: step ${saga.steps.length + 1}`
    throw new SagaError('SAGA_DEFINITION_INVALID', `${place}: ${problem}`)
  }
  return { name: saga.name, version: saga.version, steps: [...saga.steps, step] }
}

function problemOf(steps: readonly Step[], { name, waits }: Step): string | undefined {
  if (name === '') return 'needs a name'
  if (steps.some((earlier) => earlier.name === name)) return `"${name}" stands twice`
  if (waits?.for === 'reply' && waits.events.length === 0) return `"${name}" waits for no event`
  return undefined
}
