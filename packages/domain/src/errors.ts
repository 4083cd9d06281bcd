import { CodedError } from '@posthorn/engine'

/**
 * Every code this package raises, with the sentence that explains it. Codes of the engine and of
 * the database pass through as they are.
 */
export const DOMAIN_CODES = {
  AGGREGATE_STALE:
    'The aggregate was changed or removed by another transaction since it was loaded; nothing was written.',
  AGGREGATE_TWICE: 'The unit has another object for the same aggregate.',
  AGGREGATE_UNNAMED:
    'A minifier renamed the class of the aggregate, and it has no static aggregateType.',
  COMMIT_RUNNING: 'The unit is being committed already.',
  COMMIT_UNKNOWN: 'The connection was lost during the commit, whose result is unknown.',
  EVENT_INVALID: 'An event needs a type and a version from 1 up.',
  EVENTS_UNWRITTEN: 'Aggregates have raised events, and this write cannot send them.',
  MAPPER_INVALID: 'A mapper is incomplete; the message says why.',
  MAPPER_MISSING: 'The unit has no mapper for the class of the aggregate.',
} as const

export type DomainCode = keyof typeof DOMAIN_CODES

/** The root of what this package throws: branch on `code`. */
export class DomainError extends CodedError<DomainCode> {
  constructor(code: DomainCode, message?: string, options?: ErrorOptions) {
    super(code, message ?? DOMAIN_CODES[code], options)
  }
}

/** Another transaction was first: nothing was written. Load again in a new unit, decide again, commit. */
export class ConflictError extends DomainError {
  readonly aggregateType: string
  readonly aggregateId: string
  /** The version that was loaded and is no longer the stored one. */
  readonly version: number

  constructor(aggregate: { readonly id: string; readonly version: number }) {
    const type = aggregate.constructor.name
    super(
      'AGGREGATE_STALE',
      `${type} ${aggregate.id} is no longer at version ${aggregate.version}: nothing was written`,
    )
    this.aggregateType = type
    this.aggregateId = aggregate.id
    this.version = aggregate.version
  }
}

/**
 * It is unknown whether the commit happened. The unit keeps everything as it was: `commit()` again
 * finds out, and writes only what is not there.
 */
export class CommitUnknownError extends DomainError {
  constructor(cause: unknown) {
    super('COMMIT_UNKNOWN', undefined, { cause })
  }
}
