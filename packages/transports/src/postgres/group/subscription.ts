import { randomUUID } from 'node:crypto'
import { type Consumer, type Log, type Queryable } from '@posthorn/engine'
import { type Subscription, Semaphore } from '@posthorn/engine/internal'
import { drain, repeat } from '../../timing.ts'
import { failuresOf, type Reading } from '../../consume/failures.ts'
import { workOf } from '../../consume/handling.ts'
import { mergePartitions } from '../../consume/merged-batch.ts'
import { PartitionReader } from '../../consume/partition-reader.ts'
import { runSetAside } from '../../consume/set-aside-runner.ts'
import { insertTopics, selectMessages } from '../queries.ts'
import type { Wake } from '../wake.ts'
import { GroupMember } from './member.ts'
import type { Reader } from './reader.ts'
import { insertGroup } from './queries.ts'

export interface SubscriptionOptions extends Reading {
  readonly db: Queryable
  readonly log: Log
  readonly wake: Wake
  readonly partitions: number
  readonly from: 'earliest' | 'latest'
  readonly reader: Reader
  readonly pollMs: number | undefined
  readonly commitEveryMs: number
  readonly batch: number
  readonly concurrency: number
}

/** Between two looks for messages, where notifications come through … */
const HEARD_MS = 30_000
/** … and where they do not. */
const UNHEARD_MS = 1_000

/** How much of a partition is fetched at once, for any number of messages. */
const FETCH_BYTES = 1024 * 1024

/** Joins the group and reads until closed; resolves once the other members know of it. */
export async function openSubscription(
  consumer: Consumer,
  options: SubscriptionOptions,
): Promise<Subscription> {
  const { db, log, wake, reader: process } = options
  const { topic, group } = consumer
  const me = { topic, group, member: randomUUID() }
  const slots = new Semaphore(options.concurrency)
  const failures = failuresOf(consumer, options)
  const batch = consumer.batch && mergePartitions(consumer.batch)
  const member = new GroupMember({
    db,
    log,
    me,
    reader: process,
    onChange: () => wake.group(topic, group),
    openReader: (holding) =>
      new PartitionReader(holding, {
        log,
        slots,
        failures,
        lowWater: Math.max(Math.ceil(options.batch / 4), consumer.batch?.size ?? 0),
        batch,
        onHungry: () => fetching.now(),
        onDirty: () => tending.now(),
      }),
  })

  await insertTopics(db, new Map([[topic, options.partitions]]))
  await insertGroup(db, me, options.from)
  await process.open()
  await member.balance()
  wake.group(topic, group)

  const fetch = async (): Promise<number> => {
    const nextMs = options.pollMs ?? (process.isHeard ? HEARD_MS : UNHEARD_MS)
    const hungry = [...member.readers.values()].filter((reader) => reader.hungry)
    if (hungry.length === 0) return nextMs
    try {
      const received = await selectMessages(db, member.holder, {
        from: hungry.map(({ partition, next }) => ({ partition, offset: next })),
        limit: options.batch,
        bytes: FETCH_BYTES,
      })
      const byPartition = Map.groupBy(received, ({ partition }) => partition)
      for (const reader of hungry) {
        const mine = byPartition.get(reader.partition) ?? []
        const work = mine.map(({ partition, offset, message }) => ({
          offset,
          work: workOf(consumer, message, {
            ref: { partition, offset: String(offset) },
            place: { partition, offset },
          }),
        }))
        reader.give(work, (mine.at(-1)?.offset ?? reader.next - 1) + 1)
      }
    } catch (error) {
      log.warn({ topic, group, err: error }, 'topic could not be read; trying again')
      return UNHEARD_MS
    }
    return nextMs
  }
  const tending = repeat(options.commitEveryMs, async () => {
    const before = member.readers.size
    await member.tend()
    if (member.readers.size > before) fetching.now()
  })
  const fetching = repeat(options.pollMs ?? HEARD_MS, fetch)
  const look = () => {
    member.look()
    tending.now()
  }
  process.watch(me.member, look)
  const unlisten = wake.listen((heard) => {
    if (heard.topic !== topic && heard.topic !== undefined) return
    if (heard.group === undefined) fetching.now()
    else if (heard.group === group) look()
  })

  const retrying = runSetAside({ ...options, consumer, failures })

  const close = async (): Promise<void> => {
    unlisten()
    const retried = retrying.close()
    await fetching.stop()
    const readers = [...member.readers.values()]
    await drain(Promise.all(readers.map((reader) => reader.stop())), options.drainMs, {
      abandon: () => readers.forEach((reader) => reader.abandon()),
      ...{ log, about: { topic, group } },
    })
    await retried
    // Only now: until here the leases had to be renewed.
    await tending.stop()
    process.unwatch(me.member)
    await member.leave().catch((error: unknown) => {
      log.warn(
        { topic, group, err: error },
        'leaving the consumer group failed; its lease will run out',
      )
    })
  }
  let closing: Promise<void> | undefined
  return { close: () => (closing ??= close()) }
}
