import type { Ring } from '../database/bell.ts'

/** A transaction that was only announced is looked for this long … */
const ARMED_MS = 2_000
/** … first after this long, then after twice as long each time, up to the last. */
const FIRST_LOOK_MS = 1
const LAST_LOOK_MS = 50

/** Shortest sleep for something that is due and could not be claimed. */
const OVERDUE_MS = 5

/** Why a lane woke. */
export type Woken = 'ring' | 'timer'

/** When the lanes of one outbox sleep and what wakes them. It holds no data that may not be lost. */
export class LaneScheduler {
  /** The longest sleep. */
  readonly #mostMs: number
  #rings = 0
  #armed = 0
  #armedUntil = 0
  #lookMs = FIRST_LOOK_MS
  #notBefore = 0
  #stopped = false
  #wake: (() => void) | undefined
  readonly #pauses = new Set<() => void>()
  readonly #helpers: (() => void)[] = []

  constructor(mostMs = Infinity) {
    this.#mostMs = mostMs
  }

  ring(kind: Ring): void {
    this.#rings += 1
    if (kind === 'arm') {
      this.#armed += 1
      this.#armedUntil = performance.now() + ARMED_MS
      this.#lookMs = FIRST_LOOK_MS
    }
    this.#wake?.()
  }

  /** A mark for `heardSince`. */
  mark(): number {
    return this.#rings
  }

  hasRungSince(mark: number): boolean {
    return this.#rings !== mark
  }

  /** Messages that showed up are no longer looked for. */
  noteFound(messages: number): void {
    this.#armed = Math.max(this.#armed - messages, 0)
  }

  /** No lane may start before this long from now, even if woken. */
  notBefore(ms: number): void {
    this.#notBefore = performance.now() + ms
  }

  /** Sleeps until a ring, the due time or the next look; not at all if it rang since `mark`. */
  async sleep(mark: number, dueMs: number | undefined): Promise<Woken> {
    const blockedMs = this.#notBefore - performance.now()
    if (blockedMs > 0) {
      await this.pause(blockedMs)
      return 'timer'
    }
    const lookMs = this.#nextLook()
    // Due and yet not claimed: another relay has it. Pause before asking again.
    const due = dueMs === undefined ? Infinity : Math.max(dueMs, OVERDUE_MS)
    const ms = Math.min(this.#mostMs, due, lookMs ?? Infinity)
    const woken = await new Promise<Woken>((resolve) => {
      if (this.#stopped || this.hasRungSince(mark)) return resolve('ring')
      const timer = setTimeout(
        () => this.#resume(resolve, 'timer'),
        Math.min(Math.ceil(ms), 2 ** 31 - 1),
      )
      this.#wake = () => {
        clearTimeout(timer)
        this.#resume(resolve, 'ring')
      }
    })
    return lookMs !== undefined && ms === lookMs ? 'ring' : woken
  }

  #resume(resolve: (woken: Woken) => void, woken: Woken): void {
    this.#wake = undefined
    resolve(woken)
  }

  #nextLook(): number | undefined {
    if (this.#armed === 0) return undefined
    if (performance.now() > this.#armedUntil) {
      this.#armed = 0
      return undefined
    }
    const ms = this.#lookMs
    this.#lookMs = Math.min(this.#lookMs * 2, LAST_LOOK_MS)
    return ms
  }

  /** A pause that only `stop` cuts short. */
  async pause(ms: number): Promise<void> {
    if (this.#stopped) return
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer)
        this.#pauses.delete(end)
        resolve()
      }
      const timer = setTimeout(end, ms)
      this.#pauses.add(end)
    })
  }

  /** There is more than one lane can do: wakes those that wait in `helperCalled`. */
  callHelpers(): void {
    this.#helpers.splice(0).forEach((call) => call())
  }

  async awaitCall(): Promise<void> {
    if (this.#stopped) return
    await new Promise<void>((resolve) => void this.#helpers.push(resolve))
  }

  stop(): void {
    this.#stopped = true
    this.#wake?.()
    this.#pauses.forEach((done) => done())
    this.callHelpers()
  }
}
