import type { AMQPChannel, AMQPMessage } from '@cloudamqp/amqp-client'
import { type Consumer, type Log } from '@posthorn/engine'
import { sleep } from '@posthorn/engine/operate'
import type { SetAsideStore } from '@posthorn/engine/inbox'
import { isBatchWork } from '../batch.ts'
import { drain } from '../drain.ts'
import { failuresOf, type Failures, type Reading } from '../failures.ts'
import { createGatherer, type Gatherer } from '../gatherer.ts'
import { untilDone, workOf, workOfUnreadable, type Handling, type Work } from '../handling.ts'
import { runSetAside, type SetAsideRunner } from '../set-aside-runner.ts'
import type { Session } from '../subscription.ts'
import { backoffMs, within, type Slots } from '../timing.ts'
import { bodyOf, fromDelivery, headersOf, unreadableId } from './wire.ts'

export interface QueueSessionOptions extends Reading {
  readonly consumer: Consumer
  readonly queue: string
  readonly log: Log
  readonly slots: Slots
  readonly concurrency: number
}

/** For the broker's answer to our closing the channel. */
const CLOSE_MS = 1_000
const AGAIN = { firstMs: 200, maxMs: 5_000 }

/**
 * Handles what arrives on one channel. Messages of one key wait for each other, also for the retries
 * of one that fails; nothing is put back into the queue for a retry, since that would change the
 * order. What was not acknowledged when the channel ends comes again, here or elsewhere.
 */
export class QueueSession implements Session {
  readonly #channel: AMQPChannel
  readonly #options: QueueSessionOptions
  readonly #handling: Handling
  readonly #failures: Failures
  readonly #gatherer: Gatherer | undefined
  #retrying: SetAsideRunner | undefined
  #opening: Promise<void> | undefined
  readonly #stop = new AbortController()
  readonly #abandon = new AbortController()
  /** The last piece of work of each key; as many as the prefetch at most. */
  readonly #lanes = new Map<string, Promise<void>>()
  readonly #inHand = new Set<Promise<void>>()
  readonly #ended = Promise.withResolvers<void>()
  readonly lost = this.#ended.promise

  private constructor(channel: AMQPChannel, options: QueueSessionOptions) {
    const { log, slots } = options
    this.#failures = failuresOf(options.consumer, options)
    this.#channel = channel
    this.#options = options
    this.#handling = {
      log,
      slots,
      failures: this.#failures,
      stop: this.#stop.signal,
      signal: this.#abandon.signal,
    }
    const { consumer, concurrency } = options
    this.#gatherer = consumer.batch && createGatherer(this.#handling, consumer.batch, concurrency)
  }

  /** Begins to receive. */
  static async open(channel: AMQPChannel, options: QueueSessionOptions): Promise<QueueSession> {
    const session = new QueueSession(channel, options)
    const consuming = await channel.basicConsume(options.queue, { noAck: false }, (raw) =>
      session.#take(raw),
    )
    session.#retrying = runSetAside({ ...options, failures: session.#failures })
    consuming.wait().then(session.#ended.resolve, () => session.#ended.resolve())
    return session
  }

  /** No further attempt begins, and handlers that still run hear of it. */
  async abandon(): Promise<void> {
    this.#stop.abort()
    this.#abandon.abort()
    await this.#retrying?.close()
  }

  /**
   * Waits for the messages in hand, then closes the channel. Not the other way round: with the
   * consumer gone the broker would already give the next messages to another member.
   */
  async finish(): Promise<void> {
    const { log, queue, drainMs } = this.#options
    this.#stop.abort()
    const retried = this.#retrying?.close()
    await drain(Promise.all(this.#inHand), drainMs, {
      abandon: () => this.#abandon.abort(),
      onLeftBehind: () =>
        log.warn({ queue }, 'closed while a handler still runs; its message is delivered again'),
    })
    await retried
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
      .then(() => this.#handle(raw, work))
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
    const { consumer, queue } = this.#options
    const { topic, group } = consumer
    const ref = { queue, deliveryTag: raw.deliveryTag }
    try {
      const message = fromDelivery(raw)
      // The broker says so itself: given to a channel that ended without an answer.
      const suspect = raw.redelivered
      return { lane: message.key, work: workOf(consumer, message, { ref, suspect }) }
    } catch (error) {
      const unreadable = { topic, group, ref, headers: headersOf(raw), body: bodyOf(raw) }
      const id = unreadableId(raw)
      return { lane: undefined, work: workOfUnreadable(unreadable, { id }, error) }
    }
  }

  async #handle(raw: AMQPMessage, work: Work): Promise<boolean> {
    await (this.#opening ??= this.#open())
    if (this.#stop.signal.aborted) return false
    // Set aside by a process that could not acknowledge it any more.
    if (raw.redelivered && (await this.#isKept(work.received.id))) return true
    if (this.#gatherer && isBatchWork(work)) return this.#gatherer.handle(work)
    return untilDone(work, this.#handling)
  }

  /** With the first message: a member that stands by must not know what was true when it came. */
  async #open(): Promise<void> {
    const known = await this.#insist((store) => store.open())
    this.#failures.remember(known?.keys ?? [])
  }

  async #isKept(id: string): Promise<boolean> {
    return (await this.#insist((store) => store.has(id))) ?? false
  }

  async #insist<Answer>(
    ask: (store: SetAsideStore) => Promise<Answer>,
  ): Promise<Answer | undefined> {
    const { store } = this.#failures
    if (!store) return undefined
    for (let tries = 0; !this.#stop.signal.aborted; tries++) {
      try {
        return await ask(store)
      } catch (error) {
        const { log, queue } = this.#options
        log.warn({ queue, err: error }, 'what is set aside could not be read; trying again')
        await sleep(backoffMs(AGAIN, tries), this.#stop.signal)
      }
    }
    return undefined
  }
}
