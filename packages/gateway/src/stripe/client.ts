import { createHash } from 'node:crypto'
import { errorOf, exchange, field, isAnswer, type Answer } from '../exchange.ts'
import type { GatewayError, Unknown } from '../gateway.ts'

/** What the adapter was written against; Stripe answers in this version's shapes. */
const API_VERSION = '2025-03-31.basil'

/** Of an idempotency key. */
const MOST_KEY_LENGTH = 255

export interface StripeClientOptions {
  /** Asked for at every request, since the simulated Stripe has its address late. */
  origin(): string
  readonly apiKey: string
  readonly timeoutMs: number
}

/** Parameters by Stripe's flat names, such as `metadata[order]`; what is undefined is left out. */
export type Params = Readonly<Record<string, string | number | undefined>>

/** Stripe's API: forms in, JSON out. */
export interface StripeClient {
  get(path: string): Promise<Answer | GatewayError>
  post(path: string, key: string, params: Params): Promise<Answer | GatewayError>
}

/** For one verb of the gateway: all its requests together have the time of one. */
export function stripeClient({ origin, apiKey, timeoutMs }: StripeClientOptions): StripeClient {
  const signal = AbortSignal.timeout(timeoutMs)
  const common = { authorization: `Bearer ${apiKey}`, 'stripe-version': API_VERSION }
  return {
    get: (path) => exchange({ method: 'GET', url: origin() + path, headers: common, signal }),
    post: (path, key, params) =>
      exchange({
        ...{ method: 'POST', url: origin() + path, signal, body: formOf(params) },
        headers: {
          ...common,
          'idempotency-key': shortenKey(key),
          'content-type': 'application/x-www-form-urlencoded',
        },
      }),
  }
}

function formOf(params: Params): string {
  const given = Object.entries(params).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  )
  return new URLSearchParams(given).toString()
}

function shortenKey(key: string): string {
  if (key.length <= MOST_KEY_LENGTH) return key
  return createHash('sha256').update(key).digest('hex')
}

/** Whether an answer is what was kept under the key, from an earlier request. */
export function isReplay({ headers }: Answer): boolean {
  return headers['idempotent-replayed'] === 'true'
}

/** The code of an error of Stripe's, or its type where it has no code. */
export function codeOf({ body }: Answer): unknown {
  const error = field(body, 'error')
  return field(error, 'code') ?? field(error, 'type')
}

/** In Stripe's words, with the bank's reason where there is one. */
export function stripeErrorOf(answer: Answer): GatewayError {
  const { code, message } = errorOf(answer)
  const type = field(field(answer.body, 'error'), 'type')
  const reason = field(field(answer.body, 'error'), 'decline_code')
  return {
    code: code.startsWith('http_') && typeof type === 'string' ? type.slice(0, 100) : code,
    message: typeof reason === 'string' ? `${message} (${reason.slice(0, 100)})` : message,
  }
}

/** No answer, or one that says nothing of the money. */
export function unknownOf(answer: Answer | GatewayError): Unknown {
  return { kind: 'unknown', error: isAnswer(answer) ? stripeErrorOf(answer) : answer }
}
