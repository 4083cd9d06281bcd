import type { Pool } from 'pg'
import { PosthornError, silentLog, type Log, type Queryable } from '@posthorn/engine'
import { Listener, sleep } from '@posthorn/engine/internal'
import { listenForNews, notifyNews } from './feed.sql.ts'

/** Postgres takes notifications of less than 8,000 bytes. */
const MOST_BYTES = 7_900

const TOPIC = /^[a-z][a-z0-9.-]{0,99}$/
const NAME_LENGTH = 200

/** Something that changed and that a page may show. */
export interface Announcement {
  /** What kind of thing, in lower case: `payments`, `file-jobs`. */
  readonly topic: string
  /** Which one. */
  readonly id: string
  /** Whose it is; without one only operators hear of it. */
  readonly tenant?: string | undefined
  /** A few fields, so that a page need not ask; left out with `truncated: true` if too large. */
  readonly data?: unknown
}

/**
 * Notifies every process with an announcement feed. Inside a transaction it is sent at its commit and
 * never if it rolls back; the same twice in one transaction is sent once. Commits that announce something
 * wait for each other a moment in Postgres: announce what a person watches, not every row.
 */
export async function announce(db: Queryable, announcement: Announcement): Promise<void> {
  await db.query(notifyNews(payloadOf(announcement)))
}

function payloadOf({ topic, id, tenant, data }: Announcement): string {
  if (!TOPIC.test(topic)) throw invalid('topic', 'is lower case, digits, dots and hyphens')
  if (!isName(id)) throw invalid('id', `is text of 1 to ${NAME_LENGTH} characters`)
  if (tenant !== undefined && !isName(tenant)) {
    throw invalid('tenant', `is text of 1 to ${NAME_LENGTH} characters`)
  }
  const whole = JSON.stringify({ topic, id, tenant, data })
  if (Buffer.byteLength(whole) < MOST_BYTES) return whole
  return JSON.stringify({ topic, id, tenant, truncated: true })
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value.length > 0 && value.length <= NAME_LENGTH
}

function invalid(field: string, rule: string): PosthornError {
  return new PosthornError('ANNOUNCEMENT_INVALID', `the ${field} of an announcement ${rule}`)
}

export interface AnnouncementFeedOptions {
  readonly pool: Pool
  readonly log?: Log
  /** `poll` listens to nothing, for a pooler in transaction mode: nothing comes then. Default `listen`. */
  readonly mode?: 'listen' | 'poll'
}

export interface SubscribeAnnouncementsOptions extends AnnouncementFilter {
  /** Ends the subscription. */
  readonly signal?: AbortSignal
}

/** What was announced, anywhere on this database, since one began to listen. */
export interface AnnouncementFeed {
  /**
   * Batches without an end, until the signal, `close` or a `break`; at most one every 250 ms, with
   * the latest of each topic and id. Nothing is kept for absent readers: one that may have
   * missed something gets the topic `*`, which means "reload everything".
   */
  subscribe(options?: SubscribeAnnouncementsOptions): AsyncIterable<readonly AnnouncementItem[]>
  /** Ends all subscriptions and hangs up. */
  close(): Promise<void>
}

/** Announcements for any number of readers in this process, over one connection that opens with the first. */
export function createAnnouncementFeed({
  pool,
  log = silentLog,
  mode = 'listen',
}: AnnouncementFeedOptions): AnnouncementFeed {
  const subscribers = new Set<AnnouncementSubscriber>()
  const closing = new AbortController()
  const listener = new Listener({
    pool,
    log,
    listen: listenForNews,
    onOpen: () => subscribers.forEach((each) => each.lookAgain()),
    onNotification: (payload) => {
      const item = itemIn(payload)
      if (item) subscribers.forEach((each) => each.tell(item))
    },
  })
  let opening: Promise<void> | undefined

  async function* batches({ signal, ...filter }: SubscribeAnnouncementsOptions) {
    const stop = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal
    const subscriber = new AnnouncementSubscriber(filter, stop)
    subscribers.add(subscriber)
    if (mode === 'listen') opening ??= listener.open()
    try {
      yield* subscriber.batches()
    } finally {
      subscribers.delete(subscriber)
    }
  }
  return {
    subscribe: (options = {}) => batches(options),
    async close() {
      closing.abort()
      await listener.close()
      await opening
    },
  }
}

/** Undefined for what is none: every role that may connect may notify. */
function itemIn(payload: string): AnnouncementItem | undefined {
  try {
    const { topic, id, tenant, data, truncated } = JSON.parse(payload) as Record<string, unknown>
    if (typeof topic !== 'string' || !TOPIC.test(topic) || typeof id !== 'string') return undefined
    return {
      topic,
      id,
      ...(typeof tenant === 'string' && { tenant }),
      ...(data !== undefined && { data }),
      ...(truncated === true && { truncated }),
    }
  } catch {
    return undefined
  }
}

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
interface AnnouncementFilter {
  /** Only what belongs to this tenant; what belongs to no tenant is left out too. */
  readonly tenant?: string
  readonly topics?: readonly string[]
}

const LOOK_AGAIN: AnnouncementItem = { topic: '*', id: '*' }

/** One reader of announcements: what waits for it, the latest of each topic and id. */
class AnnouncementSubscriber {
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
