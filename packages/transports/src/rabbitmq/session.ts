import type { AMQPChannel, AMQPMessage } from '@cloudamqp/amqp-client'
import type { Consumer, Log } from '@posthorn/engine'
import { drain } from '../draining.ts'
import {
  untilDone,
  workOf,
  workOfUnreadable,
  type Handling,
  type OnUnreadable,
  type Reading,
  type Work,
} from '../handling.ts'
import type { Session } from '../subscribing.ts'
import { within, type Slots } from '../waiting.ts'
import { bodyOf, fromDelivery, headersOf } from './wire.ts'

export interface QueueSessionOptions extends Reading {
  readonly consumer: Consumer
  readonly queue: string
  readonly log: Log
  readonly slots: Slots
  readonly onUnreadable: OnUnreadable
}

/** For the broker's answer to our closing the channel. */
const CLOSE_MS = 1_000

/**
 * Handles what arrives on one channel. Messages of one key wait for each other, also for the retries
 * of one that fails; nothing is put back into the queue for a retry, since that would change the
 * order. What was not acknowledged when the channel ends comes again, here or elsewhere.
 */
export class QueueSession implements Session {
  readonly #channel: AMQPChannel
  readonly #options: QueueSessionOptions
  readonly #handling: Handling
  readonly #stop = new AbortController()
  readonly #abandon = new AbortController()
  /** The last piece of work of each key; as many as the prefetch at most. */
  readonly #lanes = new Map<string, Promise<void>>()
  readonly #inHand = new Set<Promise<void>>()
  readonly #ended = Promise.withResolvers<void>()
  readonly lost = this.#ended.promise

  private constructor(channel: AMQPChannel, options: QueueSessionOptions) {
    const { log, slots, backoff } = options
    this.#channel = channel
    this.#options = options
    this.#handling = {
      log,
      slots,
      backoff,
      stop: this.#stop.signal,
      signal: this.#abandon.signal,
    }
  }

  /** Begins to receive. */
  static async open(channel: AMQPChannel, options: QueueSessionOptions): Promise<QueueSession> {
    const session = new QueueSession(channel, options)
    const consuming = await channel.basicConsume(options.queue, { noAck: false }, (raw) =>
      session.#take(raw),
    )
    consuming.wait().then(session.#ended.resolve, () => session.#ended.resolve())
    return session
  }

  /** No further attempt begins, and handlers that still run hear of it. */
  abandon(): void {
    this.#stop.abort()
    this.#abandon.abort()
  }

  /**
   * Waits for the messages in hand, then closes the channel. Not the other way round: with the
   * consumer gone the broker would already give the next messages to another member.
   */
  async finish(): Promise<void> {
    const { log, queue, drainMs } = this.#options
    this.#stop.abort()
    await drain(Promise.all(this.#inHand), drainMs, {
      abandon: () => this.#abandon.abort(),
      onLeftBehind: () => log.warn({ queue }, 'closed although a handler still runs'),
    })
    await within(
      this.#channel.close().catch(() => undefined),
      CLOSE_MS,
      () => undefined,
    )
  }

  #take(raw: AMQPMessage): void {
    if (this.#stop.signal.aborted) return
    const { lane, work } = this.#workFor(raw)
    const before = lane === undefined ? undefined : this.#lanes.get(lane)
    const running = (before ?? Promise.resolve())
      .then(() => untilDone(work, this.#handling))
      .then((done) => (done ? raw.ack() : undefined))
      // The channel is gone: the message comes again.
      .catch(() => undefined)
      .finally(() => {
        this.#inHand.delete(running)
        if (lane !== undefined && this.#lanes.get(lane) === running) this.#lanes.delete(lane)
      })
    this.#inHand.add(running)
    if (lane !== undefined) this.#lanes.set(lane, running)
  }

  #workFor(raw: AMQPMessage): { lane: string | undefined; work: Work } {
    const { consumer, queue, onUnreadable } = this.#options
    const { topic, group } = consumer
    const ref = { queue, deliveryTag: raw.deliveryTag }
    try {
      const message = fromDelivery(raw)
      return { lane: message.key, work: workOf(consumer, message, ref) }
    } catch (error) {
      const unreadable = { topic, group, ref, headers: headersOf(raw), body: bodyOf(raw) }
      return { lane: undefined, work: workOfUnreadable(onUnreadable, unreadable, error) }
    }
  }
}
