export type { DeadLetterSink, ReadingOptions } from '../consume/failures.ts'
export { redisTransport } from './transport.ts'
export type { RedisOptions, RedisTransport } from './transport.ts'
