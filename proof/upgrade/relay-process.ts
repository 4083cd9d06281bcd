import { delivered, retryLater, unknown, type Outcome, type Transport } from '@posthorn/engine'
import { Pool } from 'pg'
import { lineLog, meetParent } from '../kit/processes/parent.ts'
import { createRandom } from '../kit/random.ts'
import { loadEngine } from './engine.ts'
import { noteArrivals } from '../kit/events/arrivals.ts'
import { inbox, type EventPayload } from '../kit/events/outbox.ts'
import { insertEffect } from '../kit/events/queries.ts'
import { outboxesOf } from './outboxes.ts'

export interface RelaySettings {
  readonly databaseUrl: string
  /** Where the arrivals are written down. */
  readonly folder: string
  /** Sources of the version of the engine to run. */
  readonly source: string
  readonly seed: number
}

const { settings, tell, stopped } = meetParent<RelaySettings>()
const { databaseUrl, folder, name, source, seed } = settings
const log = lineLog(name)
const engine = await loadEngine(source)
const outboxes = outboxesOf(engine)
const note = noteArrivals(folder, name)
const random = createRandom(seed + process.pid)
const outside = new Pool({ connectionString: databaseUrl, max: 8 })
outside.on('error', (error) => log.warn({ err: error }, 'a database connection died'))
const pool = new Pool({ connectionString: databaseUrl, max: 4 * outboxes.length })

const FAILING = 0.02
const UNKNOWN = 0.02

/** The outside world: it writes down what arrives, and fails or stays silent now and then. */
const ledger: Transport = {
  async deliver(batch, { ordered }) {
    const outcomes: Outcome[] = []
    const stoppedKeys = new Set<string | undefined>()
    for (const { message, destination } of batch) {
      const isHeld = ordered && stoppedKeys.has(message.key)
      const outcome = isHeld
        ? retryLater({ code: 'HELD_BACK', message: 'behind another' }, { charge: false })
        : await arrive(destination.topic, message.id, message.payload as EventPayload)
      if (outcome.kind !== 'delivered') stoppedKeys.add(message.key)
      outcomes.push(outcome)
    }
    return outcomes
  },
  close: async () => undefined,
}

async function arrive(topic: string, id: string, { key, n }: EventPayload): Promise<Outcome> {
  const luck = random.fraction()
  if (luck < FAILING) return retryLater({ code: 'BUSY', message: 'not now' })
  note(topic, { id, key, n })
  const receipt = { inbox, consumer: 'ledger', id }
  await engine.transaction(outside, (tx) =>
    engine.once(tx, receipt, () => insertEffect(tx, topic, { id, key, n })),
  )
  if (luck > 1 - UNKNOWN) return unknown({ code: 'SILENT', message: 'no answer' })
  return delivered()
}

const relay = engine.createRelay({
  pool,
  outboxes,
  transports: { ledger },
  name,
  drain: '5s',
  log,
})
await relay.start()
tell({ kind: 'ready' })
await stopped
await relay.stop()
await Promise.all([pool.end(), outside.end()])
process.exit(0)
