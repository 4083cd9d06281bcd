import type { Log } from '@posthorn/engine'
import { postgresTopics } from '@posthorn/transports/postgres'
import type { Pool } from 'pg'
import { BROKER_NAMES, BROKERS, type Broker } from './broker-catalogue.ts'
import type { Configuration } from '../configuration/configuration.ts'

/** Live brokers by the name that destinations and consumers use. */
export interface Brokers {
  readonly byName: Readonly<Record<string, Broker>>
  /** For people: which name leads where. */
  readonly where: Readonly<Record<string, string>>
  close(): Promise<void>
}

export interface BrokerOptions {
  readonly configuration: Pick<Configuration, 'brokers'>
  readonly pool: Pool
  readonly log: Log
}

/**
 * `topics` and every broker of the catalogue. What is not configured leads to the topics in Postgres,
 * so that a system names what it wants and runs with what there is. Nothing is connected before it is
 * used.
 */
export async function openBrokers(options: BrokerOptions): Promise<Brokers> {
  const { configuration, pool, log } = options
  const topics: Broker = postgresTopics({ pool, log })
  const byName: Record<string, Broker> = { topics }
  const where: Record<string, string> = { topics: 'PostgreSQL' }
  for (const name of BROKER_NAMES) {
    const access = configuration.brokers[name]
    byName[name] = access ? await BROKERS[name].open(access, { log, deadLetters: pool }) : topics
    where[name] = access ? BROKERS[name].describe(access) : 'PostgreSQL'
  }
  return {
    byName,
    where,
    async close() {
      await Promise.all([...new Set(Object.values(byName))].map((broker) => broker.close()))
    },
  }
}
