import { randomBytes, createHmac } from 'node:crypto'
import { Type, type Static } from 'typebox'
import type { World } from '../world.ts'
import type { Charge, Refund } from './charge.ts'

/** A webhook that is about to be signed. */
interface Unsigned {
  readonly id: string
  readonly body: string
  /** In seconds since 1970. */
  readonly timestamp: number
}

/** How the gateway tells of what happened; `POST /sim/gateway/webhooks` changes it. */
export const WebhookHabits = Type.Object(
  {
    delayMs: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 60_000, description: 'how late they are; 200' }),
    ),
    copies: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 10, description: 'how often each is sent; 1' }),
    ),
    order: Type.Optional(
      Type.Enum(['kept', 'reversed'], {
        description: 'reversed: events within delayMs are sent newest first; kept',
      }),
    ),
  },
  { additionalProperties: false },
)
export type WebhookHabits = Static<typeof WebhookHabits>

const HABITS: Required<WebhookHabits> = { delayMs: 200, copies: 1, order: 'kept' }

/** Waits after an attempt that was not answered with 2xx, in ms; then it gives up. */
const RETRIES_MS = [500, 1_000, 2_000, 4_000, 8_000, 16_000]
const PATIENCE_MS = 10_000

export type EventType = 'payment.succeeded' | 'payment.failed' | 'payment.refunded'

interface Webhook {
  readonly id: string
  readonly body: string
  readonly copies: number
}

export interface WebhooksOptions {
  readonly secret: string
  /** Where they go, asked for at every attempt. */
  url(): string
}

/** Tells the merchant's server of charges and refunds, again and again until it says 2xx. */
export class Webhooks {
  readonly #world: World
  readonly #options: WebhooksOptions
  #habits = HABITS
  #gathered: Webhook[] = []

  constructor(world: World, options: WebhooksOptions) {
    this.#world = world
    this.#options = options
  }

  get habits(): Required<WebhookHabits> {
    return this.#habits
  }

  change(habits: WebhookHabits): void {
    this.#habits = { ...HABITS, ...habits }
  }

  forget(): void {
    this.#habits = HABITS
    this.#gathered = []
  }

  /** A refund is told by its own id and amount, beside the charge that it belongs to. */
  tell(type: EventType, charge: Charge, refund?: Refund): void {
    const id = `evt_${randomBytes(12).toString('hex')}`
    const { currency, reference: paymentId, id: gatewayRef } = charge
    const { amount } = refund ?? charge
    const status = type.slice('payment.'.length)
    const data = {
      ...{ paymentId, gatewayRef, ...(refund && { refundId: refund.id }) },
      ...{ status, amount, currency },
    }
    const body = JSON.stringify({ id, type, createdAt: new Date().toISOString(), data })
    this.#plan({ id, body, copies: this.#habits.copies })
  }

  #plan(webhook: Webhook): void {
    const { delayMs, order } = this.#habits
    if (order === 'kept') {
      return this.#world.later(delayMs, () => this.#sendCopies(webhook))
    }
    this.#gathered.push(webhook)
    if (this.#gathered.length > 1) return
    this.#world.later(delayMs, async () => {
      for (const each of this.#gathered.splice(0).reverse()) await this.#sendCopies(each)
    })
  }

  async #sendCopies(webhook: Webhook): Promise<void> {
    for (let copy = 0; copy < webhook.copies; copy += 1) await this.#send(webhook, 0)
  }

  async #send(webhook: Webhook, attempt: number): Promise<void> {
    if (await this.#isTaken(webhook)) return
    const wait = RETRIES_MS[attempt]
    if (wait !== undefined) this.#world.later(wait, () => this.#send(webhook, attempt + 1))
  }

  async #isTaken({ id, body }: Webhook): Promise<boolean> {
    const { secret, url } = this.#options
    const timestamp = Math.floor(Date.now() / 1_000)
    try {
      const response = await fetch(url(), {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...signatureHeaders(secret, { id, body, timestamp }),
        },
        body,
        redirect: 'manual',
        signal: AbortSignal.any([this.#world.ended, AbortSignal.timeout(PATIENCE_MS)]),
      })
      await response.body?.cancel()
      return response.ok
    } catch {
      return false
    }
  }
}

/**
 * The headers of both schemes: `x-webhook-signature` over the raw body, and the three of Standard
 * Webhooks. A secret that begins with `whsec_` is base64 for the latter, as its specification says.
 */
function signatureHeaders(
  secret: string,
  { id, body, timestamp }: Unsigned,
): Record<string, string> {
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : secret
  const signed = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return {
    'x-webhook-signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signed}`,
  }
}
