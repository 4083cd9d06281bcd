import { type Consumer, type Log, type Message, type ConsumerBatch } from '@posthorn/engine'
import {
  type Reference,
  type SetAsideStore,
  backOff,
  Semaphore,
  sleep,
} from '@posthorn/engine/internal'
import { isBatchWork, untilAllDone, type BatchWork } from '../consume/batch.ts'
import { AGAIN, drain, within } from '../timing.ts'
import {
  failuresOf,
  type Failures,
  type FailuresOptions,
  type Reading,
} from '../consume/failures.ts'
import {
  untilDone,
  workOf,
  workOfUnreadable,
  type Handling,
  type Work,
} from '../consume/handling.ts'
import { runSetAside, type SetAsideRunner } from '../consume/set-aside-runner.ts'
import type { Session } from '../consume/subscription.ts'

/** A message as a queue gives it to one consumer. */
export interface Incoming {
  readonly ref: Reference
  /** The broker says so itself: given to a consumer before, which ended without an answer. */
  readonly redelivered: boolean
  /** Throws where it is no message. */
  read(): Message
  /** What is kept of it where it is none; `id` is the same when the same comes again. */
  raw(): { id: string; headers: Readonly<Record<string, string>>; body: Uint8Array }
  /** Ends it; it is not given again. */
  ack(): void | Promise<void>
}

/** A queue of a broker, read on one channel or connection. */
export interface Queue {
  readonly name: string
  /** Begins to give messages to `take`; `ended` resolves when no more come, through no will of ours. */
  open(take: (incoming: Incoming) => void): Promise<{ readonly ended: Promise<void> }>
  /** No message is given any more, and what was not acknowledged comes again. */
  close(): Promise<void>
}

export interface QueueSessionOptions extends Reading, FailuresOptions {
  readonly consumer: Consumer
  readonly log: Log
  /** Handlers at once. */
  readonly concurrency: number
}

/** For the broker's answer to our closing the channel. */
const CLOSE_MS = 1_000

/**
 * Handles what arrives on one channel. Messages of one key wait for each other, also for the retries
 * of one that fails; nothing is put back into the queue for a retry, since that would change the
 * order. What was not acknowledged when the channel ends comes again, here or elsewhere.
 */
export class QueueSession implements Session {
  readonly #queue: Queue
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

  private constructor(queue: Queue, options: QueueSessionOptions) {
    const { consumer, log, concurrency } = options
    this.#failures = failuresOf(consumer, options, options)
    this.#queue = queue
    this.#options = options
    this.#handling = {
      log,
      // Its own: a handler left over from the session before must not hold a slot here.
      slots: new Semaphore(concurrency),
      failures: this.#failures,
      stop: this.#stop.signal,
      signal: this.#abandon.signal,
    }
    this.#gatherer = consumer.batch && createGatherer(this.#handling, consumer.batch, concurrency)
  }

  /** Begins to receive. */
  static async open(queue: Queue, options: QueueSessionOptions): Promise<QueueSession> {
    const session = new QueueSession(queue, options)
    const { ended } = await queue.open((incoming) => session.#take(incoming))
    session.#retrying = runSetAside({ ...options, failures: session.#failures })
    void ended.then(session.#ended.resolve)
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
    const { log, drainMs } = this.#options
    const { name: queue } = this.#queue
    this.#stop.abort()
    const retried = this.#retrying?.close()
    await drain(Promise.all(this.#inHand), drainMs, {
      abandon: () => this.#abandon.abort(),
      ...{ log, about: { queue } },
    })
    await retried
    await within(
      this.#queue.close().catch(() => undefined),
      CLOSE_MS,
      () => undefined,
    )
  }

  #take(incoming: Incoming): void {
    if (this.#stop.signal.aborted) return
    const { lane, work } = this.#workFor(incoming)
    const before = lane === undefined ? undefined : this.#lanes.get(lane)
    const running = (before ?? Promise.resolve())
      .then(() => this.#handle(incoming, work))
      .then((done) => (done ? incoming.ack() : undefined))
      // The channel is gone: the message comes again.
      .catch(() => undefined)
      .finally(() => {
        this.#inHand.delete(running)
        if (lane !== undefined && this.#lanes.get(lane) === running) this.#lanes.delete(lane)
      })
    this.#inHand.add(running)
    if (lane !== undefined) this.#lanes.set(lane, running)
  }

  #workFor(incoming: Incoming): { lane: string | undefined; work: Work } {
    const { consumer } = this.#options
    const { ref, redelivered: suspect } = incoming
    try {
      const message = incoming.read()
      return { lane: message.key, work: workOf(consumer, message, { ref, suspect }) }
    } catch (error) {
      const { topic, group } = consumer
      const { id, headers, body } = incoming.raw()
      const unreadable = { topic, group, ref, headers, body }
      return { lane: undefined, work: workOfUnreadable(unreadable, { id }, error) }
    }
  }

  async #handle({ redelivered }: Incoming, work: Work): Promise<boolean> {
    await (this.#opening ??= this.#open())
    if (this.#stop.signal.aborted) return false
    // Set aside by a process that could not acknowledge it any more.
    if (redelivered && (await this.#isKept(work.received.id))) return true
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
        const { log } = this.#options
        const { name: queue } = this.#queue
        log.warn({ queue, err: error }, 'set-aside messages could not be read; trying again')
        await sleep(backOff(tries, AGAIN), this.#stop.signal)
      }
    }
    return undefined
  }
}

/** Lets messages that arrive one by one be handled together. */
interface Gatherer {
  /** Whether the message may be acknowledged. Two of one key must not be given at once. */
  handle(work: BatchWork): Promise<boolean>
}

/** Up to `concurrency` batches run at once; what arrives meanwhile is the next one. */
function createGatherer(handling: Handling, batch: ConsumerBatch, concurrency: number): Gatherer {
  const waiting: { readonly work: BatchWork; readonly end: (done: boolean) => void }[] = []
  let running = 0
  let isScheduled = false

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    // What came with one packet is here by then.
    setImmediate(() => {
      isScheduled = false
      while (running < concurrency && waiting.length > 0) void runNext()
    })
  }

  async function runNext(): Promise<void> {
    const next = waiting.splice(0, batch.size)
    running++
    try {
      const works = next.map(({ work }) => work)
      const done = await untilAllDone(works, handling, batch)
      next.forEach(({ end }, i) => end(done[i] ?? false))
    } catch {
      // The channel keeps what was not acknowledged.
      for (const { end } of next) end(false)
    } finally {
      running--
      schedule()
    }
  }

  return {
    handle: (work) =>
      new Promise((resolve) => {
        waiting.push({ work, end: resolve })
        schedule()
      }),
  }
}
