import { CodedError } from '@posthorn/engine'

/**
 * Every code a saga raises or writes into a row, with the sentence that explains it. Codes of the
 * steps' own errors pass through as they are.
 */
export const SAGA_CODES = {
  SAGA_CANCELLED: 'An operator cancelled the saga; its steps are undone.',
  SAGA_DATA_INVALID: 'The data of a step cannot be stored as JSON.',
  SAGA_DEADLINE_EXCEEDED: 'The saga had not ended by its deadline; its steps are undone.',
  SAGA_DEFINITION_INVALID: 'The definition of a saga is wrong; the message names the step.',
  SAGA_EVENTS_MISSING: 'A step returned events, but the saga has no outbox for events.',
  SAGA_EXISTS: 'A saga with this id exists.',
  SAGA_FATAL: 'Three processes in a row died while running this saga alone.',
  SAGA_KEY_TAKEN: 'Another saga of this name has the key.',
  SAGA_MISSING: 'There is no saga with this id or key.',
  SAGA_REPLY_TIMEOUT: 'No reply came in time.',
  SAGA_SIGNAL_INVALID: 'The payload of the signal is invalid for the step that waits for it.',
  SAGA_SIGNAL_LIMIT: 'The saga has a hundred unread signals.',
  SAGA_SIGNAL_TIMEOUT: 'No signal came in time.',
  SAGA_SIGNAL_UNKNOWN: 'No step of the saga waits for a signal of this name.',
  SAGA_STEP_FAILED: 'A step threw an error without a code.',
  SAGA_STEP_TIMEOUT: 'A step exceeded its time limit.',
  SAGA_REASON_MISSING: 'The action needs a reason.',
  SAGA_STUCK: 'A compensation used all its attempts; an operator has to act.',
  SAGA_TERMINATED: 'An operator ended the saga; nothing more is done or undone.',
  SAGA_TRANSACTION_ABORTED:
    'The step caught the error of a failed statement and continued: PostgreSQL stores nothing of it.',
  SAGA_UNKNOWN: 'This process does not know the definition or the version of the saga.',
  SAGA_UPGRADE_REFUSED: 'The saga cannot be upgraded to the newer version; it stays unchanged.',
  SAGA_CHANGED: 'The saga started with other steps under the same name and version.',
} as const

export type SagaCode = keyof typeof SAGA_CODES

/** Raised by this package, or stored with a saga: branch on `code`. */
export class SagaError extends CodedError<SagaCode> {
  constructor(code: SagaCode, message?: string, options?: ErrorOptions) {
    super(code, message ?? SAGA_CODES[code], options)
  }
}
