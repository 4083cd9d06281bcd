import { EndpointQueue } from './endpoint-queue.ts'

/** Endpoints remembered at once. */
const MAX_LINES = 10_000

/** The queues of all endpoints; one that is forgotten is learnt again by its next requests. */
export class EndpointQueues {
  readonly #options: { readonly most: number; readonly patienceMs: number }
  readonly #byTopic = new Map<string, EndpointQueue>()

  constructor(options: { most: number; patienceMs: number }) {
    this.#options = options
  }

  of(topic: string): EndpointQueue {
    const known = this.#byTopic.get(topic)
    if (known) return known
    if (this.#byTopic.size >= MAX_LINES) this.#forgetIdle()
    const queue = new EndpointQueue(this.#options)
    this.#byTopic.set(topic, queue)
    return queue
  }

  #forgetIdle(): void {
    for (const [topic, queue] of this.#byTopic) if (queue.isIdle) this.#byTopic.delete(topic)
  }
}
