import { once } from 'node:events'
import { backOff, type Log } from '@posthorn/engine'
import { sleep } from '@posthorn/operate'
import type { Pool } from 'pg'
import { boundPool, connect } from './connection.ts'
import { notifyGroup } from './group/queries.ts'
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
const RECONNECT = { firstMs: 500, mostMs: 30_000 }
const TIMEOUT_MS = 10_000

export function createWake({ pool, log }: { pool: Pool; log: Log }): Wake {
  const listeners = new Set<(what: Heard) => void>()
  const closed = new AbortController()
  const db = boundPool(pool, TIMEOUT_MS)
  const dirty = new Set<string>()
  const pending = new Set<Promise<void>>()
  let listening: Promise<void> | undefined

  const tell = (what: Heard): void => listeners.forEach((heard) => heard(what))
  const send = (notify: () => Promise<void>): void => {
    const sent = notify()
      .catch((error: unknown) => log.debug({ err: error }, 'notify failed; readers will poll'))
      .finally(() => void pending.delete(sent))
    pending.add(sent)
  }

  return {
    messages(topic) {
      tell({ topic, group: undefined })
      if (dirty.size === 0) {
        send(async () => {
          await sleep(COALESCE_MS)
          const topics = [...dirty]
          dirty.clear()
          await notifyTopics(db, topics)
        })
      }
      dirty.add(topic)
    },
    group(topic, group) {
      tell({ topic, group })
      send(() => notifyGroup(db, topic, group))
    },
    listen(heard) {
      listeners.add(heard)
      listening ??= keepListening({ pool, log, closed: closed.signal }, tell)
      return () => void listeners.delete(heard)
    },
    async close() {
      closed.abort()
      await Promise.all([listening, ...pending])
    },
  }
}

/** Holds one connection of the pool that listens, and gets another when it breaks. */
async function keepListening(
  { pool, log, closed }: { pool: Pool; log: Log; closed: AbortSignal },
  tell: (what: Heard) => void,
): Promise<void> {
  for (let failures = 0; !closed.aborted; failures++) {
    try {
      await listenOnce(pool, closed, {
        tell,
        listening() {
          failures = 0
          tell({ topic: undefined, group: undefined })
        },
      })
    } catch (error) {
      log.debug({ err: error }, 'listening for topics failed; readers poll until it works again')
    }
    await sleep(backOff(failures, RECONNECT), closed)
  }
}

async function listenOnce(
  pool: Pool,
  closed: AbortSignal,
  { tell, listening }: { tell: (what: Heard) => void; listening: () => void },
): Promise<void> {
  const client = await connect(pool, TIMEOUT_MS)
  const over = new AbortController()
  const end = (): void => over.abort()
  client
    .on('error', end)
    .on('end', end)
    .on('notification', ({ channel, payload = '' }) => {
      const [topic = '', group] = payload.split('/')
      tell({ topic, group: channel === 'posthorn_topic' ? undefined : group })
    })
  closed.addEventListener('abort', end)
  try {
    await listenToTopics(client)
    listening()
    if (!over.signal.aborted && !closed.aborted) await once(over.signal, 'abort')
  } finally {
    closed.removeEventListener('abort', end)
    // Not back into the pool: its next user would receive our notifications.
    client.release(true)
  }
}
