export type { DeadLetterSink, ReadingOptions } from '../failures.ts'
export { postgresTopics, topicMigrations } from './topics.ts'
export type { PostgresTopics, PostgresTopicsOptions } from './topics.ts'
