export type { DeadLetterSink, ReadingOptions } from '../consume/failures.ts'
export { topicRetention } from './topics.ts'
export { postgresTopics, topicMigrations } from './topics.ts'
export type { PostgresTopics, PostgresTopicsOptions } from './topics.ts'
