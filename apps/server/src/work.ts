import {
  createNotifier,
  posthorn,
  transaction,
  type Log,
  type Metrics,
  type Relay,
} from '@posthorn/engine'
import { countConnections, type Subscription, withConsumerSpans } from '@posthorn/engine/internal'
import { withConsumerSpan } from '@posthorn/engine/inbox'
import { sampleLag } from '@posthorn/operate/internal'
import { sealAudits, startPeriodically, type PeriodicTask } from '@posthorn/operate'
import type { SystemConsumer, SystemQueue } from '@posthorn/system'
import type { Pool } from 'pg'
import type { Brokers } from './brokers/broker-catalogue.ts'
import { ConfigurationError, type Configuration } from './configuration/configuration.ts'
import type { Database } from './database/database.ts'
import type { Opened } from './systems/open-systems.ts'
import { retentionTasks } from './retention.ts'
import manifest from '../package.json' with { type: 'json' }

const LAG_EVERY_MS = 15_000

export interface WorkOptions {
  readonly configuration: Pick<Configuration, 'roles' | 'relayMode'>
  readonly database: Database
  readonly brokers: Brokers
  readonly opened: Opened
  readonly metrics: Metrics
  readonly log: Log
}

export interface Work {
  /** Consumers that do not read yet, as `topic for group`: their broker is away, or refuses them. */
  listUnjoined(): readonly string[]
  /** Takes nothing new, and resolves when what was in hand is done. May be called again. */
  close(): Promise<void>
}

/** How long attempts under way may take before they are aborted. */
const DRAIN = '6s'

/** Starts what the roles `relay` and `worker` do; a process without a relay rings for those elsewhere. */
export async function startWork(options: WorkOptions): Promise<Work> {
  const { configuration, database, opened, metrics, log } = options
  const { roles } = configuration
  const { outboxes, handlers } = relayedBy(roles, opened)
  const others = opened.outboxes.filter((outbox) => !outboxes.includes(outbox))
  const notifier = others.length === 0 ? undefined : createNotifier(database.pool, others, { log })
  const started: (() => Promise<void>)[] = []
  const reading: Reading[] = []
  // Side by side: each may need the whole time that there is. The bell is the last to be given up.
  const close = async () => {
    await Promise.allSettled(started.map((end) => end()))
    await notifier?.close()
  }
  try {
    const lag = lagTasks(opened.consumers, { ...options, pool: database.pool })
    started.push(startPeriodically(lag, { log, metrics }))
    if (roles.has('worker')) {
      const upkeep = retentionTasks({ pool: database.pool, opened, log, metrics })
      const tasks = [...opened.workers, ...upkeep, sealingTask(database.pool)]
      started.push(startPeriodically(tasks, { log, metrics }))
      reading.push(...opened.consumers.map((consumer) => subscribe(consumer, options)))
      started.push(...reading.map(({ close: end }) => end))
    }
    if (roles.has('relay')) {
      const declaring = opened.queues.map((queue) => declareQueue(queue, options))
      started.push(startPeriodically(declaring, { log, metrics }))
    }
    if (outboxes.length > 0) {
      const relay = relayOf(options, { outboxes, handlers })
      await relay.start()
      started.push(() => relay.stop())
    }
  } catch (error) {
    await close()
    throw error
  }
  let closing: Promise<void> | undefined
  return {
    listUnjoined: () => reading.filter(({ isJoined: joined }) => !joined()).map(({ name }) => name),
    close: () => (closing ??= close()),
  }
}

/** Rows of an audit are sealed within about this time of their commit, the first after a while within twice of it. */
const SEALING_MS = 5_000

function sealingTask(pool: Pool): PeriodicTask {
  return {
    name: 'server.audit-seals',
    everyMs: SEALING_MS,
    idleMs: 2 * SEALING_MS,
    firstMs: SEALING_MS,
    async step(signal) {
      return (await sealAudits(pool, { signal })) > 0 ? undefined : 'idle'
    },
  }
}

type Relayed = Pick<Opened, 'outboxes' | 'handlers'>

/** Relays deliver to other places; workers run the systems' own handlers. */
function relayedBy(roles: Configuration['roles'], { relayed, handlers }: Opened): Relayed {
  const handled = new Set<unknown>(handlers.map(({ outbox }) => outbox))
  return {
    outboxes: relayed.filter((box) => roles.has(handled.has(box) ? 'worker' : 'relay')),
    handlers: roles.has('worker') ? handlers : [],
  }
}

function relayOf(
  { configuration, database, brokers, opened, metrics, log }: WorkOptions,
  { outboxes, handlers }: Relayed,
): Relay {
  const size = countConnections(outboxes)
  return posthorn({
    pool: database.openPool('posthorn-relay', size),
    outboxes,
    handlers,
    transports: { ...brokers.byName, ...opened.transports },
    mode: configuration.relayMode,
    drain: DRAIN,
    sharesProcess: configuration.roles.has('api'),
    version: manifest.version,
    metrics,
    log,
  })
}

interface Reading {
  readonly name: string
  isJoined(): boolean
  close(): Promise<void>
}

/**
 * Reads a topic from now on. The start does not wait for its broker: one that is away must not keep the rest of
 * the server from starting.
 */
function subscribe(consumer: SystemConsumer, { brokers, log }: WorkOptions): Reading {
  const { transport, topic, group, batch } = consumer
  const broker = brokers.byName[transport]
  if (!broker) {
    const known = Object.keys(brokers.byName).join(', ')
    throw new ConfigurationError([
      `the consumer of ${topic} reads by "${transport}", which is none of ${known}`,
    ])
  }
  let subscription: Subscription | undefined
  let isClosing = false
  const joining = broker.subscribe({
    ...consumer,
    handle: (message, context) =>
      withConsumerSpan(message, consumer, () => consumer.handle(message, context)),
    ...(batch && {
      batch: {
        size: batch.size,
        handle: (messages, context) =>
          withConsumerSpans(messages, consumer, () => batch.handle(messages, context)),
      },
    }),
  })
  joining
    .then((joined) => void (subscription = joined))
    .catch((error: unknown) => {
      if (!isClosing)
        log.error({ topic, group, err: error }, 'reading a topic failed; the consumer stops')
    })
  return {
    name: `${topic} for ${group}`,
    isJoined: () => subscription !== undefined,
    async close() {
      isClosing = true
      // One that has not joined yet is given up with its broker.
      await subscription?.close()
    },
  }
}

/** A queue that somebody removes is back after this time at the most. */
const DECLARE_EVERY_MS = 30_000

/** Declares a system's queue, now and again: what was removed on the broker is put back. */
function declareQueue(queue: SystemQueue, { brokers, database }: WorkOptions): PeriodicTask {
  const { transport, topic, group, maxLength } = queue
  return {
    name: `declare ${topic} for ${group}`,
    everyMs: DECLARE_EVERY_MS,
    async step() {
      const limits = maxLength === undefined ? {} : { maxLength }
      const broker = brokers.byName[transport]
      if (!broker?.declareQueue) return 'done'
      await broker.declareQueue(topic, group, limits)
      if (queue.declared) await transaction(database.pool, async (tx) => queue.declared?.(tx))
      return undefined
    },
  }
}

/**
 * Looks how far each group is behind, in processes of every role: a lag is never more interesting
 * than when no consumer is up.
 */
function lagTasks(
  consumers: readonly SystemConsumer[],
  { pool, brokers }: { pool: Pool; brokers: Brokers },
): PeriodicTask[] {
  return consumers.map((consumer) => ({
    name: `lag of ${consumer.group}`,
    everyMs: LAG_EVERY_MS,
    idleMs: 60_000,
    firstMs: 1_000,
    async step() {
      const broker = brokers.byName[consumer.transport]
      const lag = broker && (await sampleLag(pool, broker, consumer))
      return lag === 0 ? 'idle' : undefined
    },
  }))
}
