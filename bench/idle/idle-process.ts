import { outbox, posthorn, silentLog } from '@posthorn/engine'
import { run } from 'graphile-worker'
import { Pool } from 'pg'
import { PgBoss } from 'pg-boss'

/** A child process of `idle`: waits for messages that nobody sends. */
export interface IdleOrder {
  readonly who: 'posthorn' | 'posthorn asleep' | 'pg-boss' | 'graphile-worker'
  readonly databaseUrl: string
  readonly queues: number
}

const order = JSON.parse(process.argv[2] ?? '{}') as IdleOrder
if (order.who === 'posthorn') await startPosthorn()
else if (order.who === 'posthorn asleep') await startPosthorn({ sleepAfter: '5s' })
else if (order.who === 'pg-boss') await startBoss()
else await startWorker()
process.send?.('ready')
process.on('message', () => process.send?.(process.cpuUsage()))
process.once('disconnect', () => process.exit())

async function startPosthorn(sleeping: { sleepAfter?: '5s' } = {}): Promise<void> {
  const pool = new Pool({ connectionString: order.databaseUrl, max: 10 })
  const parts = Array.from({ length: order.queues }, (_, n) =>
    // Half of them ordered, and the odd one of a single outbox is not.
    outbox(`public.idle_${n}`, n % 2 === 1 ? { order: 'key' } : {}).handle({
      any: async () => undefined,
    }),
  )
  const app = posthorn({ pool, handlers: parts, log: silentLog, ...sleeping })
  await app.setUp()
  await app.start()
}

async function startBoss(): Promise<void> {
  const boss = new PgBoss({ connectionString: order.databaseUrl, useListenNotify: true })
  boss.on('error', (error) => console.error(error))
  await boss.start()
  for (let n = 0; n < order.queues; n += 1) {
    await boss.createQueue(`idle_${n}`, { notify: true })
    await boss.work(`idle_${n}`, async () => undefined)
  }
}

async function startWorker(): Promise<void> {
  const tasks = Array.from({ length: order.queues }, (_, n) => [`idle_${n}`, async () => undefined])
  await run({
    connectionString: order.databaseUrl,
    noHandleSignals: true,
    taskList: Object.fromEntries(tasks),
    parsedCronItems: [],
  })
}
