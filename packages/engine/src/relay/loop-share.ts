import { performance, type EventLoopUtilization } from 'node:perf_hooks'

/** Of the event loop's time, what all relays of a process leave to the rest. */
const LEFT = 0.5

/** Shorter times say little. */
const MEASURED_MS = 50

/** Too short a pause is not worth its timer. */
const SHORTEST_REST_MS = 4
const LONGEST_REST_MS = 250

export interface LoopShareOptions {
  readonly now?: () => number
  /** How busy the event loop was since it was asked last, from 0 to 1. */
  readonly busy?: () => number
}

/**
 * How long an outbox rests behind a claim where the process has more urgent things to do: twice as long each
 * time that the event loop was too busy, and half as long when it was not. Batches one after the other
 * would keep a request waiting at each of its steps.
 */
export class LoopShare {
  readonly #now: () => number
  readonly #busy: () => number
  #measuredAt: number
  #restMs = 0

  constructor({ now = () => performance.now(), busy = busyMeter() }: LoopShareOptions = {}) {
    this.#now = now
    this.#busy = busy
    this.#measuredAt = now()
  }

  restMs(): number {
    const now = this.#now()
    if (now - this.#measuredAt >= MEASURED_MS) {
      this.#measuredAt = now
      this.#restMs = this.#busy() > 1 - LEFT ? longer(this.#restMs) : shorter(this.#restMs)
    }
    return this.#restMs
  }
}

function longer(ms: number): number {
  return Math.min(Math.max(2 * ms, SHORTEST_REST_MS), LONGEST_REST_MS)
}

function shorter(ms: number): number {
  return ms / 2 < SHORTEST_REST_MS ? 0 : ms / 2
}

function busyMeter(): () => number {
  let before: EventLoopUtilization = performance.eventLoopUtilization()
  return () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    return utilization
  }
}
