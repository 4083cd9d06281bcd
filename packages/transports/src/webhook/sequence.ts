import {
  retryLater,
  type Delivery,
  type ErrorCode,
  type Failure,
  type Outcome,
} from '@posthorn/engine'
import type { Job, EndpointQueue } from './endpoint-queue.ts'
import { waits, type Answered } from './outcome.ts'

/** One delivery of a sequence, with how to make it. */
export interface Step {
  readonly at: number
  readonly delivery: Delivery
  readonly attemptId: string
  post(): Promise<Answered>
}

export interface SequenceOptions {
  readonly queue: EndpointQueue
  /** For an answer that came after its batch stopped waiting. */
  late(step: Step, outcome: Answered): Promise<void>
  /** A request that is no longer awaited is over by then. */
  readonly overMs: number
}

/**
 * Deliveries to one endpoint that go one after the other, each only if the one before went through;
 * without an order, a single one.
 */
export class Sequence implements Job {
  readonly #steps: readonly Step[]
  readonly #options: SequenceOptions
  readonly #outcomes: Answered[] = []
  readonly #over = Promise.withResolvers<void>()
  #startedAt: number | undefined
  #left = false
  #isOver = false
  #current = 0

  constructor(steps: readonly Step[], options: SequenceOptions) {
    this.#steps = steps
    this.#options = options
  }

  get queue(): EndpointQueue {
    return this.#options.queue
  }

  get over(): Promise<void> {
    return this.#over.promise
  }

  /** Until when the request under way is waited for; undefined while none was. */
  waitsUntil(leastMs: number): number | undefined {
    return this.#startedAt && this.#startedAt + this.queue.patienceMs(leastMs)
  }

  get isOver(): boolean {
    return this.#isOver
  }

  async run(): Promise<void> {
    for (const [i, step] of this.#steps.entries()) {
      this.#current = i
      this.#startedAt = performance.now()
      const outcome = await step.post()
      this.queue.noteAnswer(performance.now() - this.#startedAt)
      if (this.#left) {
        this.queue.noteReturn()
        await this.#options.late(step, outcome)
        break
      }
      this.#outcomes[i] = outcome
      if (outcome.kind !== 'delivered') break
    }
    this.#isOver = true
    this.#over.resolve()
  }

  /**
   * The outcomes as far as they are known now. What is under way is left to itself, and what has not
   * been started is not started any more.
   */
  end(): { at: number; outcome: Answered }[] {
    const outcomes = this.queue.withdraw(this)
      ? this.#steps.map(() => this.#busy())
      : this.#knownOutcomes()
    return this.#steps.map(({ at }, i) => ({ at, outcome: outcomes[i] ?? HELD_BACK }))
  }

  #knownOutcomes(): readonly (Answered | undefined)[] {
    const step = this.#steps[this.#current]
    if (!step || this.#outcomes[this.#current] !== undefined) return this.#outcomes
    this.#left = true
    this.queue.leave()
    const pending = waits('WEBHOOK_PENDING', this.#options.overMs)
    return [...this.#outcomes, { ...pending, attemptId: step.attemptId }]
  }

  #busy(): Answered {
    return waits('WEBHOOK_BUSY', this.queue.retryInMs())
  }
}

/** The engine's word for a message behind one that did not go through. */
const BEHIND: Failure<ErrorCode> = {
  code: 'HELD_BACK',
  message: 'an earlier webhook of the same key has not gone through yet',
}

export const HELD_BACK: Outcome = retryLater(BEHIND, { after: '1s', charge: false })
