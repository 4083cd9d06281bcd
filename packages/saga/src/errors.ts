import { CodedError } from '@posthorn/engine'

/**
 * Every code a saga raises or writes into a row, with the sentence that explains it. Codes of the
 * steps' own errors pass through as they are.
 */
export const SAGA_CODES = {
  SAGA_CANCELLED: 'An operator cancelled the saga; its steps are undone.',
  SAGA_DATA_INVALID: 'What a step returned cannot be stored as JSON.',
  SAGA_DEADLINE_EXCEEDED: 'The saga had not ended by its deadline; its steps are undone.',
  SAGA_DEFINITION_INVALID: 'The definition of a saga is wrong; the message names the step.',
  SAGA_EVENTS_MISSING: 'A step returned events and no outbox for them was given.',
  SAGA_EXISTS: 'A saga with this id has run or is running.',
  SAGA_FATAL: 'Three orchestrators in a row were lost while they ran this saga alone.',
  SAGA_KEY_TAKEN: 'Another saga of this name has the key.',
  SAGA_MISSING: 'There is no saga with this id or key.',
  SAGA_REPLY_TIMEOUT: 'No reply came in time.',
  SAGA_SIGNAL_INVALID: 'The step that waits for the signal cannot read what it brings.',
  SAGA_SIGNAL_LIMIT: 'A hundred signals wait for the saga already.',
  SAGA_SIGNAL_TIMEOUT: 'No signal came in time.',
  SAGA_SIGNAL_UNKNOWN: 'No step of the saga waits for a signal of this name.',
  SAGA_STEP_FAILED: 'A step threw an error without a code.',
  SAGA_STEP_TIMEOUT: 'A step took longer than it may.',
  SAGA_REASON_MISSING: 'An operator must say why.',
  SAGA_STUCK: 'A compensation failed as often as its policy allows; a person must look.',
  SAGA_TERMINATED: 'An operator ended the saga where it was; nothing more is done or undone.',
  SAGA_TRANSACTION_ABORTED:
    'A statement of the step failed and the step went on: PostgreSQL stores nothing of it.',
  SAGA_UNKNOWN: 'This process does not know the definition or the version of the saga.',
  SAGA_UPGRADE_REFUSED:
    'The saga cannot become an instance of the newer version; it stays as it is.',
  SAGA_CHANGED: 'The saga was begun with other steps under the same name and version.',
} as const

export type SagaCode = keyof typeof SAGA_CODES

/** Raised by this package, or stored with a saga: branch on `code`. */
export class SagaError extends CodedError<SagaCode> {
  constructor(code: SagaCode, message?: string, options?: ErrorOptions) {
    super(code, message ?? SAGA_CODES[code], options)
  }
}
