import { setTimeout as sleep } from 'node:timers/promises'
import { Logger, makeWorkerUtils, run, runMigrations } from 'graphile-worker'
import { transaction } from '@posthorn/engine'
import { insertEffect, type Entry } from '../../kit/events/queries.ts'
import { WORK_MS, type Contestant } from './contestant.ts'
import { addGraphileJob, graphileLeft, selectGoneWorkers, selectLeft } from './queries.ts'
import { versionOf } from './version.ts'

const silent = new Logger(() => () => undefined)

/** A named queue for each key: its jobs run one after the other. */
export const graphileWorker: Contestant = {
  name: 'graphile-worker',
  version: versionOf('graphile-worker'),
  settings: 'a named queue for each key, concurrentJobs 8, pollInterval 500',
  async prepare(pool) {
    await runMigrations({ pgPool: pool, logger: silent })
    return {
      source: 'graphile-worker',
      async add(tx, entries) {
        for (const entry of entries) await tx.query(addGraphileJob(entry, entry.key))
      },
    }
  },
  async work({ pool, note }) {
    const runner = await run({
      ...{ pgPool: pool, logger: silent, noHandleSignals: true, parsedCronItems: [] },
      taskList: {
        async peers(payload) {
          const entry = payload as Entry
          note(entry)
          await sleep(WORK_MS)
          await transaction(pool, (tx) => insertEffect(tx, 'graphile-worker', entry))
        },
      },
      preset: { worker: { concurrentJobs: 8, pollInterval: 500 } },
    })
    return () => runner.stop()
  },
  left: (db) => selectLeft(db, graphileLeft),
  async unlock(pool) {
    const gone = await selectGoneWorkers(pool)
    if (gone.length === 0) return
    const utils = await makeWorkerUtils({ pgPool: pool, logger: silent })
    try {
      await utils.forceUnlockWorkers(gone)
    } finally {
      await utils.release()
    }
  },
}
