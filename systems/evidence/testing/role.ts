import {
  type Subscriber,
  type Transport,
  createNotifier,
  createRelay,
  posthorn,
  schedule,
  silentLog,
} from '@posthorn/engine'
import { type PeriodicTask, startPeriodically } from '@posthorn/operate'
import { kafkaTransport } from '@posthorn/transports/kafka'
import { Pool } from 'pg'
import { type Reach, reachCommits } from '@posthorn/system/testing'
import { DEFAULT_LIMITS } from '../archive/limits.ts'
import { documentsApi } from '../attach/documents.ts'
import { createPause } from '../attach/pause.ts'
import { evidenceWorker } from '../attach/attacher.ts'
import { fileProcessors } from '../processor/file-processor.ts'
import { rowsOutbox } from '../outbox.ts'
import { createProgress } from '../progress.ts'
import { resultsWorker } from '../results/add-up.ts'
import { folderStorage } from '../storage/folder.ts'
import type { Storage } from '../storage/storage.ts'
import { topicForEach, topicOf } from './serving.ts'

/** Each can be a process of its own. */
export type Role = 'processor' | 'publisher' | 'worker' | 'results'

export interface RoleOptions {
  readonly databaseUrl: string
  readonly folder: string
  readonly documentsUrl: string
  readonly brokers: string
  /** Before the names of topics; each merchant has one of its own, so that its worker has its rows only. */
  readonly prefix: string
  /** Whose rows a worker attaches. */
  readonly org: string
  readonly reach: Reach
}

const LIMITS = { ...DEFAULT_LIMITS, rows: 1_000_000 }

/** Starts one part of the system; what it returns stops it. */
export async function startRole(role: Role, options: RoleOptions): Promise<() => Promise<void>> {
  const { reach } = options
  const commits = { count: 0 }
  const pool = new Pool({ connectionString: options.databaseUrl, max: 8 })
  pool.on('error', () => undefined)
  reachCommits(pool, reach, commits)
  const outbox = rowsOutbox({ perMerchant: 1_000 })
  const storage = reachingStorage(options)
  const common = { pool, log: silentLog, progress: createProgress(silentLog) }
  const run = (tasks: readonly PeriodicTask[]) => {
    const stop = startPeriodically(tasks, { log: silentLog })
    return async () => {
      await stop()
      await pool.end()
    }
  }
  switch (role) {
    case 'processor': {
      const notifier = createNotifier(pool, [outbox])
      // The claims are not counted among the commits of the reader.
      const claims = new Pool({ connectionString: options.databaseUrl, max: 4 })
      const app = posthorn({
        pool: claims,
        log: silentLog,
        maintenance: 'off',
        handlers: fileProcessors({
          ...{ ...common, storage, outbox, limits: LIMITS },
          // Small, so that a file has several.
          batchRows: 1_000,
          atOnce: 1,
          notify: async (_tx, { type }) => reach(`notified ${type}`),
        }),
      })
      await app.start()
      return async () => {
        await app.stop()
        await notifier.close()
        await claims.end()
        await pool.end()
      }
    }
    case 'results':
      return run([
        resultsWorker({
          ...{ ...common, everyMs: 50 },
          notify: async (_tx, { type }) => reach(`notified ${type}`),
        }),
      ])
    case 'publisher': {
      const broker = brokerOf(options, pool)
      const transport: Transport = {
        ...broker,
        async deliver(batch, delivering) {
          await reach('claimed')
          const outcomes = await broker.deliver(batch, delivering)
          // What is committed from here on is the note of it.
          commits.count = 0
          await reach('delivered')
          return outcomes
        },
      }
      const relay = createRelay({
        ...{ pool, outboxes: [outbox], transports: { kafka: transport }, maintenance: 'off' },
      })
      await relay.start()
      return async () => {
        await relay.stop()
        await broker.close()
        await pool.end()
      }
    }
    case 'worker': {
      const broker = brokerOf(options, pool)
      const api = documentsApi({
        ...{ address: () => options.documentsUrl, token: undefined, timeoutMs: 20_000, storage },
        connections: 8,
      })
      const consumer = evidenceWorker({
        ...{ pool, log: silentLog, outbox, callsAtOnce: 8 },
        documents: {
          ...api,
          async attach(attachment) {
            await reach('attach')
            const answer = await api.attach(attachment)
            await reach('attached')
            return answer
          },
        },
        pause: createPause({ pool, log: silentLog, probeMs: 1_000 }),
      })
      await broker.subscribe({
        topic: topicOf(options.prefix, options.org),
        group: `${options.prefix}-${options.org}`,
        async handle(message, context) {
          await reach('received')
          await consumer.handle(message, context)
          await reach('handled')
        },
        ...(consumer.batch && {
          batch: {
            size: consumer.batch.size,
            async handle(messages, context) {
              await reach('received')
              const results = await consumer.batch?.handle(messages, context)
              await reach('handled')
              return results ?? []
            },
          },
        }),
      })
      return async () => {
        await broker.close()
        await api.close()
        await pool.end()
      }
    }
  }
}

function brokerOf({ brokers, prefix }: RoleOptions, deadLetters: Pool): Transport & Subscriber {
  const kafka = kafkaTransport({
    brokers: brokers.split(','),
    deadLetters,
    // The shortest that a broker takes: so long is a dead worker waited for.
    session: '6s',
    concurrency: 1,
    createTopics: { partitions: 2 },
    retry: schedule(['50ms', '200ms'], { then: 'repeat-last' }),
  })
  return topicForEach(kafka, prefix)
}

function reachingStorage({ folder, reach }: RoleOptions): Storage {
  const storage = folderStorage(folder)
  let puts = 0
  return {
    ...storage,
    async head(key) {
      const found = await storage.head(key)
      await reach('looked')
      return found
    },
    async put(key, ...rest) {
      puts += 1
      const n = puts
      await reach(`put ${n}`)
      const stored = await storage.put(key, ...rest)
      await reach(`stored ${n}`)
      return stored
    },
  }
}
