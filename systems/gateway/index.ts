import { Agent, request } from 'undici'
import { Type, type Static } from 'typebox'

/** Stands for the simulated gateway of this server. */
export const SIMULATED = 'simulated'

/** The settings of systems that charge; spread into a system's own. */
export const gatewaySettings = {
  GATEWAY_URL: Type.String({
    description: 'the payment gateway, as http(s)://…; in development the simulated one',
    pattern: `^(${SIMULATED}|https?://.+)$`,
    default: SIMULATED,
    production: 'required',
  }),
  GATEWAY_API_KEY: Type.String({
    description: 'what the gateway knows us by',
    pattern: '^[\\x21-\\x7e]+$',
    default: SIMULATED,
    production: 'required',
    secret: true,
  }),
  GATEWAY_TIMEOUT_MS: Type.Integer({
    description: 'how long the gateway has for an answer, from 100 to 60000 ms',
    minimum: 100,
    maximum: 60_000,
    default: 10_000,
  }),
}

const Settings = Type.Object(gatewaySettings)

export interface GatewayOptions {
  readonly settings: Static<typeof Settings>
  /** Of this server: where the simulated gateway is. */
  baseUrl(): string
}

/** What to charge. The key is ours: the gateway charges once for it, however often it is asked. */
export interface Charge {
  readonly key: string
  /** In minor units. */
  readonly amount: number
  readonly currency: string
  /** Our own id; the gateway's webhooks name it as `paymentId`. */
  readonly reference: string
}

/** Why not, in the gateway's words where it had any. */
export interface GatewayError {
  readonly code: string
  readonly message: string
}

/** What became of a charge. */
export type ChargeOutcome =
  | { readonly kind: 'charged'; readonly ref: string }
  /** Refused for good; nothing was charged. */
  | { readonly kind: 'declined'; readonly ref: string | undefined; readonly error: GatewayError }
  /** The gateway failed, and says that nothing stands under the key. */
  | { readonly kind: 'failed'; readonly error: GatewayError }
  /** Perhaps charged: ask again with the same key, never with another. */
  | { readonly kind: 'unknown'; readonly error: GatewayError }

/** What stands under a key. */
export type FoundCharge = Exclude<ChargeOutcome, { kind: 'failed' }> | { readonly kind: 'none' }

export type RefundOutcome =
  | { readonly kind: 'refunded'; readonly ref: string }
  | { readonly kind: 'refused'; readonly error: GatewayError }
  | { readonly kind: 'unknown'; readonly error: GatewayError }

/** What to give back of a charge, under a key of ours as for charges. */
export interface Refund {
  readonly key: string
  readonly chargeRef: string
  /** In minor units. Left out: all that is left. */
  readonly amount?: number
}

/** The payment gateway. None of its verbs throws. */
export interface Gateway {
  /** Charges; where the gateway answers 5xx it is asked what stands under the key. */
  charge(charge: Charge): Promise<ChargeOutcome>
  /** Looks a charge up by the key it was made with. */
  find(key: string): Promise<FoundCharge>
  /** Gives an amount of a charge back, or all that is left of it; `key` is as for charges. */
  refund(refund: Refund): Promise<RefundOutcome>
}

interface Answer {
  readonly status: number
  readonly body: unknown
}

/** Of an answer: no honest one comes near it. */
const MOST_BYTES = 1024 * 1024

/** Says nothing about the charge: too many requests, wrong credentials, a proxy's refusal. */
const NOT_ABOUT_IT = new Set([401, 403, 404, 408, 409, 421, 425, 429])

export function createGateway({ settings, baseUrl }: GatewayOptions): Gateway {
  const { GATEWAY_URL: url, GATEWAY_API_KEY: apiKey, GATEWAY_TIMEOUT_MS: timeoutMs } = settings
  const agent = new Agent({ maxResponseSize: MOST_BYTES })
  const origin = () => (url === SIMULATED ? `${baseUrl()}/sim/gateway` : url.replace(/\/$/, ''))

  /** Undefined body means GET. The error stands for no answer at all. */
  async function call(path: string, key?: string, body?: object): Promise<Answer | GatewayError> {
    try {
      const response = await request(`${origin()}${path}`, {
        dispatcher: agent,
        method: body ? 'POST' : 'GET',
        headers: {
          authorization: `Bearer ${apiKey}`,
          ...(key !== undefined && { 'idempotency-key': key }),
          ...(body && { 'content-type': 'application/json' }),
        },
        body: body ? JSON.stringify(body) : null,
        // For the whole exchange: a body that drips in must not hold a payment for ever.
        signal: AbortSignal.timeout(timeoutMs),
      })
      return { status: response.statusCode, body: parseJson(await response.body.text()) }
    } catch (error) {
      return noAnswer(error)
    }
  }

  async function find(key: string): Promise<FoundCharge> {
    const answer = await call(`/charges?idempotencyKey=${encodeURIComponent(key)}`)
    if (!('status' in answer)) return { kind: 'unknown', error: answer }
    const items = field(answer.body, 'items')
    if (answer.status !== 200 || !Array.isArray(items)) {
      return { kind: 'unknown', error: errorOf(answer) }
    }
    if (items.length === 0) return { kind: 'none' }
    // A gateway that does not know the filter would list charges of others.
    const mine = items.find((item) => field(item, 'idempotencyKey') === key)
    return mine === undefined ? { kind: 'unknown', error: errorOf(answer) } : chargeOf(mine)
  }

  return {
    find,
    async charge({ key, ...order }) {
      const answer = await call('/charges', key, order)
      if (!('status' in answer)) return { kind: 'unknown', error: answer }
      const { status, body } = answer
      if (status === 200 || status === 201) return chargeOf(body)
      if (status === 402) {
        return { kind: 'declined', ref: idOf(field(body, 'charge')), error: errorOf(answer) }
      }
      if (isRefusal(status)) return { kind: 'failed', error: errorOf(answer) }
      if (status < 500) return { kind: 'unknown', error: errorOf(answer) }
      const found = await find(key)
      return found.kind === 'none' ? { kind: 'failed', error: errorOf(answer) } : found
    },
    async refund({ key, chargeRef, ...order }) {
      const answer = await call(`/charges/${encodeURIComponent(chargeRef)}/refunds`, key, order)
      if (!('status' in answer)) return { kind: 'unknown', error: answer }
      const ref = idOf(answer.body)
      if ((answer.status === 200 || answer.status === 201) && ref !== undefined) {
        return { kind: 'refunded', ref }
      }
      // A 404 of the gateway itself has its error in the body; one of a proxy has not.
      const isUnknownCharge = answer.status === 404 && field(answer.body, 'error') !== undefined
      const isFinal = isRefusal(answer.status) || isUnknownCharge
      return { kind: isFinal ? 'refused' : 'unknown', error: errorOf(answer) }
    },
  }
}

function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && !NOT_ABOUT_IT.has(status)
}

function chargeOf(item: unknown): Exclude<FoundCharge, { kind: 'none' }> {
  const ref = idOf(item)
  const status = field(item, 'status')
  if (ref !== undefined && status === 'succeeded') return { kind: 'charged', ref }
  if (status === 'declined') {
    const error = { code: 'card_declined', message: 'The card was declined.' }
    return { kind: 'declined', ref, error }
  }
  const message = 'The gateway gave an answer that says nothing about the charge.'
  return { kind: 'unknown', error: { code: 'unreadable_answer', message } }
}

function idOf(item: unknown): string | undefined {
  const id = field(item, 'id')
  return typeof id === 'string' && id !== '' ? id.slice(0, 255) : undefined
}

function errorOf({ status, body }: Answer): GatewayError {
  const error = field(body, 'error')
  const [code, message] = [field(error, 'code'), field(error, 'message')]
  return {
    code: typeof code === 'string' ? code.slice(0, 100) : `http_${status}`,
    message:
      typeof message === 'string' ? message.slice(0, 500) : `The gateway answered ${status}.`,
  }
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

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Record<string, unknown>)[name]
    : undefined
}
