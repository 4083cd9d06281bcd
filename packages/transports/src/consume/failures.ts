import {
  DeliveryError,
  exponential,
  toMs,
  type Consumer,
  type Duration,
  type RetryPolicy,
} from '@posthorn/engine'
import {
  SetAsideStore,
  type ConsumedMessage,
  type DeadLetter,
  type Failed,
  Semaphore,
} from '@posthorn/engine/internal'
import type { Pool } from 'pg'
import { TransportError } from '../errors.ts'

/** Keeps a dead letter. Its message is acknowledged once this resolves; a throw is repeated. */
export type DeadLetterSink = (letter: DeadLetter) => void | Promise<void>

/** What all transports let one choose about reading. */
export interface ReadingOptions {
  /**
   * Where messages go that a consumer cannot handle: a database with the engine's tables, or, for a
   * process without one, a function. Needed to subscribe.
   */
  readonly deadLetters?: Pool | DeadLetterSink
  /** For consumers that name none. Default 10 attempts after 1, 2, 4 … 256 s. */
  readonly retry?: RetryPolicy
  /** The longest wait between attempts that holds up what is behind; for more it is set aside. Default 2 s. */
  readonly hold?: Duration
  /** How often a consumer looks for due messages that another process has set aside. Default 30 s. */
  readonly retryPoll?: Duration
  /** How long `close` waits for messages in hand before it aborts their signal. Default 10 s. */
  readonly drain?: Duration
}

const RETRY = exponential('1s', { max: '5m', attempts: 10 })

export interface Reading {
  readonly deadLetters: Pool | DeadLetterSink
  readonly retry: RetryPolicy
  readonly holdMs: number
  readonly retryPollMs: number
  readonly drainMs: number
}

/** The choices with their defaults, in milliseconds. */
export function readingOf(options: ReadingOptions): Reading {
  const { deadLetters, retry = RETRY, hold = '2s', retryPoll = '30s', drain = '10s' } = options
  if (deadLetters === undefined) {
    throw new TransportError(
      'DEAD_LETTERS_MISSING',
      'to subscribe, the transport needs `deadLetters`: a pool, or a function that keeps them',
    )
  }
  return {
    deadLetters,
    retry,
    holdMs: toMs(hold),
    retryPollMs: toMs(retryPoll),
    drainMs: toMs(drain),
  }
}

/** Processes that a message may take with it while it is handled alone. */
export const LOST_LIMIT = 3

/** What may have killed the last process is handled alone in the whole of this one. */
export const suspectSlot = new Semaphore(1)

/** What a subscription does with messages that its handler does not take. */
export interface Failures {
  readonly retry: RetryPolicy
  /** Waits up to this are made in place; without a store all are. */
  readonly holdMs: number
  /** Undefined where a function keeps the dead letters: nothing can be set aside. */
  readonly store: SetAsideStore | undefined
  isReachable(): Promise<boolean>
  /** Knows again which keys have messages set aside. */
  remember(keys: Iterable<string>): void
  /** True if the message is behind another of its key now, and need not be handled here. */
  park(received: ConsumedMessage): Promise<boolean>
  retryLater(received: ConsumedMessage, failed: Failed, delayMs: number): Promise<true>
  bury(received: ConsumedMessage, failed: Failed): Promise<void>
  /** Runs the attempt of a suspect: alone, with a note that outlives this process. */
  alone(received: ConsumedMessage, attempt: () => Promise<void>): Promise<void>
}

export interface FailuresOptions {
  /**
   * True where the next message of a key may come to any member of the group: then what one of them
   * has set aside is known from the database alone, and asked for with every message that has a key.
   */
  readonly sharesKeys?: boolean
}

/** Throws `DEAD_LETTERS_MISSING` for a consumer that blocks keys without a database to do it in. */
export function failuresOf(
  consumer: Consumer,
  reading: Reading,
  { sharesKeys = false }: FailuresOptions = {},
): Failures {
  const { deadLetters } = reading
  const retry = consumer.retry ?? reading.retry
  if (typeof deadLetters === 'function') return sinkFailures(consumer, retry, deadLetters)
  const store = new SetAsideStore(deadLetters, consumer)
  const blocks = consumer.dead === 'block'
  const keys = new Set<string>()
  return {
    retry,
    holdMs: reading.holdMs,
    store,
    isReachable: () => store.isReachable(),
    remember: (held) => {
      for (const key of held) keys.add(key)
    },
    async park(received) {
      const key = received.message?.key
      if (key === undefined || !(sharesKeys || keys.has(key))) return false
      const parked = await store.park(received)
      if (!parked) keys.delete(key)
      return parked
    },
    async retryLater(received, failed, delayMs) {
      await store.retryLater(received, failed, delayMs)
      if (received.message?.key !== undefined) keys.add(received.message.key)
      return true
    },
    async bury(received, failed) {
      await store.bury(received, failed)
      if (failed.failure.code === 'CONSUMER_LOST') await store.forget(placeOf(received))
      if (blocks && received.message?.key !== undefined) keys.add(received.message.key)
    },
    alone: (received, attempt) =>
      suspectSlot.run(async () => {
        const place = placeOf(received)
        const lost = await store.suspect(place)
        // The note is forgotten once the dead letter is kept.
        if (lost > LOST_LIMIT) throw fatal(LOST_LIMIT)
        try {
          await attempt()
        } finally {
          await store.forget(place)
        }
      }),
  }
}

/** A message that ends because processes did not survive it. */
export function fatal(lost: number): DeliveryError {
  return new DeliveryError(
    'CONSUMER_LOST',
    `${lost} processes in a row died while handling this message alone.`,
    { retryable: false },
  )
}

function placeOf({ id, place }: ConsumedMessage): string {
  return place ? `${place.partition}/${place.offset}` : `id/${id}`
}

function sinkFailures(
  { topic, group, dead }: Consumer,
  retry: RetryPolicy,
  sink: DeadLetterSink,
): Failures {
  if (dead === 'block') {
    throw new TransportError(
      'DEAD_LETTERS_MISSING',
      `consumer ${group} of ${topic} blocks keys: that needs a pool as deadLetters`,
    )
  }
  return {
    retry,
    holdMs: Number.POSITIVE_INFINITY,
    store: undefined,
    isReachable: async () => true,
    remember: () => undefined,
    park: async () => false,
    retryLater: async () => true,
    async bury(received, failed) {
      await sink({ ...received, ...failed, topic, group })
    },
    alone: (_, attempt) => attempt(),
  }
}
