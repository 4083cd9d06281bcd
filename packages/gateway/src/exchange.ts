import { Agent, request, type Dispatcher } from 'undici'
import type { GatewayError } from './gateway.ts'

/** An answer of a gateway; the body is undefined where it is no JSON. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: unknown
}

export interface Call {
  readonly method: Dispatcher.HttpMethod
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Ends the whole exchange: a body that drips in must not hold a payment for ever. */
  readonly signal: AbortSignal
}

/** Of an answer: no honest one comes near it. */
const MOST_BYTES = 1024 * 1024

const agent = new Agent({ maxResponseSize: MOST_BYTES })

/** Asks a gateway. The error stands for no answer at all. */
export async function exchange(call: Call): Promise<Answer | GatewayError> {
  try {
    const { method, headers, body, signal } = call
    const options = { dispatcher: agent, method, headers, body: body ?? null, signal }
    const response = await request(call.url, options)
    const { statusCode: status, headers: answered } = response
    return { status, headers: answered, body: parseJson(await response.body.text()) }
  } catch (error) {
    return noAnswer(error)
  }
}

export function isAnswer(answer: Answer | GatewayError): answer is Answer {
  return 'status' in answer
}

/** Says nothing about the money: too many requests, wrong credentials, a proxy's refusal. */
const NOT_ABOUT_IT = new Set([401, 403, 404, 408, 409, 421, 425, 429])

/** Whether the gateway looked at the request and refused it. */
export function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && !NOT_ABOUT_IT.has(status)
}

/** An answer that cannot be read says nothing about the money. */
export function unreadable(): { readonly kind: 'unknown'; readonly error: GatewayError } {
  const message = 'The gateway gave an answer that says nothing about the charge.'
  return { kind: 'unknown', error: { code: 'unreadable_answer', message } }
}

export function errorOf({ status, body }: Answer): GatewayError {
  const error = field(body, 'error')
  const [code, message] = [field(error, 'code'), field(error, 'message')]
  return {
    code: typeof code === 'string' && code !== '' ? code.slice(0, 100) : `http_${status}`,
    message:
      typeof message === 'string' ? message.slice(0, 500) : `The gateway answered ${status}.`,
  }
}

/** The `id` of what a gateway answered. */
export function idOf(item: unknown): string | undefined {
  const id = field(item, 'id')
  return typeof id === 'string' && id !== '' ? id.slice(0, 255) : undefined
}

export function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Record<string, unknown>)[name]
    : undefined
}

function noAnswer(error: unknown): GatewayError {
  const { name, code } = error as { name?: string; code?: string }
  if (name === 'TimeoutError') {
    return { code: 'timeout', message: 'The gateway did not answer in time.' }
  }
  const message = `The gateway could not be asked${code === undefined ? '' : ` (${code})`}.`
  return { code: 'no_answer', message }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
