export { postgresTopics, topicMigrations } from './topics.ts'
export type { PostgresTopics, PostgresTopicsOptions } from './topics.ts'
