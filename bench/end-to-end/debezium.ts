import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Outbox } from '@posthorn/engine'
import { debeziumConnector } from '@posthorn/transports/kafka'
import { startConnect } from '../../scripts/services/index.mjs'
import type { Database } from '../kit/postgres.ts'

export interface Debezium {
  readonly version: string
  /** What its command line contains, to find its process by. */
  readonly folder: string
  [Symbol.asyncDispose](): Promise<void>
}

const READY_WITHIN_MS = 120_000

/** Starts Kafka Connect with the connector of an outbox, and comes back once it reads the log. */
export async function startDebezium<Row>(
  outbox: Outbox<Row>,
  { database, brokers, dir, overrides }: DebeziumOrder,
): Promise<Debezium> {
  const { url, pool } = database
  process.env['DATABASE_PASSWORD'] = decodeURIComponent(new URL(url).password)
  const { name, config } = debeziumConnector(outbox, { databaseUrl: url })
  // In a folder of its own: what another connector has read is kept there by the connector's name.
  const own = await mkdtemp(join(dir, 'debezium-'))
  const connect = await startConnect(brokers, { dir: own, log: () => undefined })
  const slots = async (condition: string) => {
    const { rows } = await pool.query<{ slot_name: string }>(
      `select slot_name from pg_replication_slots
        where database = current_database() and ${condition}`,
    )
    return rows.map((row) => row.slot_name)
  }
  const end = async () => {
    await connect.stop()
    // A slot belongs to its database, and keeps it from being dropped.
    await until(async () => (await slots('active')).length === 0, 'the slot is still read')
    for (const slot of await slots('not active')) {
      await pool.query('select pg_drop_replication_slot($1)', [slot])
    }
  }
  try {
    const answer = await fetch(`${connect.url}/connectors`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name, config: { ...config, ...overrides } }),
    })
    if (!answer.ok) throw new Error(`Kafka Connect refused the connector: ${await answer.text()}`)
    await until(async () => (await slots('active')).length > 0, 'Debezium does not read the log')
  } catch (error) {
    await end()
    throw error
  }
  return { version: connect.version, folder: connect.folder, [Symbol.asyncDispose]: end }
}

interface DebeziumOrder {
  readonly database: Database
  readonly brokers: string
  readonly dir: string
  /** Of the connector's configuration. */
  readonly overrides: Readonly<Record<string, string>>
}

async function until(isSo: () => Promise<boolean>, failure: string): Promise<void> {
  for (const end = performance.now() + READY_WITHIN_MS; !(await isSo());) {
    if (performance.now() > end) throw new Error(failure)
    await sleep(100)
  }
}
