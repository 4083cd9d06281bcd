export type { DeadLetterSink, ReadingOptions } from '../consume/failures.ts'
export { rabbitmqTransport } from './transport.ts'
export type { RabbitmqOptions, RabbitmqTransport } from './transport.ts'
