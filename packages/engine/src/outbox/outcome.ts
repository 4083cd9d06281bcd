import { toMs, type Duration } from '../duration.ts'
import { DeliveryError, failureOf, type ErrorCode, type Failure } from '../errors.ts'
import { storableJson, storableText } from '../storable.ts'

/** What the destination said about where the message now is, e.g. `{ partition: 3, offset: '17' }`. */
export type Reference = Readonly<Record<string, string | number>>

/**
 * What became of one message: a value, not an exception.
 *
 * - `delivered`: the destination has it.
 * - `retryLater`: it does not; trying again makes sense.
 * - `refused`: it does not, and never will.
 * - `unknown`: the bytes have left and no answer came.
 */
export type Outcome =
  | { readonly kind: 'delivered'; readonly ref: Reference | undefined }
  | {
      readonly kind: 'retryLater'
      readonly failure: Failure
      readonly afterMs: number | undefined
      /** False: the attempt does not count against the message. */
      readonly charge: boolean
      /** True: the destination was not reached: nothing of the message left this process. */
      readonly unreachable: boolean
      /** Set where `wasTried` cannot tell by the charge: true for an attempt that ran into a rate limit. */
      readonly tried?: boolean
    }
  | { readonly kind: 'refused'; readonly failure: Failure }
  | {
      readonly kind: 'unknown'
      readonly failure: Failure
      /** What the destination asked for: not sent again before. */
      readonly afterMs?: number | undefined
    }

const DELIVERED: Outcome = { kind: 'delivered', ref: undefined }

/** The destination has the message. */
export function delivered(ref?: Reference): Outcome {
  return ref === undefined ? DELIVERED : { kind: 'delivered', ref: storableReference(ref) }
}

/** What a destination says of where a message is must not keep it from being settled. */
function storableReference(ref: Reference): Reference {
  const isClean = Object.values(ref).every(
    (value) => typeof value !== 'string' || value === storableText(value),
  )
  return isClean ? ref : (JSON.parse(storableJson(ref)) as Reference)
}

/** Not delivered; try again after the policy's delay, or after `after` if the destination named one. */
export function retryLater(error: unknown, options: RetryLaterOptions = {}): Outcome {
  return {
    kind: 'retryLater',
    failure: failureOf<ErrorCode>(error, 'DELIVERY_FAILED'),
    afterMs: options.after === undefined ? undefined : toMs(options.after),
    charge: options.charge ?? true,
    unreachable: options.unreachable ?? false,
    ...(options.tried !== undefined && { tried: options.tried }),
  }
}

interface RetryLaterOptions {
  readonly after?: Duration | undefined
  readonly charge?: boolean
  readonly unreachable?: boolean
  readonly tried?: boolean
}

/** The destination could not be reached: nothing of the message left this process. */
export function unreachable(error: unknown): Outcome {
  return {
    kind: 'retryLater',
    failure: failureOf<ErrorCode>(error, 'DESTINATION_UNREACHABLE'),
    afterMs: undefined,
    charge: true,
    unreachable: true,
  }
}

/** Not delivered, and no retry can help. */
export function refused(error: unknown): Outcome {
  return { kind: 'refused', failure: failureOf<ErrorCode>(error, 'DELIVERY_REFUSED') }
}

/**
 * Sent, but it cannot be said whether it arrived. It is not sent again before `after`, if the
 * destination named one, nor before the policy's delay.
 */
export function unknown(error: unknown, options: { after?: Duration | undefined } = {}): Outcome {
  const failure = failureOf<ErrorCode>(error, 'DELIVERY_UNKNOWN')
  const after = options.after ?? (error instanceof DeliveryError ? error.after : undefined)
  return after === undefined
    ? { kind: 'unknown', failure }
    : { kind: 'unknown', failure, afterMs: toMs(after) }
}

/**
 * Whether there was an attempt at all. What is held back, by the relay or by the transport, is not
 * charged and was not tried, unless the outcome says that it was.
 */
export function wasTried(outcome: Outcome): boolean {
  if (outcome.kind !== 'retryLater') return true
  return outcome.tried ?? (outcome.charge || outcome.unreachable)
}

/** A throw in a transport means "try again", unless the error says it knows better. */
export function outcomeOfThrow(error: unknown): Outcome {
  if (error instanceof DeliveryError && !error.retryable) return refused(error)
  return retryLater(error, error instanceof DeliveryError ? { after: error.after } : {})
}
