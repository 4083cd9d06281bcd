import { randomUUID } from 'node:crypto'
import { Pool, type PoolConfig } from 'pg'
import {
  DatabaseSetup,
  getDisabledLogger,
  initializeMessageStorage,
  initializePollingMessageListener,
  type PollingListenerConfig,
} from 'pg-transactional-outbox'
import { commitEach, type Contestant, type EnqueueContestant } from '../contestant.ts'
import { packageVersion } from '../../kit/harness.ts'
import { chunks, payload } from '../../kit/payload.ts'
import { tally } from '../../kit/tally.ts'

const VERSION = packageVersion('pg-transactional-outbox')
const CHUNK = 5_000
// Tried: 500 to 5,000 messages and 10 to 50 connections. Each poll reads all that waits, so small
// batches poll too often; each message is a transaction of its own, which sets the limit.
const BATCH = 2_000
const CONNECTIONS = 20

export const pgTransactionalOutbox: Contestant = {
  name: 'pg-transactional-outbox',
  version: VERSION,
  settings: `polling listener, parallel messages, batches of ${BATCH}, handler connections ${CONNECTIONS}`,
  async open({ url }) {
    const pool = await poolWithTable(url)
    return {
      async enqueue(count) {
        for (const chunk of chunks(count, CHUNK)) await insertMany(pool, chunk)
      },
      async drain(count, limitMs) {
        const counter = tally(count, limitMs)
        const [shutdown] = initializePollingMessageListener(
          listenerConfig(url),
          { handle: async (message) => counter.count(message.payload) },
          getDisabledLogger(),
          { batchSizeStrategy: refillAtHalf },
        )
        // Its shutdown waits for the handlers' connections, and so for their commits.
        return counter.result(shutdown)
      },
      close: () => pool.end(),
    }
  },
}

/** Its own way to store a message; it has none for many at once. */
export const pgTransactionalOutboxEnqueue: EnqueueContestant = {
  name: 'pg-transactional-outbox',
  version: VERSION,
  settings: 'initializeMessageStorage in a transaction',
  async open({ url }) {
    const pool = await poolWithTable(url)
    const store = initializeMessageStorage(listenerConfig(url), getDisabledLogger())
    return {
      async single(index) {
        const id = randomUUID()
        const message = { id, aggregateType: 'bench', aggregateId: id, messageType: 'bench' }
        await commitEach(pool, (client) => store({ ...message, payload: payload(index) }, client))
      },
      close: () => pool.end(),
    }
  },
}

const SETUP = {
  outboxOrInbox: 'outbox',
  database: 'unused',
  schema: 'public',
  table: 'outbox',
  listenerRole: 'unused',
  nextMessagesName: 'next_outbox_messages',
} as const

async function poolWithTable(url: string): Promise<Pool> {
  const pool = new Pool({ connectionString: url, max: 1 })
  await pool.query(DatabaseSetup.dropAndCreateTable(SETUP))
  await pool.query(DatabaseSetup.createPollingFunction(SETUP))
  await pool.query(DatabaseSetup.setupPollingIndexes(SETUP))
  return pool
}

function listenerConfig(url: string): PollingListenerConfig {
  const handlers: PoolConfig = { connectionString: url, max: CONNECTIONS }
  return {
    outboxOrInbox: 'outbox',
    dbListenerConfig: { connectionString: url },
    dbHandlerConfig: handlers,
    settings: {
      dbSchema: SETUP.schema,
      dbTable: SETUP.table,
      nextMessagesFunctionSchema: SETUP.schema,
      nextMessagesFunctionName: SETUP.nextMessagesName,
      nextMessagesBatchSize: BATCH,
      nextMessagesLockInMs: 60_000,
      nextMessagesPollingIntervalInMs: 10,
      messageCleanupIntervalInMs: 0,
      enableMaxAttemptsProtection: false,
      enablePoisonousMessageProtection: false,
    },
  }
}

/**
 * Its default asks for one message whenever one is finished, and each question reads all that
 * waits. Asking only when half of the batch is done is many times faster.
 */
async function refillAtHalf(inProgress: number): Promise<number> {
  if (inProgress <= BATCH / 2) return BATCH
  await new Promise((resolve) => setImmediate(resolve))
  return inProgress
}

/** For filling only: it has no bulk insert of its own. */
async function insertMany(pool: Pool, indexes: readonly number[]): Promise<void> {
  await pool.query(
    `insert into outbox (id, aggregate_type, aggregate_id, message_type, concurrency, payload)
     select id, 'bench', id::text, 'bench', 'parallel', payload
       from unnest($1::uuid[], $2::jsonb[]) as m (id, payload)`,
    [indexes.map(() => randomUUID()), indexes.map((index) => JSON.stringify(payload(index)))],
  )
}
