import { toMs, type Duration } from '../duration.ts'
import { DefinitionError } from '../errors.ts'
import { checkObject, type Fields } from './definition-shape.ts'

interface PolicyBase {
  /** Delay after the 1st, 2nd … failure, in milliseconds; the last one repeats. */
  readonly delaysMs: readonly number[]
  /** Spreads each delay over ± this share of it (0 to 1), so that a thousand do not come back at once. */
  readonly jitter: number
}

/** Gives up after `attempts` attempts in all: needs a `dead` state. */
export interface EndingPolicy extends PolicyBase {
  readonly attempts: number
}

/** Never gives up: forbids a `dead` state. */
export interface EndlessPolicy extends PolicyBase {
  readonly attempts: undefined
}

export type RetryPolicy = EndingPolicy | EndlessPolicy

/**
 * Claims that a message may lose, in every policy, before it ends: one with its batch, one with a group of
 * suspects, then those that it was alone in. It kills its relays.
 */
export const LOST_CLAIMS_LIMIT = 4

export interface PolicyOptions {
  /** Attempts in all, the first included. */
  attempts: number
  /** Share of the delay, 0 (default) to 1. */
  jitter?: number
}

const OPTIONS: Fields<PolicyOptions> = { attempts: 'needed', jitter: 'optional' }

/** For those whom no compiler warns: a policy without attempts would end at once, or never. */
function checkOptions(
  where: string,
  options: object | undefined,
  fields: Readonly<Record<string, 'needed' | 'optional'>>,
): void {
  const wrong = (field: string, problem: string): never => {
    throw new DefinitionError(where, field, problem)
  }
  checkObject(options ?? {}, fields, { prefix: '', wrong })
}

/** The same delay each time: `fixed('6h', { attempts: 3 })`. */
export function fixed(delay: Duration, options: PolicyOptions): EndingPolicy {
  checkOptions('fixed()', options, OPTIONS)
  return { delaysMs: [toMs(delay)], jitter: options.jitter ?? 0, attempts: options.attempts }
}

/** `exponential('2s', { factor: 2, attempts: 5 })` waits 2, 4, 8 and 16 seconds. */
export function exponential(
  first: Duration,
  options: PolicyOptions & { factor?: number; max?: Duration },
): EndingPolicy {
  checkOptions('exponential()', options, { ...OPTIONS, factor: 'optional', max: 'optional' })
  const factor = options.factor ?? 2
  const maxMs = options.max === undefined ? Number.POSITIVE_INFINITY : toMs(options.max)
  const delaysMs = Array.from({ length: Math.max(1, Math.min(options.attempts - 1, 64)) }, (_, i) =>
    Math.min(toMs(first) * factor ** i, maxMs),
  )
  return { delaysMs, jitter: options.jitter ?? 0, attempts: options.attempts }
}

/** The delays as written. With `then: 'repeat-last'` it never gives up. */
export function schedule(
  delays: readonly Duration[],
  options: { then: 'repeat-last'; jitter?: number },
): EndlessPolicy
export function schedule(
  delays: readonly Duration[],
  options?: { then?: 'give-up'; jitter?: number },
): EndingPolicy
export function schedule(
  delays: readonly Duration[],
  options: { then?: 'repeat-last' | 'give-up'; jitter?: number } = {},
): RetryPolicy {
  checkOptions('schedule()', options, { then: 'optional', jitter: 'optional' })
  if (!Array.isArray(delays)) {
    throw new DefinitionError('schedule()', 'delays', 'must be a list, like ["1s", "1m"]')
  }
  const base = { delaysMs: delays.map(toMs), jitter: options.jitter ?? 0 }
  return options.then === 'repeat-last'
    ? { ...base, attempts: undefined }
    : { ...base, attempts: delays.length + 1 }
}

/**
 * Milliseconds to wait after the given number of tries (1 = the first failure). `random` gives a
 * number in [0, 1) and only matters with jitter.
 */
export function nextDelay(policy: RetryPolicy, tries: number, random = Math.random): number {
  const delay = policy.delaysMs[Math.min(Math.max(tries, 1), policy.delaysMs.length) - 1] ?? 0
  if (policy.jitter === 0) return delay
  return Math.round(delay * (1 + policy.jitter * (2 * random() - 1)))
}
