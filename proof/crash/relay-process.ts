import { createRelay, type Transport } from '@posthorn/engine'
import { Pool } from 'pg'
import { openBroker, type BrokerAddress } from './broker.ts'
import { outboxNamed } from '../kit/events/outbox.ts'
import { lineLog, meetParent } from '../kit/processes/parent.ts'

export interface RelaySettings {
  readonly databaseUrl: string
  readonly broker: BrokerAddress
  readonly outboxes: readonly string[]
  /** Messages that kill the relay that delivers them. */
  readonly poison: readonly string[]
}

const { settings, tell, stopped } = meetParent<RelaySettings>()
const log = lineLog(settings.name)
const outboxes = settings.outboxes.map(outboxNamed)
const pool = new Pool({ connectionString: settings.databaseUrl, max: 4 * outboxes.length })
const broker = await openBroker(settings.broker, { log })
const relay = createRelay({
  pool,
  outboxes,
  transports: { broker: poisonTransport(broker, new Set(settings.poison)) },
  name: settings.name,
  drain: '5s',
  log,
  metrics: {
    gauge: () => undefined,
    observe: () => undefined,
    count: (metric, claims) => {
      if (metric === 'posthorn_lost_claims_total') tell({ kind: 'lost', claims })
    },
  },
})

// Where the database is not there yet this waits for it.
await relay.start()
tell({ kind: 'ready' })
await stopped
await relay.stop()
await broker.close()
await pool.end()
process.exit(0)

function poisonTransport(transport: Transport, poison: ReadonlySet<string>): Transport {
  return {
    deliver(batch, options) {
      if (batch.some(({ message }) => poison.has(message.id))) process.exit(137)
      return transport.deliver(batch, options)
    },
    close: async () => transport.close?.(),
  }
}
