import { createRelay } from '@posthorn/engine'
import { Pool } from 'pg'
import { sagaEvents, sagaTurns } from '../index.ts'
import {
  crashingSaga,
  forkingSaga,
  sendGo,
  type CrashPoint,
  type ForkPoint,
} from './crash-points.ts'
import { sagaTransport } from '../run/orchestrator.ts'

/*
 * An orchestrator that runs until it reaches the point it is given, says so, and stands still there:
 * its parent kills it.
 */
const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: 10 })

async function reach(point: CrashPoint | ForkPoint): Promise<void> {
  if (point !== process.env['CRASH_AT']) return
  process.stdout.write(`${point}\n`)
  // An interval keeps the process alive; the promise never ends.
  setInterval(() => undefined, 60_000)
  await new Promise(() => undefined)
}

const { SIGNAL_TO: signalTo } = process.env
const forking = forkingSaga(pool, async (point) => {
  // From here on it is an instance of a version that takes the signal.
  if (point === 'upgraded' && signalTo !== undefined) await sendGo(pool, signalTo, forking)
  await reach(point)
})
const transport = sagaTransport({
  pool,
  sagas: [crashingSaga(pool, reach), forking],
  events: sagaEvents({ transport: 'topics' }),
})
const relay = createRelay({
  pool,
  outboxes: [sagaTurns],
  maintenance: 'off',
  transports: {
    sagas: {
      async deliver(batch, options) {
        await reach('turn taken')
        const outcomes = await transport.deliver(batch, options)
        await reach('turn over')
        return outcomes
      },
      close: async () => transport.close?.(),
    },
  },
})
await relay.start()
