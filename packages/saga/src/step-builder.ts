import { exponential, toMs, type Duration } from '@posthorn/engine'
import { SagaError } from './errors.ts'
import type { SagaParts, Step } from './saga.ts'
import type { ReplyOptions, SignalOptions, StepOptions, TimerOptions } from './step.ts'

/** What stands before the name of a signal among the events that a step waits for: no broker's event is one. */
export const SIGNAL_PREFIX = 'signal:'

const RETRY = exponential('1s', { attempts: 3 })
const UNDO_RETRY = exponential('1s', { attempts: 10, max: '5m' })

type Options = Partial<StepOptions<object, object>> | ReplyOptions<object, object>

export function stepOf(name: string, options: Options): Step {
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

export function replyStep(name: string, options: ReplyOptions<object, object>): Step {
  const { event, timeout } = options
  const events = typeof event === 'string' ? [event] : event
  return { ...stepOf(name, options), waits: { for: 'reply', events, timeoutMs: maybeMs(timeout) } }
}

export function signalStep(name: string, options: SignalOptions<object, unknown, object>): Step {
  const events = [`${SIGNAL_PREFIX}${options.signal ?? name}`]
  const timeoutMs = maybeMs(options.timeout)
  const step = stepOf(name, options)
  return {
    ...step,
    waits: { for: 'reply', events, timeoutMs },
    parse: options.parse ?? ((payload) => payload),
  }
}

export function timerStep(name: string, after: Duration | TimerOptions<object>): Step {
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

export function addStep(saga: SagaParts, step: Step): SagaParts {
  const problem = problemOf(saga.steps, step)
  if (problem !== undefined) throw invalid(saga, problem)
  return { ...saga, steps: [...saga.steps, step] }
}

/** Adds branches that run side by side; their steps stand one branch after the other. */
export function addFork(saga: SagaParts, branches: readonly SagaParts[]): SagaParts {
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
