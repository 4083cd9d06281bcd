import type { FastifyBaseLogger } from 'fastify'
import { meet, planOf, type Fault, type FaultOrder, type FaultPlan } from './fault.ts'
import { HeldConnections } from './http/held-connections.ts'

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
