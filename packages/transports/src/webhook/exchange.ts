import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import type { ErrorClass } from './errors.ts'
import { AbortedError, errorClassOf, TimeoutError } from './error-class.ts'

/** One request and what came back, as it is kept for people to look at. */
export interface Exchange {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly startedAt: Date
  readonly durationMs: number
  /** Undefined if no status line came. */
  readonly response: ExchangeResponse | undefined
  /** Undefined if the whole answer came, whatever it says. */
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
}

const MAX_BODY = 16 * 1024
/** Of the answer's headers as they are kept. */
const MAX_KEPT_HEADERS = 8 * 1024

/** Posts a body once. It never throws, and never reads more of the answer than is kept. */
export async function exchange(
  dispatcher: Dispatcher,
  { url, headers, body, timeoutMs, signal }: ExchangeOptions,
): Promise<Exchange> {
  const startedAt = new Date()
  const started = performance.now()
  const abort = new AbortController()
  const timer = setTimeout(() => abort.abort(new TimeoutError(timeoutMs)), timeoutMs)
  const callOff = () => abort.abort(new AbortedError())
  if (signal.aborted) callOff()
  signal.addEventListener('abort', callOff, { once: true })
  let response: ExchangeResponse | undefined
  let error: Exchange['error']
  try {
    const { origin, pathname, search } = new URL(url)
    const answer = await dispatcher.request({
      origin,
      path: pathname + search,
      method: 'POST',
      headers,
      body,
      signal: abort.signal,
      // The timer above is the limit; a second one would only blur it.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    const kept = keptHeaders(answer.headers)
    response = { status: answer.statusCode, headers: kept, ...NO_BODY }
    response = { ...response, ...(await readStart(answer.body)) }
  } catch (thrown) {
    const cause: unknown = abort.signal.aborted ? abort.signal.reason : thrown
    error = { class: errorClassOf(cause), message: messageOf(cause) }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', callOff)
  }
  const durationMs = Math.round(performance.now() - started)
  return { url, headers, startedAt, durationMs, response, error }
}

type Start = Pick<ExchangeResponse, 'body' | 'encoding' | 'truncated'>

const NO_BODY: Start = { body: '', encoding: 'utf8', truncated: false }

/** Reads what is kept and cuts the rest off, with its connection. */
async function readStart(body: Dispatcher.ResponseData['body']): Promise<Start> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size > MAX_BODY) break
  }
  if (size === 0) return NO_BODY
  const bytes = Buffer.concat(chunks).subarray(0, MAX_BODY)
  const truncated = size > MAX_BODY
  const text = textOf(bytes)
  return text === undefined
    ? { body: bytes.toString('base64'), encoding: 'base64', truncated }
    : { body: text, encoding: 'utf8', truncated }
}

/** Undefined for what is not UTF-8, or holds a zero byte, which no text of Postgres does. */
function textOf(bytes: Buffer): string | undefined {
  try {
    // As a stream: a character that the cut went through is left out, not taken for rubbish.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

function keptHeaders(headers: IncomingHttpHeaders): Record<string, string> {
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
  // Several addresses that all failed are told of together.
  if (cause instanceof AggregateError && cause.message === '') {
    return cause.errors.map((each: unknown) => messageOf(each)).join('; ')
  }
  return cause.message || cause.name
}
