import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import type { ErrorClass } from './errors.ts'
import { BlockedError } from './guard.ts'

/** One request and what came back, as it is kept for people to look at. */
export interface Exchange {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly startedAt: Date
  readonly durationMs: number
  /** Undefined if no status line came. */
  readonly response: ExchangeResponse | undefined
  /** Undefined if the whole answer came, with any status. */
  readonly error: { readonly class: ErrorClass; readonly message: string } | undefined
}

export interface ExchangeResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The first 16 KiB, as they came: nothing is inflated. */
  readonly body: string
  /** `base64` for what is not text. */
  readonly encoding: 'utf8' | 'base64'
  /** True: there was more. */
  readonly truncated: boolean
}

export interface ExchangeOptions {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** For the whole exchange: name, connection, request, answer with its body. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** What must have happened before a connection is made; its failure is that of the exchange. */
  readonly located?: Promise<unknown> | undefined
}

const MAX_BODY = 16 * 1024
/** Of the answer's headers as they are kept. */
const MAX_KEPT_HEADERS = 8 * 1024

/** Posts a body once. It never throws, and never reads more of the answer than is kept. */
export function exchange(dispatcher: Dispatcher, options: ExchangeOptions): Promise<Exchange> {
  return new Promise((resolve) => new Post(options, resolve).send(dispatcher))
}

/**
 * One request under way. It hears undici's events itself: a stream, a signal and an iterator for
 * every answer of a few bytes were a twentieth of a relay's processor time.
 */
class Post implements Dispatcher.DispatchHandler {
  readonly #options: ExchangeOptions
  readonly #resolve: (exchange: Exchange) => void
  readonly #startedAt = new Date()
  readonly #started = performance.now()
  readonly #timer: NodeJS.Timeout
  readonly #callOff = () => this.#stop(new AbortedError())
  readonly #chunks: Buffer[] = []
  #controller: Dispatcher.DispatchController | undefined
  #head: Pick<ExchangeResponse, 'status' | 'headers'> | undefined
  #size = 0
  /** Why the exchange was aborted; a request that begins after that is stopped at once. */
  #over: Error | undefined

  constructor(options: ExchangeOptions, resolve: (exchange: Exchange) => void) {
    this.#options = options
    this.#resolve = resolve
    const { timeoutMs, signal } = options
    this.#timer = setTimeout(() => this.#stop(new TimeoutError(timeoutMs)), timeoutMs)
    signal.addEventListener('abort', this.#callOff)
  }

  send(dispatcher: Dispatcher): void {
    const { signal, located } = this.#options
    located?.then(
      () => this.#dispatch(dispatcher),
      (error: unknown) => {
        if (!this.#over) this.#fail(error)
      },
    )
    if (signal.aborted) this.#callOff()
    else if (located === undefined) this.#dispatch(dispatcher)
  }

  #dispatch(dispatcher: Dispatcher): void {
    if (this.#over) return
    const { url, headers, body } = this.#options
    try {
      const { origin, pathname, search } = new URL(url)
      const request = { origin, path: pathname + search, method: 'POST', headers, body } as const
      // The timer above is the limit; a second one would only blur it.
      dispatcher.dispatch({ ...request, headersTimeout: 0, bodyTimeout: 0 }, this)
    } catch (error) {
      this.#fail(error)
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#over) controller.abort(this.#over)
    else this.#controller = controller
  }

  onResponseStart(_: unknown, status: number, headers: IncomingHttpHeaders): void {
    // Before the answer itself there may be others that only inform.
    if (status >= 200) this.#head = { status, headers: keepHeaders(headers) }
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    if (this.#size <= MAX_BODY || this.#over) return
    // What is kept is there; the rest is cut off, with its connection.
    this.#end(startOf(this.#chunks, this.#size), undefined)
    this.#cut(new AbortedError())
  }

  onResponseEnd(): void {
    this.#end(startOf(this.#chunks, this.#size), undefined)
  }

  onResponseError(_: unknown, error: Error): void {
    this.#fail(error)
  }

  #stop(reason: Error): void {
    this.#fail(reason)
    this.#cut(reason)
  }

  #fail(cause: unknown): void {
    this.#end(NO_BODY, { class: errorClassOf(cause), message: messageOf(cause) })
  }

  #cut(reason: Error): void {
    this.#over = reason
    this.#controller?.abort(reason)
  }

  /** Reported once, even if the connection fails afterwards. */
  #end(start: Start, error: Exchange['error']): void {
    clearTimeout(this.#timer)
    this.#options.signal.removeEventListener('abort', this.#callOff)
    const { url, headers } = this.#options
    const response = this.#head && { ...this.#head, ...start }
    const durationMs = Math.round(performance.now() - this.#started)
    this.#resolve({ url, headers, startedAt: this.#startedAt, durationMs, response, error })
  }
}

type Start = Pick<ExchangeResponse, 'body' | 'encoding' | 'truncated'>

const NO_BODY: Start = { body: '', encoding: 'utf8', truncated: false }

function startOf(chunks: readonly Buffer[], size: number): Start {
  if (size === 0) return NO_BODY
  const bytes = Buffer.concat(chunks).subarray(0, MAX_BODY)
  const truncated = size > MAX_BODY
  const text = textOf(bytes)
  return text === undefined
    ? { body: bytes.toString('base64'), encoding: 'base64', truncated }
    : { body: text, encoding: 'utf8', truncated }
}

/** As a stream: a character that the cut went through is left out, not taken for rubbish. */
const AS_STREAM = { stream: true }

/** Undefined for what is not UTF-8, or holds a zero byte, which no text of Postgres does. */
function textOf(bytes: Buffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, AS_STREAM)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

function keepHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const kept: Record<string, string> = {}
  let size = 0
  for (const [name, value = ''] of Object.entries(headers)) {
    const text = (Array.isArray(value) ? value.join(', ') : value).replaceAll('\0', '')
    size += name.length + text.length
    if (size > MAX_KEPT_HEADERS) break
    kept[name] = text
  }
  return kept
}

function messageOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  // Several addresses that all failed are reported together.
  if (cause instanceof AggregateError && cause.message === '') {
    return cause.errors.map((each: unknown) => messageOf(each)).join('; ')
  }
  // With the address that was tried, which may be one of our own network.
  if ('address' in cause && 'code' in cause) return `the connection failed: ${String(cause.code)}`
  return cause.message || cause.name
}

/** The exchange took longer than it may. */
class TimeoutError extends Error {
  constructor(ms: number) {
    super(`the exchange was not over after ${ms} ms`)
  }
}

/** The caller aborted the exchange. */
class AbortedError extends Error {
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
function errorClassOf(error: unknown): ErrorClass {
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
