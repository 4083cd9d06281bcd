import { setTimeout as sleep } from 'node:timers/promises'
import { PgBoss, type Db } from 'pg-boss'
import { transaction, type Queryable } from '@posthorn/engine'
import { insertEffect, type Entry } from '../../kit/events/queries.ts'
import { WORK_MS, type Contestant, type WorkOptions } from './contestant.ts'
import { pgBossLeft, selectLeft } from './queries.ts'
import { versionOf } from './version.ts'

const EXPIRE_SECONDS = 2
const QUEUE = {
  ...{ policy: 'key_strict_fifo', notify: true },
  ...{ expireInSeconds: EXPIRE_SECONDS, retryLimit: 1_000, retryDelay: 0 },
}
const WORK = {
  ...{ batchSize: 1, localConcurrency: 8 },
  ...{ pollingIntervalSeconds: 0.5, notifyPollingIntervalSeconds: 0.5 },
}
const SETTINGS = `key_strict_fifo, expireInSeconds ${EXPIRE_SECONDS}, supervised every second`

/** Its strongest form: the effect in the transaction that completes the job. */
export const pgBossTransactional = contestant('pg-boss-transactional', {
  settings: `${SETTINGS}, transactional`,
  start: (boss, { note }) =>
    boss.work(
      'pg-boss-transactional',
      { ...WORK, transactional: true as const },
      async (jobs, db) => {
        for (const { data } of jobs as { data: Entry }[]) {
          note(data)
          await sleep(WORK_MS)
          await insertEffect(queryableOf(db), 'pg-boss-transactional', data)
        }
      },
    ),
})

/** The usual form: the job is completed when its handler has returned. */
export const pgBoss = contestant('pg-boss', {
  settings: SETTINGS,
  start: (boss, { pool, note }) =>
    boss.work('pg-boss', WORK, async (jobs) => {
      for (const { data } of jobs as { data: Entry }[]) {
        note(data)
        await sleep(WORK_MS)
        await transaction(pool, (tx) => insertEffect(tx, 'pg-boss', data))
      }
    }),
})

interface Form {
  readonly settings: string
  start(boss: PgBoss, options: WorkOptions): Promise<string>
}

/** Its queue has its name. */
function contestant(name: string, { settings, start }: Form): Contestant {
  return {
    ...{ name, settings, version: versionOf('pg-boss') },
    async prepare(pool) {
      const boss = open(String(pool.options.connectionString))
      await boss.start()
      await boss.createQueue(name, QUEUE)
      await boss.stop()
      return {
        source: name,
        add: (tx, entries) =>
          boss.insert(
            name,
            entries.map(({ id, key, n }) => ({ id, data: { id, key, n }, singletonKey: key })),
            { db: databaseOf(tx) },
          ),
      }
    },
    async work(options) {
      const boss = open(options.databaseUrl)
      await boss.start()
      await start(boss, options)
      return () => boss.stop()
    },
    left: (db) => selectLeft(db, pgBossLeft(name)),
  }
}

function open(connectionString: string): PgBoss {
  const boss = new PgBoss({
    connectionString,
    ...{ useListenNotify: true, schedule: false },
    // As often as it allows: so soon it sees what a dead worker holds.
    ...{ superviseIntervalSeconds: 1, monitorIntervalSeconds: 1 },
  })
  // The database is away now and then, on purpose.
  boss.on('error', () => undefined)
  return boss
}

function databaseOf(db: Queryable): Db {
  return { executeSql: (text, values = []) => db.query({ text, values }) }
}

function queryableOf(db: Db): Queryable {
  return { query: ({ text, values }) => db.executeSql(text, [...values]) }
}
