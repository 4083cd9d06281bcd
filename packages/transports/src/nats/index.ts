export type { DeadLetterSink, ReadingOptions } from '../consume/failures.ts'
export { natsTransport } from './transport.ts'
export type { NatsOptions, NatsTransport } from './transport.ts'
