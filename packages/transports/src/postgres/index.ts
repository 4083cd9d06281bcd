export type { DeadLetterSink, ReadingOptions } from '../consume/failures.ts'
export { topicRetention } from './retention.ts'
export { postgresTopics, topicMigrations } from './topics.ts'
export type { PostgresTopics, PostgresTopicsOptions } from './topics.ts'
