import { type Consumer, type ConsumerBatch, type Log } from '@posthorn/engine'
import { Semaphore } from '@posthorn/engine/internal'
import {
  ConnectionPool,
  Consumer as KafkaConsumer,
  type ConnectionOptions,
} from '@platformatic/kafka'
import { drain, repeat, within, type Repeating } from '../timing.ts'
import { failuresOf, type Failures, type Reading } from '../consume/failures.ts'
import { groupIdOf } from '../names.ts'
import { mergePartitions } from '../consume/merged-batch.ts'
import { PartitionReader } from '../consume/partition-reader.ts'
import { runSetAside, type SetAsideRunner } from '../consume/set-aside-runner.ts'
import type { Session } from '../consume/subscription.ts'
import { Fetcher, startOffsets, type From } from './fetcher.ts'

export interface GroupSessionOptions extends Reading {
  readonly consumer: Consumer
  readonly settings: ClientSettings
  readonly log: Log
  readonly concurrency: number
  readonly from: From
  readonly sessionMs: number
  readonly commitEveryMs: number
}

/** How long a fetch waits at the broker when all partitions are read up; otherwise just a moment. */
const IDLE_WAIT_MS = 500
const BUSY_WAIT_MS = 10
/** The pause after a fetch that failed. */
const FETCH_EVERY_MS = 250
/** Fewer messages of a partition than this, and it is fetched again. */
const LOW_WATER = 100

/**
 * One membership in a consumer group. The library joins, sends heartbeats and joins again after a
 * rebalance; here partitions are opened and given up as it says, fed, and committed. What it cannot
 * mend ends the session.
 */
export class GroupSession implements Session {
  readonly lost: Promise<void>
  readonly #options: GroupSessionOptions
  readonly #client: KafkaConsumer
  readonly #pool: ConnectionPool
  readonly #fetcher: Fetcher
  readonly #slots: Semaphore
  readonly #failures: Failures
  /** Shared by all partitions. */
  readonly #batch: ConsumerBatch | undefined
  #retrying: SetAsideRunner | undefined
  readonly #readers = new Map<number, PartitionReader>()
  #tending: Repeating | undefined
  #fetching: Repeating | undefined
  /** The membership for which the readers are right. */
  #synced: { memberId: string | null; generationId: number } | undefined

  private constructor(options: GroupSessionOptions) {
    const { consumer, settings, sessionMs } = options
    const base = clientOptions(settings)
    const client = new KafkaConsumer({
      ...base,
      groupId: groupIdOf(consumer.topic, consumer.group),
      autocommit: false,
      sessionTimeout: sessionMs,
      rebalanceTimeout: sessionMs,
      heartbeatInterval: Math.min(3_000, Math.ceil(sessionMs / 3)),
      heartbeatStallTimeout: sessionMs,
      // Joining takes as long as the slowest member needs.
      requestTimeout: sessionMs + settings.timeoutMs,
      retries: 3,
      retryDelay: 250,
    })
    this.#options = options
    this.#slots = new Semaphore(options.concurrency)
    this.#failures = failuresOf(consumer, options)
    this.#batch = consumer.batch && mergePartitions(consumer.batch)
    this.#client = client
    this.#pool = new ConnectionPool(settings.clientId, base)
    this.#fetcher = new Fetcher({ ...options, client, pool: this.#pool })
    this.lost = new Promise((resolve) => {
      client.on('error', () => resolve())
      client.on('consumer:heartbeat:stalled', () => resolve())
    })
  }

  /** Joins the group and begins to read. */
  static async open(options: GroupSessionOptions): Promise<GroupSession> {
    const session = new GroupSession(options)
    try {
      await session.#join()
      return session
    } catch (error) {
      await session.#disconnect()
      throw error
    }
  }

  async abandon(): Promise<void> {
    for (const reader of this.#readers.values()) reader.abandon()
    await this.#awaitBounded(Promise.all([this.#fetching?.stop(), this.#tending?.stop()]))
    await this.#retrying?.close()
    await this.#disconnect()
  }

  async finish(): Promise<void> {
    const { log, drainMs, consumer } = this.#options
    const { topic, group } = consumer
    const retried = this.#retrying?.close()
    await this.#awaitBounded(this.#fetching?.stop())
    const readers = [...this.#readers.values()]
    await drain(Promise.all(readers.map((reader) => reader.stop())), drainMs, {
      abandon: () => readers.forEach((reader) => reader.abandon()),
      ...{ log, about: { topic, group } },
    })
    await retried
    await this.#awaitBounded(this.#tending?.stop())
    await this.#awaitBounded(this.#commit())
    await this.#disconnect()
  }

  async #join(): Promise<void> {
    const { consumer, commitEveryMs } = this.#options
    this.#client.topics.track(consumer.topic)
    await this.#client.joinGroup({})
    const tending = repeat(commitEveryMs, () => this.#tend())
    const fetching = repeat(FETCH_EVERY_MS, () => this.#fetch())
    this.#tending = tending
    this.#fetching = fetching
    this.#retrying = runSetAside({ ...this.#options, failures: this.#failures })
    this.#client.on('consumer:group:join', () => tending.now())
    // Goes out before the library joins again, so that the next owners begin where we ended.
    this.#client.on('consumer:group:rebalance', () => void this.#commit())
  }

  async #tend(): Promise<void> {
    // While it joins again, a commit would only be refused.
    if (!this.#client.isActive()) return
    try {
      await this.#sync()
    } catch (error) {
      const { topic, group } = this.#options.consumer
      this.#options.log.warn(
        { topic, group, err: error },
        'offsets could not be read; trying again',
      )
    }
    await this.#commit()
  }

  /** Opens the partitions that are ours now and gives up those that are not. */
  async #sync(): Promise<void> {
    const { log, consumer, from } = this.#options
    const { memberId, generationId } = this.#client
    const before = this.#synced
    if (before?.memberId === memberId && before.generationId === generationId) return
    // Only the next generation after ours leaves no gap in which others could have read.
    const seamless = before?.memberId === memberId && generationId === before.generationId + 1
    const mine = new Set(
      this.#client.assignments?.find(({ topic }) => topic === consumer.topic)?.partitions,
    )
    for (const reader of this.#readers.values()) {
      if (seamless && mine.has(reader.partition)) continue
      reader.abandon()
      this.#readers.delete(reader.partition)
    }
    const fresh = [...mine].filter((each) => !this.#readers.has(each))
    const offsets = await startOffsets(this.#client, { topic: consumer.topic, from }, fresh)
    if (this.#client.generationId !== generationId || this.#client.memberId !== memberId) return
    for (const [partition, offset] of offsets) {
      const options = {
        log,
        failures: this.#failures,
        slots: this.#slots,
        onHungry: () => this.#fetching?.now(),
        onDirty: () => this.#tending?.now(),
        lowWater: Math.max(LOW_WATER, consumer.batch?.size ?? 0),
        batch: this.#batch,
      }
      this.#readers.set(partition, new PartitionReader({ partition, offset }, options))
    }
    this.#synced = { memberId, generationId }
    this.#fetching?.now()
  }

  async #commit(): Promise<void> {
    const { log, consumer } = this.#options
    const { topic, group } = consumer
    const dirty = [...this.#readers.values()].filter(({ done, committed }) => done > committed)
    const offsets = dirty.map(({ partition, done }) => ({
      topic,
      partition,
      offset: BigInt(done),
      leaderEpoch: -1,
    }))
    if (offsets.length === 0) return
    try {
      await this.#client.commit({ offsets })
      dirty.forEach((reader, i) => {
        reader.wasCommitted(Number(offsets[i]?.offset ?? reader.committed))
      })
    } catch (error) {
      log.warn({ topic, group, err: error }, 'offsets could not be committed; trying again')
    }
  }

  async #fetch(): Promise<void> {
    const hungry = [...this.#readers.values()].filter((reader) => reader.hungry)
    if (hungry.length === 0) return
    try {
      const idle = hungry.length === this.#readers.size
      await this.#fetcher.feed(hungry, idle ? IDLE_WAIT_MS : BUSY_WAIT_MS)
      this.#fetching?.now()
    } catch (error) {
      const { topic, group } = this.#options.consumer
      this.#options.log.warn({ topic, group, err: error }, 'topic could not be read; trying again')
    }
  }

  async #disconnect(): Promise<void> {
    await this.#awaitBounded(Promise.allSettled([this.#client.close(true), this.#pool.close()]))
  }

  /** At the end nothing waits long for a broker that may be gone. */
  async #awaitBounded(work: Promise<unknown> | undefined): Promise<void> {
    await within(Promise.resolve(work), this.#options.settings.timeoutMs, () => undefined)
  }
}

/** How to reach the brokers. */
interface ClientSettings {
  readonly clientId: string
  readonly brokers: readonly string[]
  readonly timeoutMs: number
  readonly tls: ConnectionOptions['tls']
  readonly sasl: ConnectionOptions['sasl']
}

/** The settings as every client of the library takes them. */
export function clientOptions({ clientId, brokers, timeoutMs, tls, sasl }: ClientSettings) {
  return {
    clientId,
    bootstrapBrokers: [...brokers],
    connectTimeout: timeoutMs,
    requestTimeout: timeoutMs,
    timeout: timeoutMs,
    ...(tls ? { tls } : {}),
    ...(sasl ? { sasl } : {}),
  }
}
