import type { Runner } from 'graphile-worker'
import { Pool, type PoolClient } from 'pg'
import {
  commitEach,
  type Contestant,
  type EnqueueContestant,
  type LatencyContestant,
  type Queue,
} from '../contestant.ts'
import { packageVersion } from '../../kit/harness.ts'
import { chunks, key, payload, sampleOf, samplePayload, SENDERS } from '../../kit/payload.ts'
import type { Database } from '../../kit/postgres.ts'
import { tally } from '../../kit/tally.ts'

// Its benchmark's own switch: no line built per finished job. Read when the module is loaded.
process.env['NO_LOG_SUCCESS'] = '1'
const { Logger, makeWorkerUtils, run, runMigrations } = await import('graphile-worker')

const VERSION = packageVersion('graphile-worker')
const TASK = 'bench'
const CHUNK = 5_000

interface Form {
  readonly concurrentJobs: number
  /** Jobs fetched at a time; 0: each worker fetches its own. */
  readonly localQueue: number
  readonly pollIntervalMs: number
}

// Its performance page's settings. Completions are batched without delay in all forms.
const FASTEST: Form = { concurrentJobs: 24, localQueue: 500, pollIntervalMs: 2_000 }

// In one process a fetch waits until the last one's jobs are gone, so larger fetches wait less
// often. Tried: 500 to 4,000 jobs and 8 to 500 at once.
const LARGE_FETCHES: Form = { ...FASTEST, localQueue: 2_000 }

// A fetch that brings no more jobs than workers wait is followed by a pause of the poll interval,
// and with named queues that is the rule towards the end: at the default of 2 s the tail alone
// takes longer than all before it.
const FASTEST_NAMED: Form = { ...FASTEST, pollIntervalMs: 10 }

/** Jobs without a queue name: no order, as fast as its documentation knows. */
export const graphileWorker = contestant('graphile-worker', FASTEST, () => undefined)

/** The same with fetches four times as large as the others' batches. */
export const graphileWorkerLargeFetches = contestant(
  'graphile-worker local queue 2000',
  LARGE_FETCHES,
  () => undefined,
)

/** A named queue per key: jobs of a key run one after the other. */
export const graphileWorkerNamedQueues = contestant(
  'graphile-worker named queues',
  FASTEST_NAMED,
  key,
)

type QueueName = (index: number) => string | undefined

function contestant(name: string, form: Form, queueName: QueueName): Contestant {
  return {
    name,
    version: VERSION,
    settings: describe(form),
    open: (database) => open(database, form, queueName),
  }
}

function describe({ concurrentJobs, localQueue, pollIntervalMs }: Form): string {
  return `localQueue ${localQueue}, concurrentJobs ${concurrentJobs}, pollInterval ${pollIntervalMs}, completeJobBatchDelay 0`
}

async function open({ url }: Database, form: Form, queueName: QueueName): Promise<Queue> {
  const pool = await openMigratedPool(url, form)
  const utils = await makeWorkerUtils({ pgPool: pool, logger: silent })
  return {
    async enqueue(count) {
      for (const chunk of chunks(count, CHUNK)) {
        await utils.addJobs(
          chunk.map((index) => {
            const queue = queueName(index)
            const job = { identifier: TASK, payload: payload(index) }
            return queue === undefined ? job : { ...job, queueName: queue }
          }),
        )
      }
    },
    async drain(count, limitMs) {
      const counter = tally(count, limitMs)
      const runner = await startRunner(pool, form, (message) => counter.count(message))
      // Stopping waits for the batched completions.
      return counter.result(() => runner.stop())
    },
    async close() {
      await utils.release()
      await pool.end()
    },
  }
}

/** Enqueues with its SQL function, in the caller's transaction, as its documentation shows. */
export function graphileWorkerLatency(
  localQueue: number,
  concurrentJobs = FASTEST.concurrentJobs,
): LatencyContestant {
  const form: Form = { ...FASTEST, localQueue, concurrentJobs }
  return {
    name: localQueue === 0 ? 'graphile-worker without local queue' : 'graphile-worker',
    version: VERSION,
    settings: describe(form),
    async open({ url }, handle) {
      const pool = await openMigratedPool(url, form)
      const senders = new Pool({ connectionString: url, max: SENDERS })
      const runner = await startRunner(pool, form, (message) => handle(sampleOf(message)))
      return {
        send: (sample) => commitEach(senders, (client) => addJob(client, samplePayload(sample))),
        async close() {
          await runner.stop()
          await Promise.all([pool.end(), senders.end()])
        },
      }
    },
  }
}

const ADD_JOB = `select graphile_worker.add_job('${TASK}', $1::json)`

function addJob(client: PoolClient, job: object) {
  return client.query({ name: 'add-job', text: ADD_JOB, values: [JSON.stringify(job)] })
}

export const graphileWorkerEnqueue: EnqueueContestant = {
  name: 'graphile-worker',
  version: VERSION,
  settings: 'addJobs; add_job in a transaction',
  async open({ url }) {
    const pool = await openMigratedPool(url, FASTEST)
    const utils = await makeWorkerUtils({ pgPool: pool, logger: silent })
    const one = new Pool({ connectionString: url, max: 1 })
    return {
      async bulk(indexes) {
        await utils.addJobs(indexes.map((index) => ({ identifier: TASK, payload: payload(index) })))
      },
      async single(index) {
        await commitEach(one, (client) => addJob(client, payload(index)))
      },
      async close() {
        await utils.release()
        await Promise.all([pool.end(), one.end()])
      },
    }
  },
}

const silent = new Logger(() => () => undefined)

/** A pool of the size and with the listeners that it asks for, on a database with its schema. */
async function openMigratedPool(url: string, { concurrentJobs }: Form): Promise<Pool> {
  const pool = new Pool({ connectionString: url, max: concurrentJobs + 1 })
  pool.on('error', (error) => console.error(error))
  pool.on('connect', (client) => client.on('error', (error) => console.error(error)))
  await runMigrations({ pgPool: pool, logger: silent })
  return pool
}

function startRunner(
  pool: Pool,
  { concurrentJobs, localQueue, pollIntervalMs }: Form,
  handle: (message: unknown) => void | Promise<void>,
): Promise<Runner> {
  return run({
    pgPool: pool,
    logger: silent,
    noHandleSignals: true,
    taskList: { [TASK]: async (message: unknown) => handle(message) },
    parsedCronItems: [],
    preset: {
      worker: {
        concurrentJobs,
        pollInterval: pollIntervalMs,
        ...(localQueue > 0 ? { localQueue: { size: localQueue } } : {}),
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      },
    },
  })
}
