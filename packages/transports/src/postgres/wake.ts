import type { Log } from '@posthorn/engine'
import { Listener, sleep } from '@posthorn/engine/internal'
import type { Pool } from 'pg'
import { boundPool } from './connection.ts'
import { listenToTopics, notifyTopics } from './queries.ts'

/** What a notification says: new messages in a topic, or a change in a group; with no topic, that its reader lives. */
export interface Heard {
  /** Undefined: any; something may have been missed. */
  readonly topic: string | undefined
  /** Undefined: the topic has new messages. */
  readonly group: string | undefined
}

/**
 * Wakes readers, here and in other processes, by LISTEN/NOTIFY. It may lose a call: every reader that
 * listens also looks from time to time.
 */
export interface Wake {
  messages(topic: string): void
  group(topic: string, group: string): void
  listen(heard: (what: Heard) => void): () => void
  close(): Promise<void>
}

/** NOTIFY takes a lock that all committing notifiers share: one call for all topics of 5 ms. */
const COALESCE_MS = 5
const TIMEOUT_MS = 10_000

export function createWake({ pool, log }: { pool: Pool; log: Log }): Wake {
  const listeners = new Set<(what: Heard) => void>()
  const db = boundPool(pool, TIMEOUT_MS)
  const waiting = new Set<string>()
  let sending = Promise.resolve()
  let opening: Promise<void> | undefined

  const tell = (payload?: string): void => {
    const [topic, group] = payload?.split('/') ?? []
    listeners.forEach((heard) => heard({ topic, group }))
  }
  const listener = new Listener({
    ...{ pool, log, listen: listenToTopics },
    onOpen: () => tell(),
    onNotification: tell,
  })
  const send = async (): Promise<void> => {
    await sleep(COALESCE_MS)
    const payloads = [...waiting]
    waiting.clear()
    await notifyTopics(db, payloads).catch((error: unknown) =>
      log.debug({ err: error }, 'notify failed; readers will poll'),
    )
  }
  const call = (payload: string): void => {
    tell(payload)
    if (waiting.size === 0) sending = Promise.all([sending, send()]).then(() => undefined)
    waiting.add(payload)
  }

  return {
    messages: (topic) => call(topic),
    group: (topic, group) => call(`${topic}/${group}`),
    listen(heard) {
      listeners.add(heard)
      opening ??= listener.open()
      return () => void listeners.delete(heard)
    },
    async close() {
      await Promise.all([listener.close(), opening, sending])
    },
  }
}
