export type { DeadLetterSink, ReadingOptions } from '../failures.ts'
export { natsTransport } from './transport.ts'
export type { NatsOptions, NatsTransport } from './transport.ts'
