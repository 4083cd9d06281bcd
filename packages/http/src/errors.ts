/**
 * Every problem this package answers with: its status and its title. Systems add their own by
 * `defineProblems`. `docs/reference/errors.md` lists the same codes; a test compares both ways.
 */
export const HTTP_PROBLEMS = {
  BAD_REQUEST: { status: 400, title: 'Malformed request' },
  VALIDATION_FAILED: { status: 400, title: 'Invalid request' },
  MALFORMED_JSON: { status: 400, title: 'The body is not JSON' },
  CURSOR_INVALID: { status: 400, title: 'Invalid cursor' },
  IDEMPOTENCY_KEY_MISSING: { status: 400, title: 'The header Idempotency-Key is required' },
  IDEMPOTENCY_KEY_INVALID: { status: 400, title: 'Invalid Idempotency-Key' },
  ANSWER_TOO_LARGE: { status: 400, title: 'The answer would be too large' },
  UNAUTHENTICATED: { status: 401, title: 'A valid bearer token is required' },
  TOKEN_EXPIRED: { status: 401, title: 'The token has expired' },
  CROSS_SITE: { status: 403, title: 'The request came from another site' },
  FORBIDDEN: { status: 403, title: 'The role of the token does not allow this' },
  ORG_MISMATCH: { status: 403, title: 'X-Org-Id is not the organisation of the token' },
  NOT_FOUND: { status: 404, title: 'Not found' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'Method not allowed' },
  REQUEST_TIMEOUT: { status: 408, title: 'Request timeout' },
  CONFLICT: { status: 409, title: 'The current state does not allow this' },
  IDEMPOTENCY_KEY_REUSED: { status: 409, title: 'The Idempotency-Key belongs to another request' },
  IDEMPOTENCY_KEY_IN_FLIGHT: { status: 409, title: 'The same request is in progress' },
  PAYLOAD_TOO_LARGE: { status: 413, title: 'The body is too large' },
  URI_TOO_LONG: { status: 414, title: 'URL too long' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'Unsupported content type' },
  RATE_LIMITED: { status: 429, title: 'Too many requests' },
  TOO_MANY_STREAMS: { status: 429, title: 'Too many open event streams' },
  HEADERS_TOO_LARGE: { status: 431, title: 'The headers are too large' },
  INTERNAL: { status: 500, title: 'Server error' },
  DATABASE_UNAVAILABLE: { status: 503, title: 'Database unavailable' },
  KEYS_UNAVAILABLE: { status: 503, title: 'Token keys unavailable' },
  SHUTTING_DOWN: { status: 503, title: 'The server is stopping' },
} as const

export type HttpProblemCode = keyof typeof HTTP_PROBLEMS
