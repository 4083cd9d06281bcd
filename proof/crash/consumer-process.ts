import { transaction } from '@posthorn/engine'
import { once } from '@posthorn/engine/inbox'
import { Pool } from 'pg'
import { noteArrivals } from '../kit/events/arrivals.ts'
import { HANDLERS, openBroker, type BrokerAddress } from './broker.ts'
import { inbox, topics, type EventPayload } from '../kit/events/outbox.ts'
import { lineLog, meetParent } from '../kit/processes/parent.ts'
import { insertEffect } from '../kit/events/queries.ts'

export interface ConsumerSettings {
  readonly databaseUrl: string
  readonly broker: BrokerAddress
  /** Where the arrivals are written down. */
  readonly folder: string
}

const { settings, tell, stopped } = meetParent<ConsumerSettings>()
const log = lineLog(settings.name)
const pool = new Pool({ connectionString: settings.databaseUrl, max: HANDLERS })
pool.on('error', (error) =>
  log.warn({ err: error }, 'idle database connection lost; the pool replaces it'),
)
const note = noteArrivals(settings.folder, settings.name)
const broker = await openBroker(settings.broker, { log, deadLetters: pool })
/** A delivery that is tried again because the database was away has not arrived a second time. */
const noted = new WeakSet<object>()

for (const topic of topics) {
  await broker.subscribe({
    topic,
    // One for each topic: Kafka's groups take it for granted that all members read the same topics.
    group: `${topic}.ledger`,
    async handle({ id, payload }, { ref }) {
      const { key, n } = payload as EventPayload
      if (!noted.has(ref)) note(topic, { id, key, n })
      noted.add(ref)
      const receipt = { inbox, consumer: 'ledger', id }
      await transaction(pool, (tx) =>
        once(tx, receipt, () => insertEffect(tx, topic, { id, key, n })),
      )
    },
  })
}
tell({ kind: 'ready' })
await stopped
await broker.close()
await pool.end()
process.exit(0)
