import type { Ring } from '../database/bell.ts'
import { sleep } from '../sleep.ts'

/** A transaction that was only announced is looked for this long … */
const ARMED_MS = 2_000
/** … first after this long, then after twice as long each time, up to the last. */
const FIRST_LOOK_MS = 1
const LAST_LOOK_MS = 50

/** Why a sleep ended: something rang, an announced transaction is looked for, or the time came. */
export type Woken = 'ring' | 'look' | 'timer'

/** What wakes the flow of an outbox. It holds no data that may not be lost. */
export class Alarm {
  #rings = 0
  #armed = 0
  #armedUntil = 0
  #lookMs = FIRST_LOOK_MS
  readonly #stopped = new AbortController()
  #wake = new AbortController()

  ring(kind: Ring): void {
    if (kind === 'arm') {
      this.#armed += 1
      this.#armedUntil = performance.now() + ARMED_MS
      this.#lookMs = FIRST_LOOK_MS
    }
    this.#rings += 1
    this.#wake.abort()
  }

  /** A mark for `sleep`. */
  mark(): number {
    return this.#rings
  }

  /** Messages that showed up are no longer looked for. */
  noteFound(messages: number): void {
    this.#armed = Math.max(this.#armed - messages, 0)
  }

  /** Sleeps until a ring, the due time or the next look; not at all if it rang since `mark`. */
  async sleep(mark: number, dueMs: number): Promise<Woken> {
    if (this.#rings !== mark || this.#stopped.signal.aborted) return 'ring'
    const lookMs = this.#nextLook()
    this.#wake = new AbortController()
    await sleep(Math.ceil(Math.min(dueMs, lookMs)), this.#wake.signal)
    if (this.#wake.signal.aborted) return 'ring'
    return lookMs <= dueMs ? 'look' : 'timer'
  }

  #nextLook(): number {
    if (performance.now() > this.#armedUntil) this.#armed = 0
    if (this.#armed === 0) return Infinity
    const ms = this.#lookMs
    this.#lookMs = Math.min(this.#lookMs * 2, LAST_LOOK_MS)
    return ms
  }

  /** A pause that only `stop` cuts short. */
  async pause(ms: number): Promise<void> {
    await sleep(ms, this.#stopped.signal)
  }

  stop(): void {
    this.#stopped.abort()
    this.#wake.abort()
  }
}
