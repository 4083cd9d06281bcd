export type { DeadLetterSink, ReadingOptions } from '../consume/failures.ts'
export { topicRetention } from './topics.ts'
export { postgresTransport, topicMigrations } from './topics.ts'
export type { PostgresTransport, PostgresTransportOptions } from './topics.ts'
