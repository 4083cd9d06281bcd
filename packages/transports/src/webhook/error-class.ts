import type { ErrorClass } from './errors.ts'
import { BlockedError } from './guard.ts'

/** The exchange took longer than it may. */
export class TimeoutError extends Error {
  constructor(ms: number) {
    super(`the exchange was not over after ${ms} ms`)
  }
}

/** The caller aborted the exchange. */
export class AbortedError extends Error {
  constructor() {
    super('the exchange was called off')
  }
}

/** Codes of Node and undici by what they mean for an endpoint. */
const CLASSES: Readonly<Record<string, ErrorClass>> = {
  EAI_AGAIN: 'dns',
  EAI_FAIL: 'dns',
  EAI_NODATA: 'dns',
  EAI_NONAME: 'dns',
  EBADNAME: 'dns',
  EBADRESP: 'dns',
  ENODATA: 'dns',
  ENOTFOUND: 'dns',
  EREFUSED: 'dns',
  ESERVFAIL: 'dns',
  ETIMEOUT: 'dns',
  EADDRNOTAVAIL: 'connect',
  ECONNREFUSED: 'connect',
  EHOSTDOWN: 'connect',
  EHOSTUNREACH: 'connect',
  EMFILE: 'connect',
  ENETDOWN: 'connect',
  ENETUNREACH: 'connect',
  ETIMEDOUT: 'connect',
  UND_ERR_CONNECT_TIMEOUT: 'connect',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  UND_ERR_SOCKET: 'reset',
  EPROTO: 'tls',
  CERT_HAS_EXPIRED: 'tls',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls',
}

/** What an error says about the endpoint. Unknown errors count as a lost connection. */
export function errorClassOf(error: unknown): ErrorClass {
  if (error instanceof TimeoutError) return 'timeout'
  if (error instanceof AbortedError) return 'aborted'
  if (error instanceof BlockedError) return 'blocked'
  if (!(error instanceof Error)) return 'reset'
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (/^(ERR_(SSL|TLS)_|CERT_|UNABLE_TO_)/.test(code)) return 'tls'
  // The parser's errors do not always have a code of theirs.
  if (error.name === 'HTTPParserError' || /^(HPE_|UND_ERR_HEADERS_OVERFLOW)/.test(code)) {
    return 'protocol'
  }
  if (error instanceof AggregateError && CLASSES[code] === undefined) {
    return errorClassOf(error.errors[0])
  }
  return CLASSES[code] ?? (error.cause === undefined ? 'reset' : errorClassOf(error.cause))
}
