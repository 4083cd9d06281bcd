import { randomUUID } from 'node:crypto'
import type { Consumer } from '@posthorn/engine'
import type { Incoming, Queue } from '../queue/queue-session.ts'
import { repeat, within, type Repeating } from '../timing.ts'
import {
  drop,
  untilEnded,
  type RedisClient,
  joinGroup,
  release,
  renew,
  takeEntries,
  type Entry,
  type Member,
  type TopicKeys,
} from './streams.ts'
import { fromEntry, partsOf } from './wire.ts'

export interface TopicReading {
  readonly consumer: Pick<Consumer, 'topic' | 'group'>
  readonly keys: TopicKeys
  readonly partitions: number
  /** So many messages may be here at once, and one batch more. */
  readonly prefetch: number
  readonly from: 'earliest' | 'latest'
  /** After this time without a sign of its member a batch is given to another. */
  readonly sessionMs: number
  readonly timeoutMs: number
}

/** Given out at once of one partition: the next ones wait until all of them are done. */
const BATCH = 10
/** How often, within its time, the server hears that a batch is still being handled. */
const SIGNS_OF_LIFE = 3
/** For what the bell does not tell: what others wrote, and what a member left behind. */
const POLL_MS = 500

/** All partitions of a topic as one queue, read over one connection. */
export function readTopic(client: RedisClient, reading: TopicReading): Queue {
  const { consumer, keys, partitions, prefetch, sessionMs, timeoutMs } = reading
  const { topic, group } = consumer
  const name = randomUUID()
  const members = Array.from({ length: partitions }, (_, at): Member => {
    return { stream: keys.stream(at), group, name }
  })
  /** Received and not acknowledged: the ids, by partition. */
  const inHand = members.map(() => new Set<string>())
  const ended = Promise.withResolvers<void>()
  let looking: Repeating | undefined
  let renewing: Repeating | undefined
  const ring = () => looking?.now()
  // Members begin at different partitions, so that they do not all ask for the same.
  let next = Math.floor(Math.random() * partitions)

  const isFull = () => inHand.reduce((sum, ids) => sum + ids.size, 0) >= prefetch

  const takeFrom = async (partition: number, take: (incoming: Incoming) => void): Promise<void> => {
    const member = members[partition]
    const ids = inHand[partition]
    if (!member || !ids || ids.size > 0) return
    const [kind, entries = []] = await takeEntries(client, member, { sessionMs, count: BATCH })
    // All of them before the first is given: with the last one done the partition is free.
    for (const [id] of entries) ids.add(String(id))
    for (const entry of entries) take(toIncoming(entry, { partition, again: kind === 'again' }))
  }

  /** Looks into every partition once, as long as there is room. */
  const look = async (take: (incoming: Incoming) => void): Promise<void> => {
    try {
      for (let looked = 0; looked < partitions && !isFull(); looked += 1) {
        const partition = next++ % partitions
        await within(takeFrom(partition, take), timeoutMs, silent)
      }
    } catch {
      ended.resolve()
    }
  }

  /** The session ends where a batch was given to another member meanwhile. */
  const renewAll = async (): Promise<void> => {
    try {
      for (const [at, member] of members.entries()) {
        const ids = inHand[at] ?? new Set()
        const before = [...ids]
        if (before.length === 0) continue
        const ours = new Set(await within(renew(client, member), timeoutMs, silent))
        if (before.some((id) => ids.has(id) && !ours.has(id))) return ended.resolve()
      }
    } catch {
      ended.resolve()
    }
  }

  const silent = (): never => {
    drop(client)
    throw new Error(`no answer from Redis within ${timeoutMs} ms`)
  }

  const toIncoming = (
    entry: Entry,
    { partition, again }: { partition: number; again: boolean },
  ): Incoming => {
    const id = String(entry[0])
    const place = `${topic}/${partition}/${id}`
    return {
      ref: { partition, id },
      redelivered: again,
      read: () => fromEntry(entry, { topic, place }),
      raw: () => ({ id: place, ...partsOf(entry) }),
      ack() {
        const ids = inHand[partition]
        ids?.delete(id)
        const acknowledged = client.xAck(keys.stream(partition), group, id).then(() => undefined)
        // Behind the acknowledgement, on the same connection.
        if (ids?.size === 0) ring()
        return acknowledged
      },
    }
  }

  const stop = async (): Promise<void> => {
    await Promise.all([looking?.stop(), renewing?.stop()])
    if (client.isReady) await client.unsubscribe(keys.bell, ring)
  }

  return {
    name: `${topic}.${group}`,
    async open(take) {
      for (const member of members) await joinGroup(client, member, reading)
      await client.subscribe(keys.bell, ring)
      looking = repeat(POLL_MS, () => look(take))
      renewing = repeat(sessionMs / SIGNS_OF_LIFE, renewAll)
      void untilEnded(client).then(ended.resolve)
      return { ended: ended.promise.then(() => stop().catch(() => undefined)) }
    },
    async close() {
      await stop()
      await Promise.all(members.map((member) => release(client, member, sessionMs)))
      await client.publish(keys.bell, '')
    },
  }
}
