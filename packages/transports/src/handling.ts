import {
  toMs,
  type Consumer,
  type Duration,
  type Log,
  type Message,
  type Reference,
} from '@posthorn/engine'
import { backoffMs, sleep, type Backoff, type Slots } from './waiting.ts'

/** What all transports let one choose about reading. */
export interface ReadingOptions {
  /** Waits after failures of a handler, doubling. Default from 1 s to 30 s. */
  readonly backoff?: { readonly first: Duration; readonly max: Duration }
  /** How long `close` waits for messages in hand before it aborts their signal. Default 10 s. */
  readonly drain?: Duration
}

export interface Reading {
  readonly backoff: Backoff
  readonly drainMs: number
}

/** The choices with their defaults, in milliseconds. */
export function readingOf({ backoff, drain = '10s' }: ReadingOptions): Reading {
  const { first, max } = backoff ?? { first: '1s', max: '30s' }
  return { backoff: { firstMs: toMs(first), maxMs: toMs(max) }, drainMs: toMs(drain) }
}

/** What has to be done about one received message. */
export interface Work {
  /** Resolving means done. The signal is aborted when nobody waits for it any more. */
  attempt(signal: AbortSignal): void | Promise<void>
  /** For the log. */
  readonly about: object
}

/** Gives the message to its consumer. */
export function workOf(consumer: Consumer, message: Message, ref: Reference): Work {
  const { topic, group } = consumer
  return {
    attempt: (signal) => consumer.handle(message, { ref, signal }),
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

/**
 * Told of every message that cannot be read, before it is skipped: one bad message must not block
 * those behind it. A throw keeps the message; it is offered again, with waits. Default: an error in
 * the log.
 */
export type OnUnreadable = (raw: Unreadable, error: Error) => void | Promise<void>

export function logUnreadable(log: Log): OnUnreadable {
  return ({ topic, group, ref, body }, error) =>
    log.error(
      { topic, group, ref, bytes: body.byteLength, err: error },
      'unreadable message skipped',
    )
}

/** Reports the unreadable message and thereby skips it. */
export function workOfUnreadable(
  onUnreadable: OnUnreadable,
  raw: Unreadable,
  error: unknown,
): Work {
  const reason = error instanceof Error ? error : new Error(String(error))
  const { topic, group, ref } = raw
  return { attempt: () => onUnreadable(raw, reason), about: { topic, group, ref } }
}

/** How the messages of one channel or partition are handled. */
export interface Handling {
  readonly log: Log
  readonly backoff: Backoff
  /** How many handlers of the subscription may run at once; a waiting retry takes no slot. */
  readonly slots: Slots
  /** Aborted when no further attempt may start: closing, or the partition is somebody else's. */
  readonly stop: AbortSignal
  /** The handler's own signal: aborted when waiting for it is over. */
  readonly signal: AbortSignal
}

/**
 * Makes attempts until one does not throw, with growing waits between them; what comes behind waits
 * too, so that the order stands. False when it was stopped before.
 */
export async function untilDone(work: Work, handling: Handling): Promise<boolean> {
  const { stop, signal, slots, log, backoff } = handling
  for (let failures = 0; !stop.aborted; failures++) {
    try {
      return await slots.run(async () => {
        if (stop.aborted) return false
        await work.attempt(signal)
        return true
      })
    } catch (error) {
      const waitMs = backoffMs(backoff, failures)
      log.warn(
        { ...work.about, failures: failures + 1, err: error },
        `handler failed; the message is tried again in ${waitMs} ms`,
      )
      await sleep(waitMs, stop)
    }
  }
  return false
}
