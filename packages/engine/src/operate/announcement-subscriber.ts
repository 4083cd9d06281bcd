import { sleep } from '../sleep.ts'

/** Shortest time between two batches: no reader needs more. */
const BATCH_MS = 250

/** Different things that wait for a reader; beyond, it gets `*`: reload everything. */
const LIMIT = 1_000

/** One announcement as it arrives. */
export interface AnnouncementItem {
  /** `*`, with the id `*`, where something may have been missed: look again at everything. */
  readonly topic: string
  readonly id: string
  readonly tenant?: string
  readonly data?: unknown
  /** The data was too large to be sent. */
  readonly truncated?: true
}

/** Which announcements; a field left out matches all. */
export interface AnnouncementFilter {
  /** Only what belongs to this tenant; what belongs to no tenant is left out too. */
  readonly tenant?: string
  readonly topics?: readonly string[]
}

const LOOK_AGAIN: AnnouncementItem = { topic: '*', id: '*' }

/** One reader of announcements: what waits for it, the latest of each topic and id. */
export class AnnouncementSubscriber {
  readonly #tenant: string | undefined
  readonly #topics: ReadonlySet<string> | undefined
  readonly #stop: AbortSignal
  readonly #waiting = new Map<string, AnnouncementItem>()
  #missed = false
  #wake: () => void = () => undefined

  constructor({ tenant, topics }: AnnouncementFilter, stop: AbortSignal) {
    this.#tenant = tenant
    this.#topics = topics && new Set(topics)
    this.#stop = stop
  }

  tell(item: AnnouncementItem): void {
    if (this.#missed || !this.#matches(item)) return
    const subject = `${item.topic} ${item.id}`
    // Taken out first: the map keeps its order, and the latest belongs at the end.
    this.#waiting.delete(subject)
    this.#waiting.set(subject, item)
    if (this.#waiting.size > LIMIT) this.lookAgain()
    else this.#wake()
  }

  /** A reader that reloads everything needs nothing of what waits. */
  lookAgain(): void {
    this.#waiting.clear()
    this.#missed = true
    this.#wake()
  }

  async *batches(): AsyncGenerator<readonly AnnouncementItem[]> {
    const wake = () => this.#wake()
    this.#stop.addEventListener('abort', wake)
    try {
      for (;;) {
        while (!this.#hasNews() && !this.#stop.aborted) await this.#sleep()
        if (this.#stop.aborted) return
        yield this.#take()
        await sleep(BATCH_MS, this.#stop)
      }
    } finally {
      this.#stop.removeEventListener('abort', wake)
    }
  }

  #hasNews(): boolean {
    return this.#missed || this.#waiting.size > 0
  }

  #take(): readonly AnnouncementItem[] {
    const items = this.#missed ? [LOOK_AGAIN] : [...this.#waiting.values()]
    this.#missed = false
    this.#waiting.clear()
    return items
  }

  #sleep(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve))
  }

  #matches({ topic, tenant }: AnnouncementItem): boolean {
    if (this.#tenant !== undefined && tenant !== this.#tenant) return false
    return !this.#topics || this.#topics.has(topic)
  }
}
