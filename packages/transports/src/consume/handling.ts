import {
  DeliveryError,
  failureOf,
  nextDelay,
  toMs,
  sqlState,
  type Consumer,
  type Log,
  type Message,
} from '@posthorn/engine'
import {
  type Reference,
  type ConsumedMessage,
  type Failed,
  backOff,
  sleep,
  type Semaphore,
} from '@posthorn/engine/internal'
import type { Failures } from './failures.ts'
import { UnreachableError } from '../errors.ts'

/** What has to be done about one received message. */
export interface Work {
  /** Resolving means done. The signal is aborted when its result is no longer wanted. */
  attempt(signal: AbortSignal): void | Promise<void>
  /** The message with what is needed to keep it. */
  readonly received: ConsumedMessage
  /** True where the last process to hold it may have died of it. */
  readonly suspect?: boolean
  /** For the log. */
  readonly about: object
}

/** Gives the message to its consumer. */
export function workOf(
  consumer: Consumer,
  message: Message,
  { ref, place, suspect }: { ref: Reference; place?: ConsumedMessage['place']; suspect?: boolean },
): Work {
  const { topic, group } = consumer
  return {
    attempt: (signal) => consumer.handle(message, { ref, signal }),
    received: { id: message.id, place, message },
    ...(suspect !== undefined && { suspect }),
    about: { topic, group, id: message.id, type: message.type, ref },
  }
}

/** What was received and cannot be turned into a message. */
export interface Unreadable {
  readonly topic: string
  readonly group: string
  readonly ref: Reference
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** Ends as a dead letter at once: reading it again gives the same. */
export function workOfUnreadable(
  { topic, group, ref, headers, body }: Unreadable,
  { id, place }: Pick<ConsumedMessage, 'id' | 'place'>,
  error: unknown,
): Work {
  const { code, message } = failureOf(error, 'MESSAGE_UNREADABLE')
  const unreadable = new DeliveryError(code, message, { cause: error, retryable: false })
  return {
    attempt: () => Promise.reject(unreadable),
    received: { id, place, message: undefined, raw: { headers, body } },
    about: { topic, group, ref, bytes: body.byteLength },
  }
}

/** How the messages of one channel or partition are handled. */
export interface Handling {
  readonly log: Log
  readonly failures: Failures
  /** How many handlers of the subscription may run at once; a waiting retry takes no slot. */
  readonly slots: Semaphore
  /** Aborted when no further attempt may start: closing, or the partition is another member's. */
  readonly stop: AbortSignal
  /** The handler's own signal: aborted when waiting for it is over. */
  readonly signal: AbortSignal
}

/** Between attempts while something that the handler needs is away. */
export const OUTAGE = { firstMs: 1_000, mostMs: 5_000 }

/**
 * Makes attempts until the message is handled, or set aside, or dead; then it may be acknowledged.
 * Short waits hold up what comes behind, so that the order stands; for a longer one the message is
 * set aside with all that follow of its key. False when it was stopped before. `made` is the failure
 * of an attempt that was made before, together with other messages.
 */
export async function untilDone(work: Work, handling: Handling, made?: unknown): Promise<boolean> {
  const { stop, signal, failures, log } = handling
  const { received, about } = work
  if (await parkBehind(work, handling)) return true
  let attempts = 0
  let before = made
  for (let outages = 0; !stop.aborted;) {
    const error = before ?? (await attempt(work, handling))
    before = undefined
    if (error === undefined) return true
    if (error === STOPPED || signal.aborted) return false
    if (await isOutage(error, failures)) {
      const waitMs = backOff(outages++, OUTAGE)
      log.warn({ ...about, err: error }, `unreachable; trying the message again in ${waitMs} ms`)
      await sleep(waitMs, stop)
      continue
    }
    outages = 0
    attempts++
    const failed = { attempts, failure: failureOf(error, 'CONSUMER_FAILED') }
    const waitMs = waitOf(error, failed, failures)
    if (waitMs === undefined) return insist(work, handling, () => bury(work, failed, handling))
    if (waitMs > failures.holdMs) {
      log.warn({ ...about, attempts, err: error }, `handler failed; set aside for ${waitMs} ms`)
      return insist(work, handling, () => failures.retryLater(received, failed, waitMs))
    }
    log.warn(
      { ...about, attempts, err: error },
      `handler failed; the message is tried again in ${waitMs} ms`,
    )
    await sleep(waitMs, stop)
  }
  return false
}

/** True if the message waits behind an earlier one of its key, and is done here. */
export function parkBehind(work: Work, handling: Handling): Promise<boolean> {
  return insist(work, handling, () => handling.failures.park(work.received))
}

/** How long to wait for the next attempt; undefined where there is none. */
export function waitOf(
  error: unknown,
  { attempts }: Failed,
  { retry }: Pick<Failures, 'retry'>,
): number | undefined {
  if (isFinal(error)) return undefined
  if (retry.attempts !== undefined && attempts >= retry.attempts) return undefined
  const asked = error instanceof DeliveryError && error.after !== undefined ? toMs(error.after) : 0
  return Math.max(nextDelay(retry, attempts), asked)
}

const STOPPED = Symbol('stopped')

/** One attempt: the error it ended with, undefined when it went well. */
async function attempt(work: Work, handling: Handling): Promise<unknown> {
  const { stop, signal, slots, failures } = handling
  try {
    return await slots.run(async () => {
      if (stop.aborted) return STOPPED
      const run = async (): Promise<void> => work.attempt(signal)
      await (work.suspect ? failures.alone(work.received, run) : run())
      return undefined
    })
  } catch (error) {
    return error ?? new Error('the handler threw nothing')
  }
}

async function bury(work: Work, failed: Failed, { failures, log }: Handling): Promise<true> {
  await failures.bury(work.received, failed)
  log.error({ ...work.about, ...failed }, 'the message is a dead letter now; later ones continue')
  return true
}

/** Fifteen seconds. An outage is longer, but then no alert can be raised either. */
const STUCK_TRIES = 5

/** Repeats what the database or the sink refused, since without it nothing may be acknowledged. */
async function insist(
  { received: { id }, about }: Work,
  { stop, log, failures: { store } }: Handling,
  keep: () => Promise<boolean>,
): Promise<boolean> {
  for (let tries = 1; !stop.aborted; tries++) {
    try {
      const isKept = await keep()
      if (tries > STUCK_TRIES) await store?.recoverStuck(id)
      return isKept
    } catch (error) {
      const waitMs = backOff(tries - 1, OUTAGE)
      log.warn({ err: error }, `a message could not be set aside; trying again in ${waitMs} ms`)
      if (tries % STUCK_TRIES === 0) {
        log.error({ ...about, err: error }, 'message stuck; it cannot be set aside')
        await store?.raiseStuck(id, error).catch(() => undefined)
      }
      await sleep(waitMs, stop)
    }
  }
  return false
}

/** Connection exceptions, too few resources, the server going down or starting. */
const AWAY = /^(08|53|57P0)/

/** What Node says of a connection that could not be made or broke. */
const BROKEN = /^(ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/

/** The driver has no code for these. */
const ENDED = /^(Connection terminated|timeout exceeded when trying to connect)/

/** Data exceptions: an id that is no UUID, a number out of range. The next attempt has the same data. */
const BAD_DATA = /^22/

/**
 * No retry can help: the handler says so, the inbox cannot know any more whether the message was
 * done, or the database does not take what is in it.
 */
function isFinal(error: unknown): boolean {
  if (error instanceof DeliveryError) return !error.retryable
  return Object(error).code === 'INBOX_EXPIRED' || BAD_DATA.test(sqlState(error) ?? '')
}

/** Whether a connection broke or was not to be had, though the next one may be. */
export function isConnectionLost(error: unknown): boolean {
  const { code, message } = Object(error) as { code?: unknown; message?: unknown }
  return BROKEN.test(String(code)) || ENDED.test(String(message))
}

/**
 * Whether the failure says nothing about the message: the handler names something unreachable, or
 * the consumer's own database is away, whichever error the handler made of that.
 */
export async function isOutage(error: unknown, failures: Failures): Promise<boolean> {
  if (isFinal(error)) return false
  if (error instanceof UnreachableError) return true
  if (error instanceof DeliveryError && error.unreachable) return true
  if (AWAY.test(sqlState(error) ?? '')) return true
  return !(await failures.isReachable())
}
