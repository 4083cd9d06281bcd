import { DefinitionError, PosthornError, sqlState, SQLSTATE } from '@posthorn/engine'
import { ProblemError, problem, type FieldError } from './problem.ts'
import type { HttpProblemCode } from '../errors.ts'

/** What Fastify's own errors mean here. */
const FASTIFY: Readonly<Record<string, HttpProblemCode>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: 'MALFORMED_JSON',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'MALFORMED_JSON',
  FST_ERR_CTP_BODY_TOO_LARGE: 'PAYLOAD_TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'BAD_REQUEST',
  FST_ERR_MAX_PARAM_LENGTH: 'URI_TOO_LONG',
}

/** By status, for errors of Fastify's plugins. */
const STATUSES: Readonly<Record<number, HttpProblemCode>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  406: 'UNSUPPORTED_MEDIA_TYPE',
  408: 'REQUEST_TIMEOUT',
  409: 'CONFLICT',
  413: 'PAYLOAD_TOO_LARGE',
  414: 'URI_TOO_LONG',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  429: 'RATE_LIMITED',
  431: 'HEADERS_TOO_LARGE',
}

/** The answer to a thrown error. What is not known to be harmless is `INTERNAL` and says nothing. */
export function problemOf(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  if (error instanceof PosthornError) return ofEngine(error)
  if (isDatabaseOutage(error)) {
    return problem('DATABASE_UNAVAILABLE', {
      // Not that nothing was changed: the answer to a COMMIT may be what got lost.
      detail: 'Please try again.',
      retryAfterSeconds: 2,
      cause: error,
    })
  }
  return ofFastify(error) ?? internal(error)
}

function ofEngine(error: PosthornError): ProblemError {
  if (error.code === 'CURSOR_INVALID') {
    return problem('CURSOR_INVALID', { errors: [{ field: 'cursor', reason: 'is not known' }] })
  }
  if (error.code === 'IDEMPOTENCY_LOCK_LOST') {
    return problem('IDEMPOTENCY_KEY_IN_FLIGHT', { retryAfterSeconds: 1, cause: error })
  }
  if (error instanceof DefinitionError && error.field.startsWith('filter.')) {
    const field: FieldError = {
      field: error.field,
      reason: 'cannot be used with this outbox',
    }
    return problem('VALIDATION_FAILED', { errors: [field], cause: error })
  }
  return internal(error)
}

function ofFastify(error: unknown): ProblemError | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return
  // Only Fastify's: an HTTP client's error may carry the status that another server answered.
  if (!error.code.startsWith('FST_') || !('statusCode' in error)) return
  const code = FASTIFY[error.code] ?? STATUSES[Number(error.statusCode)]
  return code && problem(code, { detail: error.message, cause: error })
}

function internal(cause: unknown): ProblemError {
  if (sqlState(cause) !== undefined) {
    const detail = 'The database refused the request. Please try again.'
    return problem('INTERNAL', { detail, retryAfterSeconds: 5, cause })
  }
  const detail = 'The request was not completed. It is recorded under the id in X-Request-Id.'
  return problem('INTERNAL', { detail, cause })
}

/** Connection exceptions, insufficient resources, and an operator who stops the server. */
const CLASSES = /^(08|53|57P)/

const STATES: ReadonlySet<string> = new Set([
  SQLSTATE.deadlock,
  SQLSTATE.serializationFailure,
  SQLSTATE.lockNotAvailable,
  SQLSTATE.queryCanceled,
  // A replica was promoted or demoted: the next connection finds the right server.
  '25006',
])

const SYSTEM_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
])

/** pg and its pool give these errors no code, so that their text is all there is to go by. */
const PG_MESSAGES: ReadonlySet<string> = new Set([
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Connection terminated unexpectedly',
  'Connection terminated',
  'Connection terminated due to connection timeout',
  'Query read timeout',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
])

/** Whether the database could not be asked or could not go on: later the same request may succeed. */
function isDatabaseOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const state = sqlState(error)
  if (state !== undefined && (CLASSES.test(state) || STATES.has(state))) return true
  if ('code' in error && typeof error.code === 'string' && SYSTEM_CODES.has(error.code)) return true
  return PG_MESSAGES.has(error.message)
}
