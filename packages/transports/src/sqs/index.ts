export type { DeadLetterSink, ReadingOptions } from '../consume/failures.ts'
export { sqsTransport } from './transport.ts'
export type { SqsOptions, SqsTransport } from './transport.ts'
