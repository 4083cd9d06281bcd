import type { Pool } from 'pg'
import { PosthornError } from '../errors.ts'
import { Listener } from '../relay/listener.ts'
import { silentLog, type Log } from '../log.ts'
import {
  AnnouncementSubscriber,
  type AnnouncementFilter,
  type AnnouncementItem,
} from './announcement-subscriber.ts'
import { listenForNews, notifyNews } from '../sql/announcements.ts'
import type { Queryable } from '../enqueue/transaction.ts'

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
