import { backOff } from '../back-off.ts'
import type { Pool } from 'pg'
import type { Bell, Ring } from '../database/bell.ts'
import type { Log } from '../log.ts'
import { sleep } from '../sleep.ts'
import type { Relay, WatchedRelay } from './relay.ts'

export interface SleepOptions {
  readonly afterMs: number
  readonly atMostMs: number
  /** What rings when this process enqueues. */
  readonly bells: readonly Bell[]
  /** Its idle connections end by its own `idleTimeoutMillis`. */
  readonly pool: Pool
  readonly log: Log
}

const AGAIN = { firstMs: 250, mostMs: 30_000 }

/**
 * A relay that stops while there is nothing to do, and starts again when there is. Asleep it has no session, no
 * listener and no tasks: this process's bells and one timer wake it.
 */
export function sleepyRelay(relay: WatchedRelay, options: SleepOptions): Relay {
  const sleeper = new Sleeper(relay, options)
  const sleepy: Relay = {
    ...relay,
    async start() {
      if (options.pool.options.idleTimeoutMillis === 0) {
        options.log.warn(
          { relay: relay.name },
          'the sleeping relay keeps its connections: idleTimeoutMillis of the pool is 0',
        )
      }
      await relay.start()
      sleeper.begin()
    },
    async stop() {
      await sleeper.end()
      await relay.stop()
    },
    run: ({ signal }) => runUntil(signal, sleepy),
    wake() {
      sleeper.wake()
      relay.wake()
    },
    async drain(order) {
      await sleeper.awaken()
      return relay.drain(order)
    },
    async runOnce() {
      await sleeper.awaken()
      return relay.runOnce()
    },
  }
  return sleepy
}

/** `start`, then `stop` when the signal aborts. */
export async function runUntil(
  signal: AbortSignal,
  relay: Pick<Relay, 'start' | 'stop'>,
): Promise<void> {
  const aborted = new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  await Promise.race([relay.start(), aborted])
  await aborted
  await relay.stop()
}

class Sleeper {
  readonly #relay: WatchedRelay
  readonly #options: SleepOptions
  #over = new AbortController()
  #keeping: Promise<void> | undefined
  /** Whatever may mean that there is work. */
  #rings = 0
  #rungAt = 0
  #alarm = new AbortController()
  /** Settled while it is awake. */
  #awake = Promise.withResolvers<void>()
  #isStarting = false
  /** Of transactions that had not ended when they rang: the relay has to look for them. */
  readonly #armed = new Set<Bell>()

  constructor(relay: WatchedRelay, options: SleepOptions) {
    this.#relay = relay
    this.#options = options
  }

  begin(): void {
    if (this.#keeping) return
    this.#over = new AbortController()
    this.#awake.resolve()
    const unhear = this.#options.bells.map((bell) => bell.listen((ring) => this.#hear(bell, ring)))
    this.#keeping = this.#keep(this.#over.signal).finally(() => {
      unhear.forEach((stop) => stop())
      this.#awake.resolve()
    })
  }

  async end(): Promise<void> {
    this.#over.abort()
    // It may wait for a database that is away.
    if (this.#isStarting) await this.#relay.stop()
    await this.#keeping
    this.#keeping = undefined
  }

  wake(): void {
    this.#rings += 1
    this.#rungAt = performance.now()
    this.#alarm.abort()
  }

  /** Resolves once it is awake. */
  async awaken(): Promise<void> {
    this.wake()
    if (this.#keeping) await this.#awake.promise
  }

  #hear(bell: Bell, ring: Ring): void {
    if (ring === 'arm') this.#armed.add(bell)
    this.wake()
  }

  async #keep(signal: AbortSignal): Promise<void> {
    const { atMostMs, log } = this.#options
    for (;;) {
      const dueInMs = await this.#findIdle(signal)
      if (dueInMs === undefined) return
      this.#alarm = new AbortController()
      this.#awake = Promise.withResolvers()
      this.#armed.clear()
      const wakesAt = performance.now() + Math.min(dueInMs, atMostMs)
      await this.#relay.stop()
      log.info(
        { relay: this.#relay.name, mostMs: Math.round(wakesAt - performance.now()) },
        'relay asleep',
      )
      const waitMs = Math.max(wakesAt - performance.now(), 0)
      await sleep(waitMs, AbortSignal.any([signal, this.#alarm.signal]))
      await this.#start(signal)
      this.#awake.resolve()
      if (signal.aborted) return
      log.info({ relay: this.#relay.name }, 'relay awake')
      // Heard by the relay, which looks for the transaction now.
      for (const bell of [...this.#armed]) bell.arm()
    }
  }

  /** Waits until there has been no work for long. Returns the time until there is; undefined once it is over. */
  async #findIdle(signal: AbortSignal): Promise<number | undefined> {
    const { afterMs } = this.#options
    const awakeAt = performance.now()
    for (let waitMs = afterMs; ;) {
      await sleep(waitMs, signal)
      if (signal.aborted) return undefined
      const workedAt = Math.max(awakeAt, this.#rungAt, this.#relay.workedAt())
      waitMs = afterMs - (performance.now() - workedAt)
      if (waitMs > 0) continue
      waitMs = afterMs
      const rings = this.#rings
      // Without an answer it stays awake.
      const dueInMs = await this.#relay.look().catch(() => 0)
      if (signal.aborted) return undefined
      if (dueInMs > afterMs && rings === this.#rings) return dueInMs
    }
  }

  async #start(signal: AbortSignal): Promise<void> {
    const { log } = this.#options
    this.#isStarting = true
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        await this.#relay.start()
        break
      } catch (error) {
        const pauseMs = backOff(failures, AGAIN)
        log.error(
          { relay: this.#relay.name, err: error, pauseMs },
          'relay could not wake up; trying again',
        )
        await sleep(pauseMs, signal)
      }
    }
    this.#isStarting = false
  }
}
