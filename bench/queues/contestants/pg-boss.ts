import { Pool, type PoolClient } from 'pg'
import { PgBoss } from 'pg-boss'
import {
  commitEach,
  type Contestant,
  type EnqueueContestant,
  type LatencyContestant,
} from '../contestant.ts'
import { packageVersion } from '../../kit/harness.ts'
import { chunks, payload, sampleOf, samplePayload, SENDERS } from '../../kit/payload.ts'
import { tally } from '../../kit/tally.ts'

const VERSION = packageVersion('pg-boss')
const QUEUE = 'bench'
const CHUNK = 5_000
const BATCH = 500
// Tried: 1, 2 and 4.
const WORKERS = 2

// The shortest it takes.
const POLLING_SECONDS = 0.5

const WORK = {
  batchSize: BATCH,
  burstWhenBatchFull: true,
  localConcurrency: WORKERS,
  pollingIntervalSeconds: POLLING_SECONDS,
}

/** Batches of 500, fetched again at once while they come back full. */
export const pgBoss: Contestant = {
  name: 'pg-boss',
  version: VERSION,
  settings: `batchSize ${BATCH}, burstWhenBatchFull, localConcurrency ${WORKERS}`,
  async open({ url }) {
    const boss = await startBoss(url)
    return {
      async enqueue(count) {
        for (const chunk of chunks(count, CHUNK)) await boss.insert(QUEUE, jobs(chunk))
      },
      async drain(count, limitMs) {
        const counter = tally(count, limitMs)
        await boss.work<unknown>(QUEUE, WORK, async (batch) => {
          for (const { data } of batch) counter.count(data)
        })
        // Waits for the batches under way, completion included.
        return counter.result(() => boss.offWork(QUEUE, { wait: true }))
      },
      close: () => boss.stop(),
    }
  },
}

/** Woken by LISTEN/NOTIFY, which its queue's `notify` sends in the enqueueing transaction. */
export function pgBossLatency({ batchSize = BATCH, localConcurrency = WORKERS } = {}) {
  const contestant: LatencyContestant = {
    name: 'pg-boss',
    version: VERSION,
    settings: `notify, batchSize ${batchSize}, burstWhenBatchFull, localConcurrency ${localConcurrency}, pollingIntervalSeconds ${POLLING_SECONDS}`,
    async open({ url }, handle) {
      const boss = await startBoss(url)
      const senders = new Pool({ connectionString: url, max: SENDERS })
      const woken = {
        ...{ ...WORK, batchSize, localConcurrency },
        notifyPollingIntervalSeconds: POLLING_SECONDS,
      }
      await boss.work<unknown>(QUEUE, woken, async (batch) => {
        await Promise.all(batch.map(async ({ data }) => handle(sampleOf(data))))
      })
      return {
        send: (sample) =>
          commitEach(senders, (client) =>
            boss.send(QUEUE, samplePayload(sample), { db: inTransactionOf(client) }),
          ),
        async close() {
          await boss.stop()
          await senders.end()
        },
      }
    },
  }
  return contestant
}

export const pgBossEnqueue: EnqueueContestant = {
  name: 'pg-boss',
  version: VERSION,
  settings: 'insert; send in a transaction',
  async open({ url }) {
    const boss = await startBoss(url)
    const one = new Pool({ connectionString: url, max: 1 })
    return {
      async bulk(indexes) {
        await boss.insert(QUEUE, jobs(indexes))
      },
      async single(index) {
        await commitEach(one, (client) =>
          boss.send(QUEUE, payload(index), { db: inTransactionOf(client) }),
        )
      },
      async close() {
        await boss.stop()
        await one.end()
      },
    }
  },
}

async function startBoss(url: string): Promise<PgBoss> {
  const boss = new PgBoss({
    connectionString: url,
    // No maintenance in the middle of a run of seconds.
    supervise: false,
    schedule: false,
    useListenNotify: true,
  })
  boss.on('error', (error) => console.error(error))
  await boss.start()
  await boss.createQueue(QUEUE, { notify: true })
  return boss
}

function jobs(indexes: readonly number[]): { data: object }[] {
  return indexes.map((index) => ({ data: payload(index) }))
}

function inTransactionOf(client: PoolClient) {
  return { executeSql: (text: string, values?: unknown[]) => client.query(text, values) }
}
