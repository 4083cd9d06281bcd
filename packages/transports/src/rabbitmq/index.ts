export type { OnUnreadable, Unreadable } from '../handling.ts'
export { rabbitmqTransport } from './transport.ts'
export type { RabbitmqOptions, RabbitmqTransport } from './transport.ts'
