import { type ConsumerBatch, type Log } from '@posthorn/engine'
import { backOff, sleep, type Semaphore, type SetAsideStore } from '@posthorn/engine/internal'
import { isBatchWork, untilAllDone, type BatchWork } from './batch.ts'
import type { Failures } from './failures.ts'
import { untilDone, type Handling, type Work } from './handling.ts'
import { AGAIN } from '../timing.ts'

export interface ReaderOptions {
  readonly log: Log
  readonly failures: Failures
  /** Shared by all partitions of the subscription. */
  readonly slots: Semaphore
  /** Called when more messages should be fetched. */
  readonly onHungry: () => void
  /** Called when the reader waits for its offset to be committed. */
  readonly onDirty: () => void
  /** When fewer messages than this are waiting, it is time to fetch. */
  readonly lowWater: number
  /** Where messages may be handled together. */
  readonly batch?: ConsumerBatch | undefined
}

export interface Received {
  readonly offset: number
  readonly work: Work
}

interface Together {
  readonly offset: number
  readonly work: BatchWork
}

/**
 * No reader is further than this ahead of what is committed. So, when a process dies, what it died of
 * is among as many messages after the place where the next one begins.
 */
const AHEAD = 250

/**
 * Handles one partition's messages, one after the other, or as many together as its consumer takes.
 * It fetches and commits nothing: it is given messages, and asked how far it has come.
 */
export class PartitionReader {
  readonly partition: number
  /** The fence under which the partition is held, where there is one. */
  readonly token: number
  /** Everything below is done. */
  done: number
  /** Everything below is known to the server as done; see `wasCommitted`. */
  committed: number
  /** Where to fetch next. */
  next: number
  readonly #options: ReaderOptions
  readonly #handling: Handling
  readonly #waiting: Received[] = []
  readonly #stop = new AbortController()
  readonly #abandon = new AbortController()
  #running: Promise<void> | undefined
  #wake = (): void => undefined
  /** Set aside by a process that could not acknowledge them any more. */
  #kept: ReadonlySet<number> = new Set()
  /** Below this, the last process to read may have died of a message. */
  #suspectUpto = 0
  /** What this process has noted for the next one; undefined before and after. */
  #notedUpto: number | undefined
  #opened = false

  constructor(from: { partition: number; offset: number; token?: number }, options: ReaderOptions) {
    const { log, failures, slots } = options
    this.partition = from.partition
    this.token = from.token ?? 0
    this.done = this.committed = this.next = from.offset
    this.#options = options
    this.#handling = {
      log,
      failures,
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
    this.#wake()
    await this.#running
    if (!this.#abandon.signal.aborted) await this.#forgetRun()
  }

  /** The partition belongs to another member, or waiting is over: the handler's signal is aborted. */
  abandon(): void {
    this.#stop.abort()
    this.#abandon.abort()
    this.#wake()
  }

  /** The server knows that everything below is done. */
  wasCommitted(offset: number): void {
    this.committed = offset
    this.#wake()
    if (this.#notedUpto !== undefined && offset >= this.#notedUpto) void this.#forgetRun()
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
      if (!this.#opened) await this.#open(received.offset)
      await this.#beforeTooFarAhead(received.offset)
      const together = this.#gather(received)
      if (together.length > 0) await this.#handleAll(together)
      else if (this.#kept.has(received.offset) || (await this.#handle(received))) {
        this.#advance(received.offset + 1)
      }
    }
  }

  #advance(to: number): void {
    if (!this.#abandon.signal.aborted) this.done = to
  }

  /** What is handled together with a message: those right behind it, as far as nothing is special. */
  #gather(first: Received): Together[] {
    const { batch, onHungry, lowWater } = this.#options
    const together: Together[] = []
    if (!batch) return together
    for (let next: Received | undefined = first; next; next = this.#waiting[0]) {
      const { offset, work } = next
      const isPlain =
        offset >= this.#suspectUpto &&
        offset - this.committed < AHEAD &&
        !this.#kept.has(offset) &&
        isBatchWork(work)
      if (!isPlain || together.length === batch.size) break
      together.push({ offset, work })
      if (next !== first) this.#waiting.shift()
    }
    if (this.#waiting.length < lowWater) onHungry()
    return together
  }

  async #handleAll(together: readonly Together[]): Promise<void> {
    const { batch } = this.#options
    if (!batch) return
    const works = together.map(({ work }) => work)
    const done = await untilAllDone(works, this.#handling, batch)
    const open = done.indexOf(false)
    const last = together.at(open < 0 ? -1 : open - 1)
    if (open !== 0 && last) this.#advance(last.offset + 1)
  }

  #handle({ offset, work }: Received): Promise<boolean> {
    const suspect = offset < this.#suspectUpto
    return untilDone(suspect ? { ...work, suspect } : work, this.#handling)
  }

  /** Learns what is set aside, and leaves a note for the case that this process does not come back. */
  async #open(offset: number): Promise<void> {
    const { store } = this.#options.failures
    if (!store) this.#opened = true
    else await this.#learn(offset, store)
  }

  async #learn(offset: number, store: SetAsideStore): Promise<void> {
    const { failures, log } = this.#options
    for (let tries = 0; !this.#opened && !this.stopped; tries++) {
      try {
        const { keys, offsets, suspectUpto } = await store.open(this.partition, offset)
        failures.remember(keys)
        this.#kept = new Set(offsets)
        this.#suspectUpto = suspectUpto ?? 0
        const upto = Math.max(offset + AHEAD, this.#suspectUpto)
        await store.noteRun(this.partition, upto)
        this.#notedUpto = upto
        this.#opened = true
      } catch (error) {
        const waitMs = backOff(tries, AGAIN)
        log.warn(
          { partition: this.partition, err: error },
          `what is set aside of a partition could not be read; trying again in ${waitMs} ms`,
        )
        await sleep(waitMs, this.#stop.signal)
      }
    }
  }

  async #beforeTooFarAhead(offset: number): Promise<void> {
    while (!this.stopped && this.done > this.committed && offset - this.committed >= AHEAD) {
      const committed = new Promise<void>((resolve) => (this.#wake = resolve))
      this.#options.onDirty()
      await committed
    }
  }

  async #forgetRun(): Promise<void> {
    const { failures, log } = this.#options
    if (this.#notedUpto === undefined) return
    this.#notedUpto = undefined
    // One that stays only makes the next reader more careful.
    await failures.store
      ?.forgetRun(this.partition)
      .catch((error: unknown) =>
        log.debug(
          { err: error },
          'note of a run not deleted; the next reader handles its messages one by one',
        ),
      )
  }
}
