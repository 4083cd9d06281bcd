import { withBrokers } from './brokers.ts'

/** A broker of our own: no other run sees what the benchmark publishes. */
export function withKafka(use: (brokers: string) => Promise<void>): Promise<void> {
  return withBrokers(['kafka'], ({ env }) => use(env['KAFKA_BROKERS'] ?? ''))
}
