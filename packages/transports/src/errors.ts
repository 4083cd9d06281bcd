import { CodedError, PosthornError } from '@posthorn/engine'

/**
 * Every code the transports write into an outcome or raise, with the sentence that explains it.
 * `HELD_BACK` and `DESTINATION_UNREACHABLE` are the engine's; Kafka's and Postgres's own codes pass
 * through as they are.
 */
export const TRANSPORT_CODES = {
  ABORTED: 'The delivery was cancelled before the message was sent.',
  BROKER_BLOCKED: 'The broker accepts no messages: it is short of memory or disk.',
  CLOSED: 'The transport is closed.',
  CONNECTION_LOST: 'The connection was lost while the message was being sent; it may have arrived.',
  DEAD_LETTERS_MISSING: 'A consumer needs deadLetters, for messages that it cannot handle.',
  DELIVERY_TIMEOUT: 'The destination did not answer in time.',
  MESSAGE_TOO_LARGE: 'The message is larger than the destination allows.',
  MESSAGE_UNENCODABLE: 'The message cannot be written as JSON and headers.',
  MESSAGE_UNREADABLE: 'The consumer received something that is not a message.',
  NACKED: 'The broker rejected the message.',
  QUEUE_MISMATCH: 'The queue exists with other settings.',
  SCHEMA_INCOMPATIBLE: 'The registry rejected the schema as incompatible with earlier ones.',
  SCHEMA_INVALID: 'The registry rejected the schema.',
  SCHEMA_MISSING: 'The registry has no schema for the message.',
  TOPIC_INVALID: 'The name of the topic or group is empty, too long or has a forbidden character.',
  TOPIC_MISSING: 'The topic does not exist.',
  UNROUTABLE: 'No queue is bound for the message.',
} as const

export type TransportCode = keyof typeof TRANSPORT_CODES

/** Raised or reported by a transport: branch on `code`. */
export class TransportError extends CodedError<TransportCode> {
  constructor(code: TransportCode, message?: string, options?: ErrorOptions) {
    super(code, message ?? TRANSPORT_CODES[code], options)
  }
}

/** The server was not reached, so nothing of the message has left this process. */
export class UnreachableError extends PosthornError {
  constructor(message: string, options?: ErrorOptions) {
    super('DESTINATION_UNREACHABLE', message, options)
  }
}
