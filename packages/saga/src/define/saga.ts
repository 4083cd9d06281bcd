import {
  toMs,
  type Duration,
  type RetryPolicy,
  type Transaction,
  exponential,
} from '@posthorn/engine'
import { SagaError } from '../errors.ts'
import type {
  Fork,
  Conditional,
  Effect,
  Refusal,
  ReplyOptions,
  ReplyRun,
  SignalOptions,
  StepOptions,
  StepRun,
  TimerOptions,
  Unconditional,
} from './step.ts'
import type { Stored, StoredObject } from './stored.ts'

type Act<Run> = (
  context: object,
  tx: Transaction,
  run: Run,
) => Promise<Effect<object> | Refusal | void>

/** A step as the orchestrator sees it: what it waits for, what it does, how it is undone. */
export interface Step {
  readonly name: string
  readonly when: ((context: object) => boolean) | undefined
  readonly waits:
    | {
        readonly for: 'reply'
        readonly events: readonly string[]
        readonly timeoutMs: number | undefined
      }
    | { readonly for: 'timer'; readonly afterMs: number }
    | { readonly for: 'time'; readonly until: (context: object) => Date | string }
    | undefined
  /** Reads what a signal brings. */
  readonly parse: ((payload: unknown) => unknown) | undefined
  readonly action: Act<ReplyRun> | undefined
  /** Instead of the action, if what it waits for did not come in time. */
  readonly otherwise: Act<StepRun> | undefined
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

/** What a saga is made of. */
export interface SagaParts {
  readonly name: string
  readonly version: number
  /** In the order of the definition; those of a branch follow each other. */
  readonly steps: readonly Step[]
  readonly forks: readonly Fork[]
  readonly deadlineMs: number | undefined
  /** By the version they come from. */
  readonly upgrades: Readonly<Record<number, Upgrade>>
}

/**
 * A saga: its name, its version and its steps. Each method returns a saga with one step more, whose
 * data the steps after it find in their context; what a step `when` returns may be missing there.
 */
export interface Saga<
  Input extends object,
  Context extends object,
  Kind extends SagaKind,
> extends SagaParts {
  /** Only for the compiler. */
  readonly [types]?: { input: Input; context: Context; kind: Kind }
  /** A step that does something. */
  step<Data extends object = object>(
    name: string,
    options: StepOptions<Context, Data> & Unconditional,
  ): Saga<Input, Context & Stored<Data>, Kind>
  step<Data extends object = object>(
    name: string,
    options: StepOptions<Context, Data> & Partial<Conditional<Context>>,
  ): Saga<Input, Context & Partial<Stored<Data>>, Kind>
  /** A step that waits for an event from outside. */
  reply<Data extends object = object>(
    name: string,
    options: ReplyOptions<Context, Data> & Unconditional,
  ): Saga<Input, Context & Stored<Data>, 'waits'>
  reply<Data extends object = object>(
    name: string,
    options: ReplyOptions<Context, Data> & Partial<Conditional<Context>>,
  ): Saga<Input, Context & Partial<Stored<Data>>, 'waits'>
  /** A step that waits for a signal, which `signal` of `sagas()` sends. */
  signal<Data extends object = object, Payload = unknown>(
    name: string,
    options?: SignalOptions<Context, Payload, Data> & Unconditional,
  ): Saga<Input, Context & Stored<Data>, 'waits'>
  signal<Data extends object = object, Payload = unknown>(
    name: string,
    options: SignalOptions<Context, Payload, Data> & Partial<Conditional<Context>>,
  ): Saga<Input, Context & Partial<Stored<Data>>, 'waits'>
  /** A step that lets time pass, by the business clock. */
  timer(name: string, after: Duration | TimerOptions<Context>): Saga<Input, Context, 'waits'>
  /**
   * Branches that run side by side, each a row of steps; the saga goes on when all are done. If one
   * refuses or fails for good, attempts under way end first, then everything is undone, last step
   * first. A branch sees what was before the fork and its own steps, not the other branches.
   */
  parallel<Branches extends Record<string, BranchEnd>>(branches: {
    [Name in keyof Branches]: (branch: Saga<Context, Context, 'steps'>) => Branches[Name]
  }): Saga<Input, Context & Joined<Branches>, JoinedKind<Kind, Branches>>
}

// oxlint-disable-next-line typescript/no-explicit-any -- sagas of all inputs run side by side
export type AnySaga = Saga<any, any, SagaKind>

/** What the steps of a branch have made of the context. */
// oxlint-disable-next-line typescript/no-explicit-any -- branches of all contexts stand side by side
type BranchEnd = Saga<any, any, SagaKind>

type ContextOf<Branch> =
  Branch extends Saga<infer _Input, infer Context, SagaKind> ? Context : never

type Intersected<Union> = (Union extends unknown ? (each: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never

type Joined<Branches> = Intersected<
  { [Name in keyof Branches]: ContextOf<Branches[Name]> }[keyof Branches]
>

type JoinedKind<Kind extends SagaKind, Branches> =
  Branches[keyof Branches] extends Saga<infer _Input, infer _Context, 'steps'> ? Kind : 'waits'

export interface SagaOptions {
  /**
   * Raise it whenever the steps change: instances go on with the version they were begun with, so
   * keep the old definition registered until they have ended, or say how they are upgraded.
   * Default 1.
   */
  readonly version?: number
  /** A durable saga that still runs so long after its start, by the business clock, compensates. Default: none. */
  readonly deadline?: Duration
  /**
   * How instances of older versions become instances of this one, by the version they have. An
   * instance whose own version is registered as well is not upgraded: it goes on with that.
   */
  readonly upgrades?: Readonly<Record<number, Upgrade>>
}

/** An instance of an older version, as its upgrade finds it. */
export interface OldInstance {
  readonly id: string
  readonly version: number
  readonly input: object
  /** The step it stands at; undefined if all are done. */
  readonly step: string | undefined
  /** What the steps that are done have returned, by their names. */
  readonly outputs: Readonly<Record<string, object>>
}

/** What becomes of it; everything left out stays as it was. */
export interface UpgradedInstance {
  readonly input?: object
  /** New names of steps, by their old ones. Null: the step is gone, and needs no undoing. */
  readonly renamed?: Readonly<Record<string, string | null>>
  /** What steps that are done have returned, by their new names, where that has another shape now. */
  readonly outputs?: Readonly<Record<string, object>>
  /** The step it goes on with. Default: the one after the last that has begun. Steps before it are skipped. */
  readonly step?: string
}

/** Makes an instance of an older version one of this version: a pure function. */
export type Upgrade = (old: OldInstance) => UpgradedInstance

/** Begins the definition of a saga: `defineSaga<Order>('place-order').step(…).step(…)`. */
export function defineSaga<Input extends object>(
  name: string,
  { version = 1, deadline, upgrades = {} }: SagaOptions = {},
): Saga<Input, StoredObject<Input>, 'steps'> {
  const wrong = (what: string) => new SagaError('SAGA_DEFINITION_INVALID', what)
  if (name === '') throw wrong('a saga needs a name')
  if (!Number.isInteger(version) || version < 1) {
    throw wrong(`saga ${name}: version: must be 1 or more`)
  }
  const notOlder = Object.keys(upgrades).find((from) => !(Number(from) < version))
  if (notOlder !== undefined) {
    throw wrong(`saga ${name}: upgrades: ${notOlder} is not older than ${version}`)
  }
  const deadlineMs = deadline === undefined ? undefined : toMs(deadline)
  const begun = { name, version, steps: [], forks: [], deadlineMs, upgrades }
  return sagaOf<Input, StoredObject<Input>, 'steps'>(begun)
}

/** The builder's types are checked against each other by its interface; from here on a context is an object. */
function sagaOf<Input extends object, Context extends object, Kind extends SagaKind>(
  parts: SagaParts,
): Saga<Input, Context, Kind> {
  const builder: AnySaga = {
    ...parts,
    step: (name: string, options: StepOptions<object, object>) =>
      sagaOf(addStep(parts, stepOf(name, options))),
    reply: (name: string, options: ReplyOptions<object, object>) =>
      sagaOf(addStep(parts, replyStep(name, options))),
    signal: (name: string, options: SignalOptions<object, unknown, object> = {}) =>
      sagaOf(addStep(parts, signalStep(name, options))),
    timer: (name, after) => sagaOf(addStep(parts, timerStep(name, after))),
    parallel: (branches) =>
      sagaOf(
        addFork(
          parts,
          Object.entries(branches).map(([name, build]) => ({
            ...build(sagaOf({ ...parts, steps: [], forks: [] })),
            name,
          })),
        ),
      ),
  }
  return builder as Saga<Input, Context, Kind>
}

/** What stands before the name of a signal among the events that a step waits for: no broker's event is one. */
export const SIGNAL_PREFIX = 'signal:'

const RETRY = exponential('1s', { attempts: 3 })
const UNDO_RETRY = exponential('1s', { attempts: 10, max: '5m' })

type Options = Partial<StepOptions<object, object>> | ReplyOptions<object, object>

function stepOf(name: string, options: Options): Step {
  // What kind of step it is decides which of them there are.
  const given = options as Partial<Step>
  return {
    name,
    when: given.when,
    waits: undefined,
    parse: given.parse,
    action: given.action,
    otherwise: given.otherwise,
    compensate: given.compensate,
    retry: options.retry ?? RETRY,
    undoRetry: options.undoRetry ?? UNDO_RETRY,
    withinMs: toMs(options.within ?? '1m'),
  }
}

function replyStep(name: string, options: ReplyOptions<object, object>): Step {
  const { event, timeout } = options
  const events = typeof event === 'string' ? [event] : event
  return { ...stepOf(name, options), waits: { for: 'reply', events, timeoutMs: maybeMs(timeout) } }
}

function signalStep(name: string, options: SignalOptions<object, unknown, object>): Step {
  const events = [`${SIGNAL_PREFIX}${options.signal ?? name}`]
  const timeoutMs = maybeMs(options.timeout)
  const step = stepOf(name, options)
  return {
    ...step,
    waits: { for: 'reply', events, timeoutMs },
    parse: options.parse ?? ((payload) => payload),
  }
}

function timerStep(name: string, after: Duration | TimerOptions<object>): Step {
  const options = typeof after === 'object' ? after : { after }
  const step = { ...stepOf(name, {}), when: options.when?.bind(options) }
  if ('until' in options) {
    return { ...step, waits: { for: 'time', until: (context) => options.until(context) } }
  }
  return { ...step, waits: { for: 'timer', afterMs: toMs(options.after) } }
}

function maybeMs(duration: Duration | undefined): number | undefined {
  return duration === undefined ? undefined : toMs(duration)
}

function addStep(saga: SagaParts, step: Step): SagaParts {
  const problem = problemOf(saga.steps, step)
  if (problem !== undefined) throw invalid(saga, problem)
  return { ...saga, steps: [...saga.steps, step] }
}

/** Adds branches that run side by side; their steps stand one branch after the other. */
function addFork(saga: SagaParts, branches: readonly SagaParts[]): SagaParts {
  if (branches.length < 2) throw invalid(saga, 'side by side there are two branches or more')
  let joined = saga
  const awaited = new Map<string, string>()
  for (const { name, steps, forks } of branches) {
    if (steps.length === 0) throw invalid(saga, `branch "${name}" has no step`)
    if (forks.length > 0) throw invalid(saga, `branch "${name}" has branches of its own`)
    for (const step of steps) joined = addStep(joined, step)
    for (const event of steps.flatMap(eventsOf)) {
      const other = awaited.get(event) ?? name
      // One event would be two replies, or go to one of them by chance.
      if (other !== name) throw invalid(saga, `branches "${other}" and "${name}" wait for ${event}`)
      awaited.set(event, name)
    }
  }
  const sizes = branches.map(({ name, steps }) => ({ name, steps: steps.length }))
  return { ...joined, forks: [...saga.forks, { at: saga.steps.length, branches: sizes }] }
}

function eventsOf({ waits }: Step): readonly string[] {
  return waits?.for === 'reply' ? waits.events : []
}

function invalid(saga: SagaParts, problem: string): SagaError {
  const place = `saga ${saga.name}: step ${saga.steps.length + 1}`
  return new SagaError('SAGA_DEFINITION_INVALID', `${place}: ${problem}`)
}

function problemOf(steps: readonly Step[], { name, waits }: Step): string | undefined {
  if (name === '') return 'needs a name'
  if (steps.some((earlier) => earlier.name === name)) return `"${name}" stands twice`
  if (waits?.for === 'reply' && waits.events.length === 0) return `"${name}" waits for no event`
  return undefined
}
