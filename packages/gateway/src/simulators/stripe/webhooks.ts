import { createHmac } from 'node:crypto'
import { WebhookSender, type Unsigned, type World } from '@posthorn/simulators'
import { newId, nowSeconds } from './objects.ts'

/** As in the events of an account that is set to it. */
export const API_VERSION = '2025-03-31.basil'

/** One of Stripe's events. */
export interface StripeEvent {
  readonly id: string
  readonly object: 'event'
  readonly api_version: string
  readonly created: number
  readonly data: { readonly object: unknown }
  readonly livemode: false
  readonly pending_webhooks: number
  readonly request: { readonly id: string | null; readonly idempotency_key: string | null }
  readonly type: string
}

/** Tells of events, each signed as Stripe does. */
export class StripeWebhooks {
  readonly sender: WebhookSender
  readonly events = new Map<string, StripeEvent>()

  constructor(
    world: World,
    { secret, url }: { readonly secret: string; url(): string | undefined },
  ) {
    this.sender = new WebhookSender(world, { url, sign: (webhook) => signature(secret, webhook) })
  }

  tell(type: string, object: unknown): void {
    const event: StripeEvent = {
      ...{ id: newId('evt'), object: 'event', api_version: API_VERSION, created: nowSeconds() },
      ...{ data: { object: structuredClone(object) }, livemode: false, pending_webhooks: 1 },
      ...{ request: { id: null, idempotency_key: null }, type },
    }
    this.events.set(event.id, event)
    // With spaces, as Stripe writes it: the signature is over these bytes.
    this.sender.send({ id: event.id, body: JSON.stringify(event, null, 2) })
  }

  forget(): void {
    this.sender.forget()
    this.events.clear()
  }
}

/** The secret is the key as it stands, with its `whsec_`. */
function signature(secret: string, { body, timestamp }: Unsigned): Record<string, string> {
  const v1 = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
  return { 'stripe-signature': `t=${timestamp},v1=${v1}`, 'user-agent': 'Stripe/1.0' }
}
