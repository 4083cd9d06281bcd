import {
  delivered,
  migrationsFrom,
  retryLater,
  silentLog,
  toMs,
  unreachable,
  type Delivery,
  type Destination,
  type Duration,
  type Log,
  type MigrationSet,
  type Outcome,
  type Subscriber,
  type Transport,
  type Queryable,
} from '@posthorn/engine'
import { type Reference, type Subscription } from '@posthorn/engine/internal'
import type { Pool } from 'pg'
import type { RetentionCatalogue } from '@posthorn/operate'
import { TransportError, UnreachableError } from '../errors.ts'
import { abortedOutcome, createGate, sendByHalves, type Faulty } from '../deliver/gate.ts'
import { readingOf, type ReadingOptions } from '../consume/failures.ts'
import { checkName, groupOf } from '../names.ts'
import { boundPool, isServerError } from './connection.ts'
import { deleteGroup, selectLag, selectPassed } from './group/queries.ts'
import { Reader } from './group/reader.ts'
import { openSubscription } from './group/subscription.ts'
import { appendMessages, insertTopics, deleteMessages } from './queries.ts'
import { createWake } from './wake.ts'

export interface PostgresTransportOptions extends ReadingOptions {
  /** A pool of its own or a shared one; one more connection listens while there are subscriptions. */
  readonly pool: Pool
  readonly log?: Log
  /** Of a topic made on first use. Default 8; a topic keeps the number it was made with. */
  readonly partitions?: number
  /** How long `deliver` waits for a connection, and again for the answer. Default 10 s. */
  readonly timeout?: Duration
  /** Where a new group begins. Default `earliest`. */
  readonly from?: 'earliest' | 'latest'
  /** After this time without a heartbeat a process's partitions go to others. Default 15 s. */
  readonly lease?: Duration
  /** How often a reader looks without being woken. Default 30 s while notifications come through, else 1 s. */
  readonly poll?: Duration
  /** How often offsets are committed; what was handled since comes again after a crash. Default 200 ms. */
  readonly commitEvery?: Duration
  /** Messages fetched at once from a partition. Default 100. */
  readonly batch?: number
  /** Handlers at once in one subscription; never two on one partition. Default 8. */
  readonly concurrency?: number
}

export interface PostgresTransport extends Transport, Required<Subscriber> {
  close(): Promise<void>
  /** Deletes messages older than this that every group has passed, in batches; returns how many. */
  prune(olderThan: Duration): Promise<number>
  /** Forgets a group for ever: it no longer keeps messages from being pruned. */
  forget(topic: string, group: string): Promise<void>
}

/** The tables of the topics, in schema `posthorn`. */
export function topicMigrations(): Promise<MigrationSet> {
  return migrationsFrom('postgres-topics', new URL('./migrations/', import.meta.url))
}

/**
 * Topics in the database: partitions, consumer groups, order per key; a destination's options may
 * name `partitions` (for a topic that does not exist yet) and `group` (for `passed`). Dead letters
 * are kept in the same database by default. There are no unreadable messages: the table's types do not
 * let them in.
 */
export function postgresTransport(options: PostgresTransportOptions): PostgresTransport {
  const { pool, log = silentLog, partitions = 8 } = options
  const db = boundPool(pool, toMs(options.timeout ?? '10s'))
  const wake = createWake({ pool, log })
  const known = new Set<string>()
  const subscriptions = new Set<Promise<Subscription>>()
  let reader: Reader | undefined
  let turn = Math.floor(Math.random() * 1_000)

  const ensureTopics = async (batch: readonly Delivery[]): Promise<void> => {
    const missing = new Map<string, number>()
    for (const { destination } of batch) {
      if (known.has(destination.topic)) continue
      const wanted = destination.options?.['partitions']
      missing.set(checkName(destination.topic), typeof wanted === 'number' ? wanted : partitions)
    }
    if (missing.size === 0) return
    await insertTopics(db, missing)
    for (const name of missing.keys()) known.add(name)
  }

  const append = async (batch: readonly Delivery[]): Promise<readonly (Outcome | Faulty)[]> => {
    try {
      await ensureTopics(batch)
      turn = (turn + batch.length) % 1_000_000
      const positions = await appendMessages(db, batch, turn)
      for (const topic of new Set(batch.map(({ destination }) => destination.topic))) {
        wake.messages(topic)
      }
      // A deleted topic has no position; it is made again at the next attempt.
      if (positions.length < batch.length) known.clear()
      const outcomes = batch.map((): Outcome => retryLater(new TransportError('TOPIC_MISSING')))
      for (const { place, partition, offset } of positions) {
        outcomes[place] = delivered({ partition, offset: String(offset) })
      }
      return outcomes
    } catch (error) {
      return batch.map(() => outcomeOf(error))
    }
  }

  return {
    async deliver(batch, { ordered, signal }) {
      return sendByHalves(batch, createGate(ordered), async (admitted) =>
        signal.aborted ? admitted.map(abortedOutcome) : append(admitted),
      )
    },
    async passed(sent) {
      return sent.length === 0 ? [] : selectPassed(db, sent.map(positionOf))
    },
    async subscribe(consumer) {
      const leaseMs = toMs(options.lease ?? '15s')
      checkName(consumer.topic)
      checkName(consumer.group)
      const within = boundPool(pool, Math.min(leaseMs, toMs(options.timeout ?? '10s')))
      const shared = { db: within, log, wake }
      const opening = openSubscription(consumer, {
        ...shared,
        reader: (reader ??= new Reader({ ...shared, leaseMs })),
        partitions,
        from: options.from ?? 'earliest',
        pollMs: options.poll === undefined ? undefined : toMs(options.poll),
        commitEveryMs: toMs(options.commitEvery ?? '200ms'),
        batch: options.batch ?? 100,
        concurrency: options.concurrency ?? 8,
        ...readingOf({ deadLetters: pool, ...options }),
      })
      subscriptions.add(opening)
      opening.catch(() => subscriptions.delete(opening))
      const { close } = await opening
      return { close: () => close().finally(() => subscriptions.delete(opening)) }
    },
    lag: ({ topic, group }) => selectLag(db, topic, group),
    prune: (olderThan) => pruneMessages(db, olderThan),
    forget: (topic, group) => deleteGroup(db, topic, group),
    async close() {
      const opened = await Promise.allSettled(subscriptions)
      await Promise.all(opened.flatMap((each) => ('value' in each ? [each.value.close()] : [])))
      await reader?.close().catch((error: unknown) => {
        log.warn({ err: error }, 'leaving the topics failed; the lease will run out')
      })
      await wake.close()
    },
  }
}

function outcomeOf(error: unknown): Outcome | Faulty {
  if (error instanceof UnreachableError) return unreachable(error)
  if (error instanceof TransportError && error.code === 'CONNECTION_LOST') return retryLater(error)
  if (!isServerError(error)) return { kind: 'faulty', error }
  // Class 22 and 23: the data of some message; 57P and 53: the server is going or full.
  if (/^2[23]/.test(error.code)) return { kind: 'faulty', error }
  return /^(57P|53|08)/.test(error.code) ? unreachable(error) : retryLater(error)
}

function positionOf({ destination, ref }: { destination: Destination; ref: Reference }) {
  return {
    topic: destination.topic,
    group: groupOf(destination),
    partition: Number(ref['partition']),
    offset: Number(ref['offset']),
  }
}

const BATCH = 1_000

/** Deletes messages older than this that every group has passed, in batches; returns how many. */
async function pruneMessages(db: Queryable, olderThan: Duration): Promise<number> {
  const limits = { olderThanMs: toMs(olderThan), limit: BATCH }
  let total = 0
  let deleted: number
  do total += deleted = await deleteMessages(db, limits)
  while (deleted > 0)
  return total
}

/** What the topics keep. */
export const topicRetention: RetentionCatalogue = {
  classes: [
    {
      name: 'engine.topics',
      title: 'Messages in Postgres topics that every group has read',
      keep: '7d',
      least: '1h',
      personal: true,
      leaves: 'What the consumers made of them.',
      maintained: [
        {
          table: 'posthorn.topic_message',
          key: ['topic', 'partition', 'log_offset'],
          dated: 't.appended_at',
        },
      ],
      prune: ({ pool, keepMs }) => pruneMessages(pool, `${keepMs}ms`),
    },
  ],
  personal: [
    {
      table: 'posthorn.topic_message',
      key: ['topic', 'partition', 'log_offset'],
      org: 'coalesce(t.tenant, $tenant)',
      busy: `exists (select from posthorn.topic_group_partition as g
                      where g.topic = t.topic and g.partition = t.partition
                        and g.committed_offset <= t.log_offset)`,
    },
  ],
  kept: {
    'posthorn.topic': 'one row for each topic',
    'posthorn.topic_reader': 'leases of processes that read',
  },
}
