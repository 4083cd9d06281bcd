export type { DeadLetterSink, ReadingOptions } from '../failures.ts'
export type { TopicCreation } from './topics.ts'
export { kafkaTransport } from './transport.ts'
export type { KafkaOptions, KafkaTransport } from './transport.ts'
