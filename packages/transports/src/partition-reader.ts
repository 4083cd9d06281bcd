import type { Log } from '@posthorn/engine'
import { untilDone, type Handling, type Work } from './handling.ts'
import type { Backoff, Slots } from './waiting.ts'

export interface ReaderOptions {
  readonly log: Log
  readonly backoff: Backoff
  /** Shared by all partitions of the subscription. */
  readonly slots: Slots
  /** Called when more messages should be fetched. */
  readonly onHungry: () => void
  /** When fewer messages than this are waiting, it is time to fetch. */
  readonly lowWater: number
}

export interface Received {
  readonly offset: number
  readonly work: Work
}

/**
 * Handles one partition's messages, one after the other. It does no I/O of its own: it is given
 * messages, and asked how far it has come.
 */
export class PartitionReader {
  readonly partition: number
  /** The fence under which the partition is held, where there is one. */
  readonly token: number
  /** Everything below is done. */
  done: number
  /** Everything below is known to the server as done. */
  committed: number
  /** Where to fetch next. */
  next: number
  readonly #options: ReaderOptions
  readonly #handling: Handling
  readonly #waiting: Received[] = []
  readonly #stop = new AbortController()
  readonly #abandon = new AbortController()
  #running: Promise<void> | undefined

  constructor(from: { partition: number; offset: number; token?: number }, options: ReaderOptions) {
    const { log, backoff, slots } = options
    this.partition = from.partition
    this.token = from.token ?? 0
    this.done = this.committed = this.next = from.offset
    this.#options = options
    this.#handling = {
      log,
      backoff,
      slots,
      stop: this.#stop.signal,
      signal: this.#abandon.signal,
    }
  }

  get hungry(): boolean {
    return this.#waiting.length < this.#options.lowWater && !this.stopped
  }

  /** Takes what was fetched; `next` is where the next fetch begins. */
  give(received: readonly Received[], next: number): void {
    this.#waiting.push(...received)
    this.next = next
    this.#running ??= this.#work().finally(() => (this.#running = undefined))
  }

  /** Resolves when the message in hand is done; no other is begun. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  /** The partition is somebody else's, or waiting is over: the handler's signal is aborted. */
  abandon(): void {
    this.#stop.abort()
    this.#abandon.abort()
  }

  get stopped(): boolean {
    return this.#stop.signal.aborted
  }

  /** Stopped, and no handler runs any more. */
  get drained(): boolean {
    return this.stopped && this.#running === undefined
  }

  async #work(): Promise<void> {
    const { onHungry, lowWater } = this.#options
    while (!this.stopped) {
      const received = this.#waiting.shift()
      if (received === undefined) return
      if (this.#waiting.length === 0 || this.#waiting.length === lowWater - 1) onHungry()
      const done = await untilDone(received.work, this.#handling)
      if (done && !this.#abandon.signal.aborted) this.done = received.offset + 1
    }
  }
}
