import type { FastifyBaseLogger } from 'fastify'
import type { Socket } from 'node:net'
import { sleep } from '@posthorn/engine/internal'
import { meet, planOf, type Fault, type FaultOrder, type FaultPlan } from './fault.ts'

/** What every simulator gets from the common part, for any protocol. */
export interface World {
  readonly name: string
  readonly log: FastifyBaseLogger
  /** Ends when the server closes. */
  readonly ended: AbortSignal
  readonly waiting: HeldConnections
  /** What the next arrival meets. Every call counts against `after` and `times`. */
  nextFault(): Fault | undefined
  /** Runs `work` after the delay, unless the simulator is reset or the server closes. */
  later(delayMs: number, work: () => void | Promise<void>): void
  /** What the business clock shows. */
  now(): Promise<Date>
}

/** The world as the control API sees it. */
export interface ControlledWorld extends World {
  readonly plan: FaultPlan | undefined
  order(fault: FaultOrder): void
  forget(): void
}

export function createWorld(options: {
  name: string
  log: FastifyBaseLogger
  ended: AbortSignal
  now(): Promise<Date>
}): ControlledWorld {
  const { name, log, ended, now } = options
  const timers = new Set<NodeJS.Timeout>()
  let plan: FaultPlan | undefined

  const forgetTimers = () => {
    timers.forEach((timer) => clearTimeout(timer))
    timers.clear()
  }
  ended.addEventListener('abort', forgetTimers)

  return {
    name,
    log,
    ended,
    now,
    waiting: new HeldConnections(ended),
    get plan() {
      return plan
    },
    order(fault) {
      plan = planOf(fault)
    },
    nextFault() {
      // One step without a pause in it: of many at once, exactly `times` meet the fault.
      const { fault, next } = meet(plan)
      plan = next
      return fault
    },
    later(delayMs, work) {
      if (ended.aborted) return
      const timer = setTimeout(() => {
        timers.delete(timer)
        Promise.resolve()
          .then(work)
          .catch((error: unknown) => log.warn({ err: error, simulator: name }, 'simulator failed'))
      }, delayMs)
      timers.add(timer)
    },
    forget() {
      plan = undefined
      forgetTimers()
    },
  }
}

/** No request waits longer for an answer that never comes; a bound for connections, not a promise. */
const HANG_MS = 10 * 60_000

/** Keeps connections without an answer, and lets all of them go at the end. */
export class HeldConnections {
  readonly #ended: AbortSignal
  readonly #hangMs: number

  constructor(ended: AbortSignal, hangMs = HANG_MS) {
    this.#ended = ended
    this.#hangMs = hangMs
  }

  /** Resolves once the connection is gone: its client left, the end came, or ten minutes passed. */
  hang(socket: Socket): Promise<void> {
    return new Promise((resolve) => {
      const cut = () => socket.destroy()
      const timer = setTimeout(cut, this.#hangMs)
      this.#ended.addEventListener('abort', cut)
      const leave = () => {
        clearTimeout(timer)
        this.#ended.removeEventListener('abort', cut)
        resolve()
      }
      if (socket.destroyed) return leave()
      socket.once('close', leave)
      if (this.#ended.aborted) cut()
    })
  }

  /** Resolves after the delay, or at once when the end comes. */
  delay(ms: number): Promise<void> {
    return sleep(ms, this.#ended)
  }
}
