import { failureOf, type Failure } from '@posthorn/engine'
import { request, type Dispatcher } from 'undici'

export interface GraphRequest {
  readonly url: string
  readonly accessToken: string
  readonly body: unknown
  readonly dispatcher: Dispatcher
  readonly signal: AbortSignal
}

/** What Meta's Graph API said to a message, or why it said nothing. */
export type GraphReply =
  | { readonly kind: 'accepted'; readonly messageId: string; readonly response: unknown }
  | {
      readonly kind: 'failed'
      readonly status: number
      /** Meta's own code, which counts; undefined where something else answered. */
      readonly code: number | undefined
      readonly error: Failure
      readonly retryAfterMs: number | undefined
      readonly response: unknown
    }
  /** No connection was made: nothing has left. */
  | { readonly kind: 'unreachable'; readonly error: Failure; readonly response?: undefined }
  /** The request may have left, and no answer came. */
  | { readonly kind: 'silent'; readonly error: Failure; readonly response?: undefined }

/** Errors of making a connection. */
const BEFORE_SENDING =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|UND_ERR_INVALID_ARG|ERR_INVALID_URL|CERT_.*|ERR_TLS_.*|.*_CERT(_.*)?)$/

/** Posts a message, once. Never throws: a failure is a reply too. */
export async function postMessage(message: GraphRequest): Promise<GraphReply> {
  const { url, accessToken, body, dispatcher, signal } = message
  try {
    const {
      statusCode,
      headers,
      body: answer,
    } = await request(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      dispatcher,
      signal,
    })
    const response = parseJson(await answer.text())
    return replyOf({ status: statusCode, retryAfter: headers['retry-after'], response })
  } catch (error) {
    const code = codeIn(error)
    if (code !== undefined && BEFORE_SENDING.test(code)) {
      return { kind: 'unreachable', error: failureOf(error, 'PROVIDER_UNREACHABLE') }
    }
    const { message: why } = failureOf(error, 'PROVIDER_SILENT')
    return { kind: 'silent', error: { code: 'PROVIDER_SILENT', message: why } }
  }
}

interface Answer {
  readonly status: number
  readonly retryAfter: string | string[] | undefined
  readonly response: unknown
}

function replyOf({ status, retryAfter, response }: Answer): GraphReply {
  if (status >= 200 && status < 300) {
    const messageId = textAt(response, ['messages', '0', 'id'])
    if (messageId !== undefined) return { kind: 'accepted', messageId, response }
    const message = `HTTP ${status} without the id of a message`
    return { kind: 'silent', error: { code: 'PROVIDER_SILENT', message } }
  }
  const given = valueAt(response, ['error', 'code'])
  const code = typeof given === 'number' ? given : undefined
  const message =
    textAt(response, ['error', 'error_data', 'details']) ??
    textAt(response, ['error', 'message']) ??
    `HTTP ${status}`
  const error = failureOf(
    { code: code === undefined ? `HTTP_${status}` : String(code), message },
    '',
  )
  return { kind: 'failed', status, code, error, retryAfterMs: waitOf(retryAfter), response }
}

/** Longest and deepest answer that is kept as it is; Meta's have a tenth of that. */
const MOST_CHARACTERS = 16_384
const DEEPEST = 32

function parseJson(text: string): unknown {
  try {
    if (text.length <= MOST_CHARACTERS && depthOf(text) <= DEEPEST) return JSON.parse(text)
  } catch {
    // Not JSON: kept as text.
  }
  return { text: text.slice(0, 2_000) }
}

function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1
    deepest = Math.max(deepest, depth)
  }
  return deepest
}

/** What stands at a path within an answer or a webhook. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, key) =>
      typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[key] : undefined,
    value,
  )
}

function textAt(value: unknown, path: readonly string[]): string | undefined {
  const found = valueAt(value, path)
  const text = typeof found === 'string' ? found.replaceAll('\0', '') : ''
  return text === '' ? undefined : text
}

/** A `Retry-After` of more than a day is not believed. */
const MOST_MS = 86_400_000

/** `Retry-After` in its two forms, seconds and a date. */
function waitOf(header: string | string[] | undefined): number | undefined {
  const text = [header].flat()[0]?.trim() ?? ''
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now()
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), MOST_MS) : undefined
}

function codeIn(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : undefined
}
