/**
 * Every problem this package answers with: its status and its title. Systems add their own by
 * `defineProblems`. `docs/reference/errors.md` lists the same codes; a test compares both ways.
 */
export const HTTP_PROBLEMS = {
  BAD_REQUEST: { status: 400, title: 'The request cannot be understood' },
  VALIDATION_FAILED: { status: 400, title: 'The request is not valid' },
  MALFORMED_JSON: { status: 400, title: 'The body is not JSON' },
  CURSOR_INVALID: { status: 400, title: 'The cursor is not one that this list gave out' },
  IDEMPOTENCY_KEY_MISSING: { status: 400, title: 'The header Idempotency-Key is required' },
  IDEMPOTENCY_KEY_INVALID: { status: 400, title: 'The Idempotency-Key cannot be used' },
  UNAUTHENTICATED: { status: 401, title: 'A valid bearer token is required' },
  TOKEN_EXPIRED: { status: 401, title: 'The token has expired' },
  FORBIDDEN: { status: 403, title: 'The role of the token does not allow this' },
  ORG_MISMATCH: { status: 403, title: 'X-Org-Id is not the organisation of the token' },
  NOT_FOUND: { status: 404, title: 'There is no such thing' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'The address does not have this method' },
  REQUEST_TIMEOUT: { status: 408, title: 'The request took too long to arrive' },
  CONFLICT: { status: 409, title: 'The present state does not allow this' },
  IDEMPOTENCY_KEY_REUSED: { status: 409, title: 'The key belongs to another request' },
  IDEMPOTENCY_KEY_IN_FLIGHT: { status: 409, title: 'The same request is still being worked on' },
  PAYLOAD_TOO_LARGE: { status: 413, title: 'The body is too large' },
  URI_TOO_LONG: { status: 414, title: 'The address is too long' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'This content type is not taken here' },
  RATE_LIMITED: { status: 429, title: 'Too many requests' },
  TOO_MANY_STREAMS: { status: 429, title: 'Too many open event streams' },
  HEADERS_TOO_LARGE: { status: 431, title: 'The headers are too large' },
  INTERNAL: { status: 500, title: 'Something went wrong here' },
  DATABASE_UNAVAILABLE: { status: 503, title: 'The database cannot answer at the moment' },
  KEYS_UNAVAILABLE: { status: 503, title: 'The keys to check tokens with cannot be had' },
  SHUTTING_DOWN: { status: 503, title: 'The server is stopping' },
} as const

export type HttpProblemCode = keyof typeof HTTP_PROBLEMS
