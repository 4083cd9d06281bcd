import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'pg'
import { lineLog, meetParent } from '../kit/processes/parent.ts'
import { createRandom } from '../kit/random.ts'
import { loadEngine } from './engine.ts'
import { ACCOUNTS, outboxesOf } from './outboxes.ts'
import { advanceAccount, insertEntries } from '../kit/events/queries.ts'
import { PlannedRollback } from '../kit/events/writer.ts'

export interface WriterSettings {
  readonly databaseUrl: string
  readonly source: string
  readonly seed: number
  readonly keys: readonly string[]
  /** Messages a second. */
  readonly rate: number
}

const { settings, tell, stopped } = meetParent<WriterSettings>()
const { databaseUrl, name, source, seed, keys, rate } = settings
const log = lineLog(name)
const engine = await loadEngine(source)
const outboxes = outboxesOf(engine)
const pool = new Pool({ connectionString: databaseUrl, max: 4 })
pool.on('error', (error) => log.warn({ err: error }, 'a database connection died'))
const random = createRandom(seed + process.pid)

const ROLLBACKS = 0.03

const over = new AbortController()
void stopped.then(() => over.abort())
const notifier = engine.createNotifier(pool, outboxes)
tell({ kind: 'ready' })
const began = performance.now()
for (let written = 0; !over.signal.aborted; written += outboxes.length) {
  await sleep(Math.max(0, began + (written / rate) * 1_000 - performance.now()))
  await write().catch((error: unknown) => {
    if (!(error instanceof PlannedRollback)) throw error
  })
}
await notifier.close()
await pool.end()
process.exit(0)

/** One event of a key, to both outboxes, in one transaction. */
async function write(): Promise<void> {
  const key = keys[random.below(keys.length)] as string
  await engine.transaction(pool, async (tx) => {
    const n = await advanceAccount(tx, { source: ACCOUNTS, key, by: 1 })
    for (const outbox of outboxes) {
      const id = engine.uuid()
      await insertEntries(tx, outbox.name, [{ id, key, n }])
      await engine.enqueue(tx, outbox, { id, key, n: String(n) })
    }
    if (random.fraction() < ROLLBACKS) throw new PlannedRollback()
  })
}
