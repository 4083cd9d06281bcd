import type { Reference } from '@posthorn/engine/internal'
import type { Incoming, Queue } from './queue-session.ts'
import { repeat, type Repeating } from '../timing.ts'

/** A message as a poll finds it. */
export interface Polled extends Pick<Incoming, 'read' | 'raw'> {
  /** What `ack` ends it by. While it is in hand, the same id is not given to a handler again. */
  readonly id: string
  /** Default: the queue's name. */
  readonly ref?: Reference
  /**
   * Where the broker says it. Default: true for what the first poll finds, and the first after
   * another member was the reader, since whoever read before may have been given it.
   */
  readonly redelivered?: boolean
}

export interface Poll {
  /** The ids of what was found and is not acknowledged: to be renewed, where they are lent for a time. */
  readonly inHand: ReadonlySet<string>
  /** Aborted when the queue is closed: ends a request that waits for messages. */
  readonly signal: AbortSignal
}

/** What is particular to a queue that has to be asked for messages. */
export interface PolledQueueParts {
  readonly name: string
  /** Between two polls; the next one is at once when nothing is in hand any more. Default 20 ms. */
  readonly everyMs?: number
  /**
   * Messages in their order, a bounded number; also those in hand, where the broker still shows them.
   * Undefined while another member is the reader of the queue. Rejects in bounded time.
   */
  fetch(poll: Poll): Promise<readonly Polled[] | undefined>
  /** Ends it; it is not found again. Rejects in bounded time. */
  ack(id: string): Promise<unknown>
  /** The members that are left may have what is in hand at once. */
  leave?(poll: Pick<Poll, 'inHand'>): Promise<unknown>
}

/** A queue that is asked for messages, again and again; the session ends where it does not answer. */
export function polledQueue(parts: PolledQueueParts): Queue {
  const { name, everyMs = 20 } = parts
  const inHand = new Set<string>()
  /** Acknowledged since the last poll began, which may have seen them before. */
  const acknowledged = new Set<string>()
  const ended = Promise.withResolvers<void>()
  const closed = new AbortController()
  let wasReader = false
  let polling: Repeating | undefined

  const forgetAcknowledged = (): void => {
    for (const id of acknowledged) inHand.delete(id)
    acknowledged.clear()
  }

  const poll = async (take: (incoming: Incoming) => void): Promise<void> => {
    forgetAcknowledged()
    const found = await parts.fetch({ inHand, signal: closed.signal })
    // What is in hand is another reader's now.
    if (!found && inHand.size > acknowledged.size) return ended.resolve()
    for (const each of found ?? []) {
      if (inHand.has(each.id)) continue
      inHand.add(each.id)
      take(toIncoming(each, !wasReader))
    }
    wasReader = found !== undefined
  }

  const toIncoming = (polled: Polled, isFirst: boolean): Incoming => ({
    ref: polled.ref ?? { queue: name },
    redelivered: polled.redelivered ?? isFirst,
    read: () => polled.read(),
    raw: () => polled.raw(),
    async ack() {
      try {
        await parts.ack(polled.id)
        acknowledged.add(polled.id)
        if (acknowledged.size === inHand.size) polling?.now()
      } catch {
        // It comes again, in another session, and the inbox knows it.
        ended.resolve()
      }
    },
  })

  const stop = async (): Promise<void> => {
    closed.abort()
    await polling?.stop()
  }

  return {
    name,
    async open(take) {
      polling = repeat(everyMs, () => poll(take).catch(() => ended.resolve()))
      return { ended: ended.promise.then(stop) }
    },
    async close() {
      await stop()
      forgetAcknowledged()
      await parts.leave?.({ inHand })
    },
  }
}
